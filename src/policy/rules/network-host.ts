import type { NetworkProtocol } from "./rule-set.ts";

const PROTOCOLS: Readonly<Record<string, NetworkProtocol>> = {
  http: "http",
  https: "https",
  https_connect: "https",
  "http-connect": "https",
  socks5_tcp: "socks5_tcp",
  socks5_udp: "socks5_udp",
};

export type Read<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string };

export function readProtocol(text: string): Read<NetworkProtocol> {
  const value = Object.hasOwn(PROTOCOLS, text) ? PROTOCOLS[text] : undefined;
  if (value !== undefined) return { ok: true, value };
  return no(`network_rule protocol must be one of http, https, socks5_tcp, socks5_udp (got ${text})`);
}

/** One host name or address, in lower case and without a port. */
export function readHost(text: string): Read<string> {
  const trimmed = text.trim();
  if (trimmed === "") return no("network_rule host cannot be empty");
  if (/[/?#]/.test(trimmed))
    return no("network_rule host must be a hostname or IP literal (without scheme or path)");
  const bare = withoutPort(trimmed, text);
  if (!bare.ok) return bare;
  const host = withoutEndDots(bare.value).trim().toLowerCase();
  if (host === "") return no("network_rule host cannot be empty");
  if (host.includes("*")) return no("network_rule host must be a specific host; wildcards are not allowed");
  if (/\s/.test(host)) return no("network_rule host cannot contain whitespace");
  return { ok: true, value: host };
}

function withoutEndDots(host: string): string {
  let end = host.length;
  while (host.charAt(end - 1) === ".") end -= 1;
  return host.slice(0, end);
}

function withoutPort(host: string, raw: string): Read<string> {
  if (!host.startsWith("[")) return { ok: true, value: host.replace(/^([^:]+):\d+$/, "$1") };
  const [, inside, rest] = /^\[([^\]]*)\](.*)$/s.exec(host) ?? [];
  if (inside === undefined) return no("network_rule host has an invalid bracketed IPv6 literal");
  if (rest !== "" && !/^:\d+$/.test(rest ?? ""))
    return no(`network_rule host contains an unsupported suffix: ${raw}`);
  return { ok: true, value: inside };
}

function no(message: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message };
}
