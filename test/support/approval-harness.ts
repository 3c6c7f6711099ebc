/** A server whose model tries to create a file, for tests of approvals. */
import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import type { Verdict } from "../../src/store/decisions.ts";
import { readDecisions } from "../../src/store/open/home-maintenance.ts";
import type { JsonObject } from "./json.ts";
import { modelConfig } from "./model-config.ts";
import { functionCallDone, messageReply, reply } from "./model-events.ts";
import type { RpcClient } from "./rpc-client.ts";
import { type ModelReply, openScriptedModel, type ScriptedModel } from "./scripted-model.ts";
import { HEDDLE, type RunningServer, startServer, type Transport } from "./start-server.ts";
import { createTempHome, type TempHome } from "./temp-home.ts";
import { within } from "./within.ts";

export const ASKED = "item/commandExecution/requestApproval";
export const MADE = "made";
export const MAKES_A_FILE: ModelReply = reply(
  "1",
  functionCallDone("call_1", "exec_command", { cmd: `touch ${MADE}`, login: false }),
);

export type ApprovalHarnessOptions = {
  readonly transport?: Transport;
  readonly config?: string;
  readonly files?: Readonly<Record<string, string | Uint8Array>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly model?: readonly ModelReply[];
};

export class ApprovalHarness {
  readonly home: TempHome;
  readonly model: ScriptedModel;
  readonly #options: ApprovalHarnessOptions;
  #server: RunningServer;

  private constructor(
    parts: Pick<ApprovalHarness, "home" | "model">,
    options: ApprovalHarnessOptions,
    server: RunningServer,
  ) {
    this.home = parts.home;
    this.model = parts.model;
    this.#options = options;
    this.#server = server;
  }

  static async open(options: ApprovalHarnessOptions = {}): Promise<ApprovalHarness> {
    const home = await createTempHome();
    const model = await openScriptedModel(options.model ?? [MAKES_A_FILE, messageReply("Done", { id: "9" })]);
    await home.write("home/config.toml", modelConfig(model.url, { tables: options.config ?? "" }));
    for (const [path, content] of Object.entries(options.files ?? {}))
      await home.write(path, content as string);
    return new ApprovalHarness({ home, model }, options, await launch(home, options));
  }

  get server(): RunningServer {
    return this.#server;
  }

  /** An initialized client. */
  async connect(name = "editor", capabilities: object = {}): Promise<RpcClient> {
    return await initialize(await this.#server.connect(), name, capabilities);
  }

  /** Starts a thread and a turn in it, and returns both ids. */
  async startTurn(client: RpcClient, thread: object): Promise<{ threadId: string; turnId: string }> {
    const started = (await client.result("thread/start", thread)) as { thread: { id: string } };
    const threadId = started.thread.id;
    const input = [{ type: "text", text: "Go" }];
    const { turn } = (await client.result("turn/start", { threadId, input })) as { turn: { id: string } };
    return { threadId, turnId: turn.id };
  }

  /** Whether the model's command has created the file. */
  get isMade(): boolean {
    return existsSync(join(this.home.workspace, MADE));
  }

  /** Stops the server in this way and starts it again. */
  async restart(how: "SIGKILL" | "end of input"): Promise<void> {
    const { child } = this.#server;
    if (how === "SIGKILL") child.signal(how);
    else child.endInput();
    await within(child.exit, 10_000, `the end of the server by ${how}`);
    await this.#server.stop();
    this.#server = await launch(this.home, this.#options);
  }

  /** The output of the call that was sent to the model. */
  toolOutput(): unknown {
    const { body } = this.model.requests.at(-1) ?? {};
    const { input } = body as { input: JsonObject[] };
    return input.find(({ type }) => type === "function_call_output")?.["output"];
  }

  /** The recorded decisions without ids and times, read as `heddle approvals log` does. */
  async decisions(): Promise<unknown[]> {
    const decisions = await readDecisions(this.home.home, { limit: 50 });
    return decisions.reverse().map(({ verdict }) => outline(verdict));
  }

  /** The recorded decisions as `heddle approvals log --json` prints them. */
  async printedDecisions(more: readonly string[] = []): Promise<unknown[]> {
    const { stdout } = await promisify(execFile)(
      HEDDLE.command,
      [...HEDDLE.args, "approvals", "log", "--json", ...more],
      { env: { PATH: process.env["PATH"] ?? "", HOME: this.home.user, CODEX_HOME: this.home.home } },
    );
    const lines = stdout.split("\n").filter((line) => line !== "");
    return lines.map((line) => outline((JSON.parse(line) as { verdict: Verdict | null }).verdict));
  }

  async close(): Promise<void> {
    await this.#server.stop();
    await this.model.close();
    await this.home.remove();
  }
}

function outline(verdict: Verdict | null): unknown {
  return verdict === null ? "open" : { outcome: verdict.outcome, by: verdict.by, reason: verdict.reason };
}

export async function initialize(client: RpcClient, name: string, more: object = {}): Promise<RpcClient> {
  const capabilities = { experimentalApi: true, ...more };
  await client.result("initialize", { clientInfo: { name, title: null, version: "1" }, capabilities });
  return client;
}

function launch(home: TempHome, { transport, env }: ApprovalHarnessOptions): Promise<RunningServer> {
  return startServer({
    home,
    ...(transport === undefined ? {} : { transport }),
    ...(env === undefined ? {} : { env }),
  });
}
