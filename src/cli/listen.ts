import type { AddressInfo } from "node:net";
import { AppError } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import { osErrorText } from "../base/os-error.ts";
import type { Heddle } from "../server/heddle.ts";
import {
  formatSocketAddress,
  isLoopback,
  type ListenAddress,
  socketFolder,
} from "../transport/listen-address.ts";
import { controlSocketPath, openUnixListener } from "../transport/unix-socket.ts";
import type { RefuseUpgrade } from "../transport/websocket-auth.ts";
import { openWebSocketListener } from "../transport/websocket-listener.ts";
import { createCallerCheck } from "./caller-check.ts";

export interface ListenOptions {
  readonly refuseUpgrade: RefuseUpgrade | null;
  readonly log: Logger;
}

type SocketAddress = Extract<ListenAddress, { kind: "websocket" | "unix" }>;

/** Opens a WebSocket listener for a server. The banner tells where it really listens. */
export async function listenOn(
  heddle: Heddle,
  address: SocketAddress,
  { refuseUpgrade, log }: ListenOptions,
): Promise<{ readonly url: string; readonly banner: string }> {
  const onConnection = heddle.connect;
  const limits = await heddle.readLimits();
  if (address.kind === "unix") {
    const path = address.path ?? controlSocketPath(heddle.home);
    const folder = socketFolder(process.env);
    const listener = await openUnixListener(path, { limits, log, onConnection, folder });
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
    guardAgainstBrowsers: true,
    refuseUpgrade,
    refuseCaller: createCallerCheck({ hasToken: refuseUpgrade !== null, log }),
    limits,
    log,
    onConnection,
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
  return { url: `ws://${bound}`, banner: renderBanner(bound, isLoopback(host)) };
}

function renderBanner(bound: string, loopback: boolean): string {
  const lines = [
    "heddle app-server (WebSockets)",
    `  listening on: ws://${bound}`,
    `  readyz: http://${bound}/readyz`,
    `  healthz: http://${bound}/healthz`,
  ];
  if (loopback) lines.push("  note: binds localhost only (use SSH port-forwarding for remote access)");
  return `${lines.join("\n")}\n`;
}
