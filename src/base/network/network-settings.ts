/** Network settings from environment variables: proxies and trusted certificates. */
import { BlockList, isIP } from "node:net";
import type { Environment } from "../environment.ts";

export interface NetworkSettings {
  /** How a URL is reached. */
  routeTo(url: URL): RouteChoice;
  /** Certificates that are trusted in addition to those of Node. */
  readonly caFile: CaFile | null;
}

export type RouteChoice =
  | { readonly kind: "direct" }
  | { readonly kind: "proxy"; readonly proxy: ProxyAddress }
  /** A variable names an unusable proxy. Requests fail instead of bypassing it. */
  | { readonly kind: "fault"; readonly message: string };

export interface ProxyAddress {
  readonly isSecure: boolean;
  readonly hostname: string;
  readonly port: number;
  /** The value of the `proxy-authorization` header. */
  readonly authorization: string | null;
  /** The URL without user and password. */
  readonly displayUrl: string;
}

export interface CaFile {
  readonly path: string;
  /** The variable that names it. */
  readonly variable: string;
  /** NODE_EXTRA_CA_CERTS, which Node ignores once it is given an explicit list of certificates. */
  readonly nodeExtra: string | null;
}

/** Null if no variable is set, which is the usual case. */
export function readNetworkSettings(env: Environment): NetworkSettings | null {
  const proxies = {
    "http:": firstSet(env, "http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"),
    "https:": firstSet(env, "https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"),
  };
  const ca = firstSet(env, "CODEX_CA_CERTIFICATE", "SSL_CERT_FILE");
  if (proxies["http:"] === null && proxies["https:"] === null && ca === null) return null;

  const isExempt = createExemptions(firstSet(env, "no_proxy", "NO_PROXY")?.value ?? "");
  return {
    routeTo(url) {
      const named = proxies[url.protocol === "https:" ? "https:" : "http:"];
      if (named === null || isExempt(url)) return { kind: "direct" };
      return readProxy(named);
    },
    caFile:
      ca === null
        ? null
        : { path: ca.value, variable: ca.variable, nodeExtra: env["NODE_EXTRA_CA_CERTS"] || null },
  };
}

interface Variable {
  readonly variable: string;
  readonly value: string;
}

function firstSet(env: Environment, ...names: readonly string[]): Variable | null {
  for (const variable of names) {
    const value = env[variable]?.trim() ?? "";
    if (value !== "") return { variable, value };
  }
  return null;
}

/** Messages never contain the value, which may hold a password. */
function readProxy({ variable, value }: Variable): RouteChoice {
  const text = value.includes("://") ? value : `http://${value}`;
  if (!URL.canParse(text))
    return { kind: "fault", message: `${variable} does not hold the address of a proxy` };
  const { protocol, hostname, port, username, password } = new URL(text);
  if (protocol !== "http:" && protocol !== "https:") {
    const message = `${variable} names a ${protocol.slice(0, -1)} proxy, and only http and https proxies can be used`;
    return { kind: "fault", message };
  }
  const isSecure = protocol === "https:";
  const login = `${decoded(username)}:${decoded(password)}`;
  const proxy = {
    isSecure,
    hostname: withoutBrackets(hostname),
    port: port === "" ? (isSecure ? 443 : 80) : Number(port),
    authorization: login === ":" ? null : `Basic ${Buffer.from(login).toString("base64")}`,
    displayUrl: `${protocol}//${hostname}${port === "" ? "" : `:${port}`}`,
  };
  return { kind: "proxy", proxy };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

type Exemption = (host: string, port: string) => boolean;

/** Parses NO_PROXY: `*`, or domains with their subdomains, addresses and subnets, each with an optional port. */
function createExemptions(list: string): (url: URL) => boolean {
  const exemptions = list
    .split(/[\s,]+/)
    .filter((entry) => entry !== "")
    .map(toExemption);
  return ({ protocol, hostname, port }) => {
    const host = withoutBrackets(hostname);
    const actual = port === "" ? (protocol === "https:" ? "443" : "80") : port;
    return exemptions.some((isExempt) => isExempt(host, actual));
  };
}

function toExemption(entry: string): Exemption {
  if (entry === "*") return () => true;
  const subnet = toSubnet(entry);
  if (subnet !== null) return (host) => isIP(host) !== 0 && subnet.check(host, familyOf(host));
  const [, name = entry, port] = /^(.*):(\d+)$/.exec(entry) ?? [];
  const domain = withoutBrackets(name.replace(/^\*?\./, "").toLowerCase());
  return (host, actual) =>
    (port === undefined || port === actual) && (host === domain || host.endsWith(`.${domain}`));
}

function toSubnet(entry: string): BlockList | null {
  const [address = "", prefix] = entry.split("/");
  const list = new BlockList();
  const family = isIP(address);
  const bits = prefix === undefined ? (family === 6 ? 128 : 32) : Number(prefix);
  if (family === 0 || !Number.isInteger(bits) || bits < 0 || bits > (family === 6 ? 128 : 32)) return null;
  list.addSubnet(address, bits, familyOf(address));
  return list;
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIP(address) === 6 ? "ipv6" : "ipv4";
}

function withoutBrackets(host: string): string {
  return host.replace(/^\[(.*)\]$/, "$1");
}
