/** Listen addresses of `--listen`, and the folder of the socket files. */
import { chmodSync, lstatSync, mkdirSync } from "node:fs";
import { isIP, isIPv4 } from "node:net";
import { join, resolve } from "node:path";
import type { Environment } from "../base/environment.ts";

/** A parsed `--listen` URL. */
export type ListenAddress =
  | { readonly kind: "stdio" }
  | { readonly kind: "websocket"; readonly host: string; readonly port: number }
  /** `path` is null for the control socket in the home. */
  | { readonly kind: "unix"; readonly path: string | null }
  | { readonly kind: "off" };

export type ListenAddressResult =
  | { readonly ok: true; readonly address: ListenAddress }
  | { readonly ok: false; readonly message: string };

export function parseListenUrl(url: string, cwd: string): ListenAddressResult {
  if (url === "stdio://") return { ok: true, address: { kind: "stdio" } };
  if (url === "off") return { ok: true, address: { kind: "off" } };
  if (url.startsWith("unix://")) {
    const path = url.slice("unix://".length);
    return { ok: true, address: { kind: "unix", path: path === "" ? null : resolve(cwd, path) } };
  }
  if (url.startsWith("ws://")) return parseSocketAddress(url);
  const forms = "`stdio://`, `unix://`, `unix://PATH`, `ws://IP:PORT`, or `off`";
  return { ok: false, message: `unsupported --listen URL \`${url}\`; expected ${forms}` };
}

function parseSocketAddress(url: string): ListenAddressResult {
  const match = /^ws:\/\/(?:\[([^\]]+)\]|([^:[\]/]+)):(\d{1,5})$/.exec(url);
  const host = match?.[1] ?? match?.[2] ?? "";
  const port = Number(match?.[3]);
  const wellFormed = match?.[1] === undefined ? isIPv4(host) : isIP(host) === 6;
  if (!wellFormed || port > 65_535) {
    return { ok: false, message: `invalid websocket --listen URL \`${url}\`; expected \`ws://IP:PORT\`` };
  }
  return { ok: true, address: { kind: "websocket", host, port } };
}

export function isLoopback(host: string): boolean {
  const address = host.replace(/^::ffff:/, "");
  // Names may begin like addresses.
  return host === "::1" || (isIPv4(address) && address.startsWith("127."));
}

/** Formats an address as in a URL, with IPv6 in brackets. */
export function formatSocketAddress(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}

/**
 * The folder that contains the sockets of all servers of this user, whatever paths link to them: one folder, so that a
 * sandbox can hide it as a whole. A command that could open a socket could call the server.
 */
export function socketFolder(env: Environment, user = process.getuid?.() ?? 0): string {
  const runtime = env["XDG_RUNTIME_DIR"];
  const own = runtime !== undefined && isOwnFolder(runtime, user) ? runtime : null;
  return own === null ? `/tmp/heddle-${user}` : join(own, "heddle");
}

/** Creates the folder with access for its owner only; throws if it belongs to another user. */
export function prepareSocketFolder(folder: string, user = process.getuid?.() ?? 0): void {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  if (!isOwnFolder(folder, user))
    throw new Error(`${folder} belongs to another user: remove it, or set XDG_RUNTIME_DIR`);
  chmodSync(folder, 0o700);
}

function isOwnFolder(folder: string, user: number): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === user;
}
