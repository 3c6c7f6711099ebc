import { randomUUID } from "node:crypto";
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
} from "node:fs";
import { connect } from "node:net";
import { dirname, join } from "node:path";
import { AppError, osErrorText } from "../base/errors.ts";
import { prepareSocketFolder } from "./listen-address.ts";
import { type Listener, openWebSocketListener, type WebSocketListenerOptions } from "./websocket-listener.ts";

/** The number of existing sockets that a new server probes. */
const MAX_PROBED = 64;

/** The path of `unix://` without a path. */
export function controlSocketPath(home: string): string {
  return join(home, "app-server-control", "app-server-control.sock");
}

export interface UnixListenerOptions
  extends Pick<WebSocketListenerOptions, "limits" | "log" | "onConnection" | "routes"> {
  /** The folder of the actual socket, which sandboxes hide. */
  readonly folder: string;
}

/**
 * Serves WebSocket connections on a socket file that only its owner can open (mode 0600). The path is a symlink to it,
 * created after the socket has its mode and is listening, so a visible path can be connected to, unless the target folder
 * is hidden.
 */
export async function openUnixListener(path: string, options: UnixListenerOptions): Promise<Listener> {
  prepareSocketFolder(options.folder);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  await assertPathUnused(path);
  await removeStaleSockets(options.folder);
  const socket = join(options.folder, `${randomUUID()}.sock`);
  const listener = await openWebSocketListener({
    ...options,
    names: null,
    judgeUpgrade: null,
    tickets: null,
    listen: (server) => server.listen(socket),
  });
  chmodSync(socket, 0o600);
  const temporary = `${path}.new`;
  rmSync(temporary, { force: true });
  symlinkSync(socket, temporary);
  renameSync(temporary, path);
  return {
    address: path,
    async close() {
      if (linkTargetOf(path) === socket) rmSync(path, { force: true });
      rmSync(socket, { force: true });
      await listener.close();
    },
  };
}

/** The target of a symlink; null for anything else. */
function linkTargetOf(path: string): string | null {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(path) : null;
}

/** Removes the sockets of killed servers, which refuse connections. */
async function removeStaleSockets(folder: string): Promise<void> {
  for (const name of readdirSync(folder).slice(0, MAX_PROBED)) {
    const socket = join(folder, name);
    if ((await probe(socket).catch(() => null)) === "silent") rmSync(socket, { force: true });
  }
}

/** A socket file that refuses connections is left from a crashed server and may be replaced. */
async function assertPathUnused(path: string): Promise<void> {
  const state = await probe(path);
  if (state === "answering") {
    throw new AppError("transport.address", `app-server control socket is already in use at ${path}`);
  }
  if (state === "silent" && !statSync(path).isSocket()) {
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
