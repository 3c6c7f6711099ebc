import { isIP, isIPv4 } from "node:net";
import { resolve } from "node:path";

/** Where a server listens, as `--listen` names it. */
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

/** An address as it stands in a URL: IPv6 in brackets. */
export function formatSocketAddress(host: string, port: number): string {
  return host.includes(":") ? `[${host}]:${port}` : `${host}:${port}`;
}
