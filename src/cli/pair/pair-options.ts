/** Reads the options of `heddle pair`. */
import { networkInterfaces } from "node:os";
import { parseScopes, scopeMeanings, scopes } from "../../protocol/access/scopes.ts";
import { DEFAULT_PAIR_SCOPES } from "../../runtime/access/pair-codes.ts";
import type { PairGrant } from "../../store/devices.ts";
import type { OptionSpec, ParsedArguments } from "../command-line/command.ts";

const DEFAULT_PORT = 4510;
const UNITS: Readonly<Record<string, number>> = { h: 3_600_000, d: 24 * 3_600_000 };

export const pairOptions: readonly OptionSpec[] = [
  {
    name: "scope",
    value: "SCOPES",
    help: `What the device may do: ${scopes.join(", ")}, separated by commas (default ${DEFAULT_PAIR_SCOPES.join(",")})`,
    validate: (list) => (parseScopes(list) === null ? `expected some of ${scopes.join(", ")}` : null),
  },
  { name: "name", value: "NAME", help: "The name of the device in lists (default: device)" },
  { name: "subject", value: "NAME", help: "The person who uses it, as decisions record it" },
  {
    name: "expires",
    value: "TIME",
    help: "How long it stays paired, as 12h or 30d (default: until it is revoked)",
    validate: (text) => (parseLifetime(text) === null ? "expected hours or days, as 12h or 30d" : null),
  },
  {
    name: "url",
    value: "URL",
    help: `The address under which the device reaches heddle serve (default: this machine, port ${DEFAULT_PORT})`,
    validate: (url) =>
      /^https?:\/\/[^\s/?#@]+\/?$/iu.test(url) ? null : "expected an address such as https://heddle.example",
  },
];

export const SCOPE_DETAILS = scopes.map((scope) => `${scope}: ${scopeMeanings[scope]}`).join(" ");

export function readGrant(args: ParsedArguments): PairGrant {
  const expires = args.value("expires");
  return {
    name: args.value("name") ?? "device",
    subject: args.value("subject") ?? null,
    scopes: [...(parseScopes(args.value("scope") ?? "") ?? DEFAULT_PAIR_SCOPES)],
    lifetimeMs: expires === undefined ? null : parseLifetime(expires),
  };
}

function parseLifetime(text: string): number | null {
  const [, amount, unit = ""] = /^([1-9]\d{0,3})([hd])$/u.exec(text) ?? [];
  return amount === undefined ? null : Number(amount) * (UNITS[unit] ?? 0);
}

/** Without a slash at its end. */
export function readAddress(args: ParsedArguments): string {
  const given = args.value("url");
  return given === undefined ? `http://${ownAddress()}:${DEFAULT_PORT}` : given.replace(/\/$/u, "");
}

/** An address of this machine in its network, or that of loopback. */
function ownAddress(): string {
  const all = Object.values(networkInterfaces()).flat();
  return all.find((one) => one?.family === "IPv4" && !one.internal)?.address ?? "127.0.0.1";
}

/** A note about addresses without TLS; null for addresses where browsers allow everything. */
export function noteAbout(address: string): string | null {
  const { protocol, hostname } = new URL(address);
  if (protocol === "https:") return null;
  if (/^(?:127\.|\[::1\]$|localhost$)/u.test(hostname) || hostname.endsWith(".localhost"))
    return "this address is that of this machine only; other devices need --url.";
  return [
    "without TLS, browsers allow no notifications and no installation, and others in the network can read along.",
    "Start heddle serve with --tls-cert and --tls-key, or put a proxy or a tunnel with a certificate before it, and name",
    "its address with --url https://…; docs/connecting.md says how.",
  ].join("\n");
}
