/** Who calls, for the log alone: nothing is decided by what a proxy says. */
import type { IncomingMessage } from "node:http";
import { BlockList, isIP } from "node:net";
import { formatSocketAddress } from "./listen-address.ts";
import type { ConnectionOrigin } from "./transport.ts";

/** Proxies whose word about their callers is passed on. */
export type TrustedProxies = Pick<BlockList, "check">;

/** Addresses and subnets such as `10.0.0.0/8`; `refuseProxy` has found them good. */
export function createTrustedProxies(names: readonly string[]): TrustedProxies {
  const list = new BlockList();
  for (const name of names) {
    const { address, bits } = split(name);
    if (bits === null) list.addAddress(address, familyOf(address));
    else list.addSubnet(address, bits, familyOf(address));
  }
  return list;
}

/** Why it names no proxy, or null. */
export function refuseProxy(name: string): string | null {
  const { address, bits } = split(name);
  const version = isIP(address);
  if (version === 0) return "not an address, nor a subnet such as 10.0.0.0/8";
  const most = version === 4 ? 32 : 128;
  return bits === null || (Number.isInteger(bits) && bits >= 0 && bits <= most)
    ? null
    : `a subnet has from 0 to ${most} bits`;
}

function split(name: string): { readonly address: string; readonly bits: number | null } {
  const [address = "", bits, ...rest] = name.split("/");
  if (rest.length > 0) return { address: "", bits: null };
  return { address, bits: bits === undefined ? null : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN };
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 4 ? "ipv4" : "ipv6";
}

/** Hops that are looked at; the rest of a longer list is hearsay. */
const MAX_HOPS = 32;

export function originOf(request: IncomingMessage, proxies: TrustedProxies | null): ConnectionOrigin {
  const { remoteAddress, remotePort } = request.socket;
  if (remoteAddress === undefined || remotePort === undefined) return { transport: "unix", from: null };
  const nearest = { transport: "websocket", from: formatSocketAddress(remoteAddress, remotePort) } as const;
  if (proxies === null || !proxies.check(remoteAddress, familyOf(remoteAddress))) return nearest;
  const hops = request.headersDistinct["x-forwarded-for"]?.join(",").split(",").slice(-MAX_HOPS) ?? [];
  const from = nearestStranger(
    hops.map((hop) => hop.trim()),
    proxies,
  );
  if (from === null) return nearest;
  const proto = request.headers["x-forwarded-proto"];
  const scheme = /^(?:https?|wss?)$/i.exec(typeof proto === "string" ? proto.trim() : "")?.[0];
  return { ...nearest, from, through: nearest.from, ...(scheme === undefined ? {} : { scheme }) };
}

/** Each proxy adds who called it behind the others; only what a trusted one has added counts. */
function nearestStranger(hops: readonly string[], proxies: TrustedProxies): string | null {
  let known: string | null = null;
  for (const hop of hops.toReversed()) {
    if (isIP(hop) === 0) return known;
    known = hop;
    if (!proxies.check(hop, familyOf(hop))) return known;
  }
  return known;
}
