import { chmodSync, lstatSync, mkdirSync, renameSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { AppError } from "../base/errors.ts";
import { osErrorText } from "../base/os-error.ts";
import { type Listener, openWebSocketListener, type WebSocketListenerOptions } from "./websocket-listener.ts";

/** Where `unix://` without a path listens. */
export function controlSocketPath(home: string): string {
  return join(home, "app-server-control", "app-server-control.sock");
}

/**
 * Serves WebSocket connections on a socket file that only its owner can open (mode 0600). The file
 * gets its name when it already has its mode and is listened on: whoever sees it can connect.
 */
export async function openUnixListener(
  path: string,
  options: Pick<WebSocketListenerOptions, "limits" | "log" | "onConnection">,
): Promise<Listener> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  await refuseUsedPath(path);
  const unnamed = `${path}.new`;
  rmSync(unnamed, { force: true });
  const listener = await openWebSocketListener({
    ...options,
    guardAgainstBrowsers: false,
    refuseUpgrade: null,
    listen: (server) => server.listen(unnamed),
  });
  chmodSync(unnamed, 0o600);
  renameSync(unnamed, path);
  return {
    address: path,
    async close() {
      rmSync(path, { force: true });
      await listener.close();
    },
  };
}

/** A socket file that nobody answers on is left over from a server that died, and may be replaced. */
async function refuseUsedPath(path: string): Promise<void> {
  const state = await probe(path);
  if (state === "answering") {
    throw new AppError("transport.address", `app-server control socket is already in use at ${path}`);
  }
  if (state === "silent" && !lstatSync(path).isSocket()) {
    throw new AppError(
      "transport.address",
      `app-server control socket path exists and is not a socket: ${path}`,
    );
  }
}

function probe(path: string): Promise<"absent" | "answering" | "silent"> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve("answering");
    });
    socket.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") resolve("absent");
      else if (error.code === "ECONNREFUSED" || error.code === "ENOTSOCK") resolve("silent");
      else reject(new AppError("transport.address", `${path}: ${osErrorText(error)}`, { cause: error }));
    });
  });
}
