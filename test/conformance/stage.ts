/** The surroundings in which one side plays one scenario: home, model, server, connections, and what was noted. */
import { join } from "node:path";
import type { Child } from "../support/child.ts";
import { matches, type Pattern } from "../support/matches.ts";
import { modelConfig } from "../support/model-config.ts";
import type { RpcClient } from "../support/rpc-client.ts";
import { openScriptedModel, type ScriptedModel } from "../support/scripted-model.ts";
import {
  type Program,
  type RunningServer,
  serverEnvironment,
  startServer,
  type Transport,
} from "../support/start-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";
import type { WebSocketOptions } from "../support/wire.ts";
import { fill } from "./placeholders.ts";
import { needsPrivateEtc, withPrivateEtc } from "./private-etc.ts";
import { type Entry, entryName } from "./recording.ts";
import type { Scenario } from "./scenario.ts";

/** A server as a scenario sees it; one in this process has no child, and serves no other transport than its own. */
export type StagedServer = Pick<RunningServer, "address" | "socketPath" | "connect"> & {
  readonly child?: Child;
  stop(): Promise<unknown>;
};

export type Side = {
  readonly program: Program;
  /** Starts the server in place of the program, for scenarios that need no process. */
  readonly start?: (options: {
    readonly home: TempHome;
    readonly env: Readonly<Record<string, string>>;
  }) => Promise<StagedServer>;
  /** Where homes are made. The peer treats a home below the system's temporary folder differently. */
  readonly homes: string;
};

export type Connection = {
  readonly name: string;
  readonly client: RpcClient;
  readonly labels: Map<unknown, string>;
};

export class Stage {
  readonly known = new Map<string, unknown>();
  readonly facts: Entry[] = [];
  readonly unmet: { entry: string; text: string }[] = [];
  readonly connections: Connection[] = [];
  readonly scenario: Scenario;
  readonly transport: Transport;
  readonly side: Side;
  readonly home: TempHome;
  readonly model: ScriptedModel;
  #server: StagedServer | undefined;
  #starts = 0;

  private constructor(
    base: { scenario: Scenario; transport: Transport; side: Side },
    home: TempHome,
    model: ScriptedModel,
  ) {
    this.scenario = base.scenario;
    this.transport = base.transport;
    this.side = base.side;
    this.home = home;
    this.model = model;
    for (const folder of ["root", "home", "workspace", "user"] as const) this.known.set(folder, home[folder]);
    this.known.set("model", model.url);
  }

  static async open(scenario: Scenario, transport: Transport, side: Side): Promise<Stage> {
    const home = await createTempHome({ under: side.homes });
    const model = await openScriptedModel(scenario.model);
    const stage = new Stage({ scenario, transport, side }, home, model);
    const config = fill(scenario.config ?? {}, stage.known);
    const toml = "whole" in config ? config.whole : modelConfig(model.url, config);
    if (toml !== null) await home.write("home/config.toml", toml);
    for (const [path, text] of Object.entries(scenario.files ?? {})) {
      await home.write(path, fill(text, stage.known));
    }
    return stage;
  }

  get program(): Program {
    const { program } = this.side;
    return needsPrivateEtc(this.scenario.files) ? withPrivateEtc(program, this.home.root) : program;
  }

  get server(): StagedServer {
    if (this.#server === undefined) throw new Error("the scenario has no server running");
    return this.#server;
  }

  get child(): Child {
    const { child } = this.server;
    if (child === undefined) throw new Error("the scenario needs a server with a process of its own");
    return child;
  }

  async start(extraArgs: readonly string[] = []): Promise<void> {
    const { scenario, transport, side, home } = this;
    const env = fill({ ...scenario.env }, this.known);
    this.#server =
      side.start !== undefined
        ? await side.start({ home, env: serverEnvironment(home, env) })
        : await startServer({
            program: this.program,
            transport,
            home,
            args: fill([...(scenario.args ?? []), ...extraArgs], this.known),
            env,
            ...(scenario.listen === undefined ? {} : { listen: fill(scenario.listen, this.known) }),
          });
    this.#starts += 1;
    if (this.#server.address !== undefined) this.known.set("address", this.#server.address);
  }

  async connect(name: string, options: WebSocketOptions & { path?: string } = {}): Promise<Connection> {
    const client = await this.server.connect(options);
    const channel = this.#starts > 1 ? `${name} (start ${this.#starts})` : name;
    const connection = { name: channel, client, labels: new Map<unknown, string>() };
    this.connections.push(connection);
    return connection;
  }

  /** The newest connection of that name; `main` is opened when it is first needed. */
  async connection(name = "main"): Promise<Connection> {
    const channel = this.#starts > 1 ? `${name} (start ${this.#starts})` : name;
    const open = this.connections.findLast((connection) => connection.name === channel);
    if (open !== undefined) return open;
    if (name !== "main") throw new Error(`the scenario has no connection named ${name}`);
    return await this.connect(name);
  }

  note(key: string, value: unknown, expect?: Pattern): void {
    this.facts.push({ channel: "facts", key, value });
    this.check(key, value, expect);
  }

  check(entry: string, value: unknown, expect: Pattern): void {
    if (expect === undefined || matches(value, fill(expect, this.known))) return;
    this.unmet.push({
      entry,
      text: `expected ${JSON.stringify(expect)}, got ${shorten(JSON.stringify(value))}`,
    });
  }

  /** Every message of every connection, then the facts. */
  entries(): Entry[] {
    const messages = this.connections.flatMap(({ name, client, labels }) =>
      client.received.map(({ kind, message, method }): Entry => {
        const label =
          kind === "response"
            ? (labels.get(message["id"]) ?? `to id ${JSON.stringify(message["id"])}`)
            : method;
        const key = kind === "notification" ? `${label}` : `${kind} ${label ?? ""}`.trim();
        return { channel: name, key, value: message, sent: { kind, method } };
      }),
    );
    return [...messages, ...this.facts];
  }

  async stopServer(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    await server?.stop();
  }

  async close(): Promise<void> {
    await this.stopServer();
    await this.model.close();
    await this.home.remove();
  }

  path(relative: string): string {
    // What is not filled in leads nowhere, and both sides would have the same nothing there.
    if (relative.includes("{{")) throw new Error(`${relative} must be a path below the root of the homes`);
    return join(this.home.root, relative);
  }
}

export function nameOn(connection: Connection, key: string): string {
  return entryName({ channel: connection.name, key });
}

function shorten(text: string | undefined): string {
  return text === undefined ? "nothing" : text.length > 600 ? `${text.slice(0, 600)}…` : text;
}
