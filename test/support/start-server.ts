/** Starts an app-server over stdio, WebSocket or Unix socket, on a temporary home. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { Child, type Exit } from "./child.ts";
import { createRpcClient, type RpcClient } from "./rpc-client.ts";
import { createTempHome, type TempHome } from "./temp-home.ts";
import { createStdioWire, openWebSocketWire, type WebSocketOptions, type Wire } from "./wire.ts";
import { within } from "./within.ts";

const START_DEADLINE = 20_000;
const LISTENING = /ws:\/\/([0-9.]+|\[[0-9a-f:]+\]):([0-9]+)/u;

export type Transport = "stdio" | "ws" | "unix";

/** The command before `app-server …`. */
export type Program = { readonly command: string; readonly args: readonly string[] };

export type StartOptions = {
  readonly program?: Program;
  /** `app-server` by default. */
  readonly subcommand?: "app-server" | "serve";
  readonly transport?: Transport;
  /** The `--listen` value, if it is not the default of the transport. */
  readonly listen?: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** A home to use instead of a new one; it is not removed. */
  readonly home?: TempHome;
  readonly config?: string;
};

export type ConnectOptions = WebSocketOptions & { readonly path?: string };

export type RunningServer = {
  readonly home: TempHome;
  readonly child: Child;
  readonly transport: Transport;
  /** `127.0.0.1:PORT` of a WebSocket listener. */
  readonly address: string | undefined;
  readonly socketPath: string | undefined;
  /** Opens a connection; over stdio there is only one. */
  connect(options?: ConnectOptions): Promise<RpcClient>;
  /** Like `connect`, without a client. */
  openWire(options?: ConnectOptions): Promise<Wire>;
  /** Kills the server and its descendants, and removes a home that was created for it. */
  stop(): Promise<Exit>;
};

export const HEDDLE: Program = { command: process.execPath, args: [join(process.cwd(), "dist", "cli.js")] };

export function isBuilt(program: Program): boolean {
  return program.args.every((path) => existsSync(path)) && existsSync(program.command);
}

/** The environment of a server under test: fixed, so that the user's environment has no influence. */
export function serverEnvironment(home: TempHome, extra: Readonly<Record<string, string>> = {}) {
  return {
    PATH: process.env["PATH"] ?? "/usr/bin:/bin",
    HOME: home.user,
    CODEX_HOME: home.home,
    LANG: "C.UTF-8",
    TZ: "UTC",
    TERM: "xterm",
    ...extra,
  };
}

export async function startServer(options: StartOptions = {}): Promise<RunningServer> {
  const transport = options.transport ?? "stdio";
  const program = options.program ?? HEDDLE;
  const home =
    options.home ?? (await createTempHome(options.config === undefined ? {} : { config: options.config }));
  const socketPath = join(home.root, "server.sock");
  const child = new Child({
    command: program.command,
    args: [
      ...program.args,
      options.subcommand ?? "app-server",
      ...listenArgs(transport, socketPath, options.listen),
      ...(options.args ?? []),
    ],
    cwd: home.workspace,
    env: serverEnvironment(home, options.env),
  });

  async function stop(): Promise<Exit> {
    const exit = await child.stop();
    if (options.home === undefined) await home.remove();
    return exit;
  }

  try {
    const address = await listening(transport, child, socketPath);
    const stdio = transport === "stdio" ? createStdioWire(child) : undefined;
    let only: RpcClient | undefined;
    const url = transport === "unix" ? `ws+unix:${socketPath}:` : `ws://${address}`;
    const openWire = async (connection: ConnectOptions = {}): Promise<Wire> =>
      stdio ?? (await openWebSocketWire(`${url}${connection.path ?? "/"}`, connection));
    return {
      home,
      child,
      transport,
      address,
      socketPath: transport === "unix" ? socketPath : undefined,
      async connect(connection) {
        if (stdio === undefined) return createRpcClient(await openWire(connection));
        only ??= createRpcClient(stdio);
        return only;
      },
      openWire,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

function listenArgs(transport: Transport, socketPath: string, listen: string | undefined): string[] {
  if (listen !== undefined) return ["--listen", listen];
  if (transport === "ws") return ["--listen", "ws://127.0.0.1:0"];
  if (transport === "unix") return ["--listen", `unix://${socketPath}`];
  return [];
}

/** Waits until the server accepts connections; the address is that of a WebSocket listener. */
async function listening(
  transport: Transport,
  child: Child,
  socketPath: string,
): Promise<string | undefined> {
  if (transport === "stdio") return undefined;
  if (transport === "ws") {
    const [, host, port] = await child.stderrMatch(LISTENING, START_DEADLINE);
    return `${host === "0.0.0.0" ? "127.0.0.1" : host}:${port}`;
  }
  const appears = async (): Promise<void> => {
    while (!existsSync(socketPath)) {
      if (child.exited) throw new Error(`the server exited early: ${child.stderr.trim()}`);
      await new Promise((resolve) => setTimeout(resolve, 10));
    }
  };
  await within(appears(), START_DEADLINE, `the socket ${socketPath}`);
  return undefined;
}
