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

/** Sockets of other servers that a new one looks at. */
const MAX_PROBED = 64;

/** Where `unix://` without a path listens. */
export function controlSocketPath(home: string): string {
  return join(home, "app-server-control", "app-server-control.sock");
}

export interface UnixListenerOptions
  extends Pick<WebSocketListenerOptions, "limits" | "log" | "onConnection" | "unreadiness" | "metrics"> {
  /** Where the socket really is: a folder that sandboxes hide. */
  readonly folder: string;
}

/**
 * Serves WebSocket connections on a socket file that only its owner can open (mode 0600). The path is a link to it,
 * made when the socket already has its mode and is listened on: whoever sees it can connect, unless the folder that
 * it leads to is hidden from them.
 */
export async function openUnixListener(path: string, options: UnixListenerOptions): Promise<Listener> {
  prepareSocketFolder(options.folder);
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  await refuseUsedPath(path);
  await removeDead(options.folder);
  const socket = join(options.folder, `${randomUUID()}.sock`);
  const listener = await openWebSocketListener({
    ...options,
    names: null,
    judgeUpgrade: null,
    tickets: null,
    listen: (server) => server.listen(socket),
  });
  chmodSync(socket, 0o600);
  const unnamed = `${path}.new`;
  rmSync(unnamed, { force: true });
  symlinkSync(socket, unnamed);
  renameSync(unnamed, path);
  return {
    address: path,
    async close() {
      if (leftoverOf(path) === socket) rmSync(path, { force: true });
      rmSync(socket, { force: true });
      await listener.close();
    },
  };
}

/** The socket that the link of a server leads to; null for anything else. */
function leftoverOf(path: string): string | null {
  return lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true ? readlinkSync(path) : null;
}

/** Sockets of servers that were killed would stay for ever: nobody answers on them. */
async function removeDead(folder: string): Promise<void> {
  for (const name of readdirSync(folder).slice(0, MAX_PROBED)) {
    const socket = join(folder, name);
    if ((await probe(socket).catch(() => null)) === "silent") rmSync(socket, { force: true });
  }
}

/** A socket file that nobody answers on is left over from a server that died, and may be replaced. */
async function refuseUsedPath(path: string): Promise<void> {
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
