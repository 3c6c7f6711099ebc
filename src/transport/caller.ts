/**
 * The caller's address and scheme. Only proxies of the command line are believed. The reported address is for the log and for
 * the count of failed attempts; the scheme is part of the origin that the own page has.
 */
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import type { TLSSocket } from "node:tls";
import { formatSocketAddress } from "./listen-address.ts";
import type { ConnectionOrigin } from "./transport.ts";

/** Proxies whose `x-forwarded-*` headers are believed. */
export type TrustedProxies = Pick<BlockList, "check">;

/** Addresses and subnets such as `10.0.0.0/8`, which `refuseProxy` has validated. */
export function createTrustedProxies(names: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const name of names) {
    const { address, bits } = split(name);
    if (bits === null) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, bits, familyOf(address));
  }
  return list;
}

/** Null, or why the name is not a valid proxy. */
export function refuseProxy(name: string): string | null {
  const { address, bits } = split(name);
  const version = isIP(address);
  if (version === 0) return "not an address, nor a subnet such as 10.0.0.0/8";
  const maxBits = version === 4 ? 32 : 128;
  return bits === null || (Number.isInteger(bits) && bits >= 0 && bits <= maxBits)
    ? null
    : `a subnet has from 0 to ${maxBits} bits`;
}

function split(name: string): { readonly address: string; readonly bits: number | null } {
  const [address = "", bits, ...rest] = name.split("/");
  if (rest.length > 0) return { address: "", bits: null };
  return { address, bits: bits === undefined ? null : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN };
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}

/** Only this many hops of `x-forwarded-for` are evaluated. */
const MAX_HOPS = 32;

export function originOf(request: IncomingMessage, proxies: TrustedProxies | null): ConnectionOrigin {
  const { remoteAddress, remotePort } = request.socket;
  if (remoteAddress === undefined || remotePort === undefined) return { transport: "unix", from: null };
  const nearest = { transport: "websocket", from: formatSocketAddress(remoteAddress, remotePort) } as const;
  if (proxies === null || !proxies.check(remoteAddress, familyOf(remoteAddress))) return nearest;
  const hops = request.headersDistinct["x-forwarded-for"]?.join(",").split(",").slice(-MAX_HOPS) ?? [];
  const from = nearestUntrustedHop(
    hops.map((hop) => hop.trim()),
    proxies,
  );
  if (from === null) return nearest;
  const scheme = forwardedScheme(request);
  return { ...nearest, from, through: nearest.from, ...(scheme === null ? {} : { scheme }) };
}

function forwardedScheme({ headers }: IncomingMessage): string | null {
  const proto = headers["x-forwarded-proto"];
  return /^(?:https?|wss?)$/i.exec(typeof proto === "string" ? proto.trim() : "")?.[0] ?? null;
}

/** Whether the caller sent the request by TLS, to this listener or to a trusted proxy. */
export function isSentByTls(request: IncomingMessage, proxies: TrustedProxies | null): boolean {
  if ((request.socket as Partial<TLSSocket>).encrypted === true) return true;
  const { remoteAddress } = request.socket;
  if (proxies === null || remoteAddress === undefined) return false;
  const scheme = proxies.check(remoteAddress, familyOf(remoteAddress)) ? forwardedScheme(request) : null;
  return /^(?:https|wss)$/i.test(scheme ?? "");
}

/** The caller's address without a port; null for a unix socket. */
export function callerAddress(request: IncomingMessage, proxies: TrustedProxies | null): string | null {
  const { from, through } = originOf(request, proxies);
  return through === undefined ? (request.socket.remoteAddress ?? null) : from;
}

/** Each proxy appends its caller to the list; only entries that a trusted proxy has appended count. */
function nearestUntrustedHop(hops: readonly string[], proxies: TrustedProxies): string | null {
  let nearest: string | null = null;
  for (const hop of hops.toReversed()) {
    if (isIP(hop) === 0) return nearest;
    nearest = hop;
    if (!proxies.check(hop, familyOf(hop))) return nearest;
  }
  return nearest;
}
