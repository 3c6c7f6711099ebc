import { chmodSync, lstatSync, mkdirSync, unlinkSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { isMainThread } from "node:worker_threads";
import { AppError } from "../base/errors.ts";
import { osErrorText } from "../base/os-error.ts";
import { type Listener, openWebSocketListener, type WebSocketListenerOptions } from "./websocket-listener.ts";

/** Where `unix://` without a path listens. */
export function controlSocketPath(home: string): string {
  return join(home, "app-server-control", "app-server-control.sock");
}

/** Serves WebSocket connections on a socket file that only its owner can open (mode 0600). */
export async function openUnixListener(
  path: string,
  options: Pick<WebSocketListenerOptions, "limits" | "log" | "onConnection">,
): Promise<Listener> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  await removeStaleSocket(path);
  const listener = await openWebSocketListener({
    ...options,
    guardAgainstBrowsers: false,
    refuseUpgrade: null,
    listen(server) {
      // The file appears during listen(): the mask keeps it closed to others from its first instant.
      // A worker thread has no mask to set; there the folder's mode has to do until chmod.
      const mask = isMainThread ? process.umask(0o177) : null;
      server.listen(path);
      if (mask !== null) process.umask(mask);
    },
  });
  chmodSync(path, 0o600);
  return listener;
}

/** A socket file that nobody answers on is left over from a server that died, and makes room. */
async function removeStaleSocket(path: string): Promise<void> {
  const state = await probe(path);
  if (state === "absent") return;
  if (state === "answering") {
    throw new AppError("transport.address", `app-server control socket is already in use at ${path}`);
  }
  if (!lstatSync(path).isSocket()) {
    throw new AppError(
      "transport.address",
      `app-server control socket path exists and is not a socket: ${path}`,
    );
  }
  unlinkSync(path);
}

function probe(path: string): Promise<"absent" | "answering" | "stale"> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve("answering");
    });
    socket.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") resolve("absent");
      else if (error.code === "ECONNREFUSED" || error.code === "ENOTSOCK") resolve("stale");
      else reject(new AppError("transport.address", `${path}: ${osErrorText(error)}`, { cause: error }));
    });
  });
}
