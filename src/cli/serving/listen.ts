/** Opens the listener of a server, and keeps from it whoever calls out of a sandbox. */
import { randomBytes } from "node:crypto";
import type { AddressInfo, Socket } from "node:net";
import { systemClock } from "../../base/clock.ts";
import { AppError, messageOf, osErrorText } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { type Caller, type CallerOrigin, classifyCallers } from "../../sandbox/confined-caller.ts";
import type { Heddle } from "../../server/heddle.ts";
import { logRefused } from "../../server/operator-log.ts";
import {
  formatSocketAddress,
  isLoopback,
  type ListenAddress,
  socketFolder,
} from "../../transport/listen-address.ts";
import { createTickets } from "../../transport/tickets.ts";
import { controlSocketPath, openUnixListener } from "../../transport/unix-socket.ts";
import type { RefuseUpgrade } from "../../transport/websocket-auth.ts";
import { openWebSocketListener, type RefusedRequest } from "../../transport/websocket-listener.ts";
import type { ListenerSettings } from "./listener-options.ts";

export interface ListenOptions extends ListenerSettings {
  readonly refuseUpgrade: RefuseUpgrade | null;
  readonly log: Logger;
  /** Whether `/readyz` looks each time whether the server can be used; it is only asked for its life otherwise. */
  readonly probesUse?: boolean;
}

/** One that programs of this machine call, or whoever has a token. */
export const LOCAL_LISTENER: ListenerSettings = {
  names: { hosts: [], origins: [] },
  trustedProxies: null,
  tls: null,
};

type SocketAddress = Extract<ListenAddress, { kind: "websocket" | "unix" }>;

/** Opens a WebSocket listener for a server. The banner tells where it really listens. */
export async function listenOn(
  heddle: Heddle,
  address: SocketAddress,
  { refuseUpgrade, log, probesUse = false, ...settings }: ListenOptions,
): Promise<{ readonly url: string; readonly banner: string }> {
  const onConnection = heddle.connect;
  const limits = await heddle.readLimits();
  const isUsable = probesUse ? createUseProbe(heddle, log) : undefined;
  const onRefused = (refused: RefusedRequest): void => logRefused(log, refused);
  if (address.kind === "unix") {
    const path = address.path ?? controlSocketPath(heddle.home);
    const folder = socketFolder(process.env);
    const listener = await openUnixListener(path, { limits, log, onConnection, isUsable, folder });
    heddle.onClose(() => listener.close());
    return { url: `unix://${path}`, banner: "" };
  }

  const { host, port } = address;
  if (!isLoopback(host) && refuseUpgrade === null) {
    throw new AppError(
      "transport.auth",
      `refusing to start non-loopback websocket listener ${formatSocketAddress(host, port)} without auth; configure \`--ws-auth capability-token\` or \`--ws-auth signed-bearer-token\``,
    );
  }
  const listener = await openWebSocketListener({
    listen: (server) => server.listen(port, host),
    ...settings,
    refuseUpgrade,
    tickets:
      refuseUpgrade === null ? null : createTickets({ now: () => systemClock.monotonic(), randomBytes }),
    refuseCaller: createCallerCheck({ hasToken: refuseUpgrade !== null }),
    onRefused,
    limits,
    log,
    onConnection,
    isUsable,
  }).catch((error: unknown) => {
    throw new AppError("transport.address", `${formatSocketAddress(host, port)}: ${osErrorText(error)}`, {
      cause: error,
    });
  });
  heddle.onClose(() => listener.close());
  // A TCP listener's address is never a path.
  const { port: boundPort } = listener.address as AddressInfo;
  heddle.listensOn(boundPort);
  const bound = formatSocketAddress(host, boundPort);
  const isSecure = settings.tls !== null;
  const url = `${isSecure ? "wss" : "ws"}://${bound}`;
  return { url, banner: renderBanner(url, isLoopback(host)) };
}

/** Whoever probes learns no path and no word of the configuration: they are in the log, once for each fault. */
function createUseProbe({ checkUse }: Heddle, log: Logger): () => Promise<boolean> {
  let known: string | null = null;
  return async () => {
    const fault = await checkUse().then(() => null, messageOf);
    if (fault !== null && fault !== known) log.error("the server cannot be used", { fault });
    known = fault;
    return fault === null;
  };
}

function renderBanner(url: string, loopback: boolean): string {
  const probed = url.replace(/^ws/, "http");
  const lines = [
    "heddle app-server (WebSockets)",
    `  listening on: ${url}`,
    `  readyz: ${probed}/readyz`,
    `  healthz: ${probed}/healthz`,
  ];
  if (loopback) lines.push("  note: binds localhost only (use SSH port-forwarding for remote access)");
  return `${lines.join("\n")}\n`;
}

export interface CallerCheckOptions {
  /** Whether callers have shown a token; then one whose origin cannot be seen is let in. */
  readonly hasToken: boolean;
}

/** Callers that wait while others are looked at; they are looked at together. */
const MAX_WAITING = 1024;

const CONFINED = "sandboxed commands may not call the server";
const UNKNOWN =
  "it cannot be seen whether this connection comes out of a sandbox: start the server with --ws-auth, or connect from a process of the same user";
const BUSY = "too many connections at one time: try again";

interface Waiting {
  readonly caller: Caller;
  readonly decide: (origin: CallerOrigin) => void;
}

/** Keeps confined commands that have a network from calling the server, which can do more than they may. */
function createCallerCheck({ hasToken }: CallerCheckOptions) {
  let waiting: Waiting[] = [];
  let isLooking = false;

  async function look(): Promise<void> {
    isLooking = true;
    while (waiting.length > 0) {
      const batch = waiting;
      waiting = [];
      const origins = await classifyCallers(batch.map(({ caller }) => caller)).catch(() => []);
      batch.forEach(({ decide }, index) => decide(origins[index] ?? "unknown"));
    }
    isLooking = false;
  }

  return async (socket: Socket): Promise<string | null> => {
    const { remoteAddress, remotePort, localAddress, localPort } = socket;
    if (remoteAddress === undefined || remotePort === undefined) return UNKNOWN;
    if (localAddress === undefined || localPort === undefined) return UNKNOWN;
    if (waiting.length >= MAX_WAITING) return BUSY;
    const origin = await new Promise<CallerOrigin>((decide) => {
      waiting.push({ caller: { remoteAddress, remotePort, localAddress, localPort }, decide });
      if (!isLooking) void look();
    });
    if (origin === "outside" || (origin === "unknown" && hasToken)) return null;
    return origin === "confined" ? CONFINED : UNKNOWN;
  };
}
