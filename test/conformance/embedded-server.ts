/** Heddle inside this process, for the scenarios that need neither a process nor a listener of their own. */
import { silentLogger } from "../../src/base/logger.ts";
import { type HeddleOptions, openHeddle } from "../../src/server/heddle.ts";
// Loaded by the first client; the first scenarios would wait until all of it is transformed.
import "../../src/server/services.ts";
import { createMemoryTransports } from "../../src/transport/memory.ts";
import { createRpcClient } from "../support/rpc-client.ts";
import type { Transport } from "../support/start-server.ts";
import type { Wire } from "../support/wire.ts";
import { needsPrivateEtc } from "./private-etc.ts";
import type { Scenario, Step } from "./scenario.ts";
import type { Side, StagedServer } from "./stage.ts";

/** Scenarios with the programs that the build puts on the PATH of commands. */
const NEEDS_THE_BUILD = ["shell/apply-patch-inside", "command-exec/apply-patch"];

const ABOUT_TRANSPORTS = /^(?:wire|websocket|unix|listen|shutdown)\//u;

/** Steps about processes, listeners and lines of stdio; and a restart, which is a kill. */
const NEEDS_A_PROCESS: ReadonlySet<Step["do"]> = new Set([
  "raw",
  "frame",
  "lastFrame",
  "endInput",
  "signal",
  "exit",
  "restart",
  "http",
  "run",
  "serve",
  "log",
]);

export function canBeEmbedded(scenario: Scenario, transport: Transport): boolean {
  const { name, transports, args, listen, starts, files, steps } = scenario;
  // A WebSocket that is no second transport is there for several clients, which memory can connect as well.
  const isOnlyTransport = transports.length === 1 && transport !== "unix";
  return (
    !ABOUT_TRANSPORTS.test(name) &&
    !NEEDS_THE_BUILD.includes(name) &&
    (transport === "stdio" || isOnlyTransport) &&
    args === undefined &&
    listen === undefined &&
    starts !== false &&
    !needsPrivateEtc(files) &&
    !steps.some((step) => NEEDS_A_PROCESS.has(step.do))
  );
}

export const startEmbedded: NonNullable<Side["start"]> = (place) => startEmbeddedWith(place, {});

/** With the store at an address, in place of the home. */
export async function startEmbeddedWith(
  { home, env }: Parameters<NonNullable<Side["start"]>>[0],
  options: Pick<HeddleOptions, "store">,
): Promise<StagedServer> {
  const heddle = await openHeddle({
    ...options,
    env,
    cwd: home.workspace,
    log: silentLogger,
    flags: {},
    profile: null,
    strictConfig: false,
  });
  return {
    address: undefined,
    socketPath: undefined,
    connect() {
      const [theirs, ours] = createMemoryTransports();
      const client = createRpcClient(toWire(ours));
      heddle.connect(theirs);
      return Promise.resolve(client);
    },
    stop: () => heddle.close(),
  };
}

function toWire(transport: ReturnType<typeof createMemoryTransports>[number]): Wire {
  const listeners: ((text: string) => void)[] = [];
  const ended = new Promise<void>((resolve) => {
    transport.start({
      message: (text) => listeners.forEach((listener) => listener(text)),
      closed: () => resolve(),
    });
  });
  return {
    send: (text) => transport.send(text, "notice"),
    sendFrame: () => undefined,
    sendLastFrame: () => undefined,
    onText: (listener) => listeners.push(listener),
    onPong: () => undefined,
    close: () => transport.close(),
    ended,
  };
}
