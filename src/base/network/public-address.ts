/** Which addresses belong to the public internet, and look-ups that return no others. */
import { lookup as systemLookup } from "node:dns";
import { BlockList, isIP, type LookupFunction } from "node:net";

/** Loopback, private, link-local, shared, reserved and multicast networks. */
const NOT_PUBLIC = [
  "0.0.0.0/8",
  "10.0.0.0/8",
  "100.64.0.0/10",
  "127.0.0.0/8",
  "169.254.0.0/16",
  "172.16.0.0/12",
  "192.0.0.0/24",
  "192.0.2.0/24",
  "192.88.99.0/24",
  "192.168.0.0/16",
  "198.18.0.0/15",
  "198.51.100.0/24",
  "203.0.113.0/24",
  "224.0.0.0/4",
  "240.0.0.0/4",
  "100::/64",
  "2001::/23",
  "2001:db8::/32",
] as const;
/** All public addresses of IPv6 are in here. */
const GLOBAL_UNICAST = "2000::/3";

/** IPv6 networks whose addresses contain one of IPv4, and the place of its two groups. */
const EMBEDDING: readonly { readonly network: string; readonly at: number }[] = [
  { network: "::/96", at: 6 },
  { network: "::ffff:0:0/96", at: 6 },
  { network: "64:ff9b::/96", at: 6 },
  { network: "2002::/16", at: 1 },
];

const notPublic = listOf(...NOT_PUBLIC);
const globalUnicast = listOf(GLOBAL_UNICAST);
const embedding = EMBEDDING.map(({ network, at }) => ({ list: listOf(network), at }));

function listOf(...networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    list.addSubnet(address, Number(bits), address.includes(":") ? "ipv6" : "ipv4");
  }
  return list;
}

/** Whether an address, without brackets, can only belong to the public internet. False for what is no address. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 4) return !notPublic.check(address, "ipv4");
  // A zone names an interface of this machine.
  if (family !== 6 || address.includes("%")) return false;
  const found = embedding.find(({ list }) => list.check(address, "ipv6"));
  if (found !== undefined) return isPublicAddress(embeddedIn(address, found.at));
  return globalUnicast.check(address, "ipv6") && !notPublic.check(address, "ipv6");
}

/** URLs have one form of each IPv6 address, in which all groups are hexadecimal. */
function embeddedIn(address: string, at: number): string {
  const canonical = new URL(`http://[${address}]/`).hostname.slice(1, -1);
  const [head = "", tail] = canonical.split("::");
  const groupsOf = (part: string) => (part === "" ? [] : part.split(":"));
  const after = tail === undefined ? [] : groupsOf(tail);
  const before = groupsOf(head);
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => "0");
  const groups = [...before, ...(tail === undefined ? [] : zeros), ...after].map((group) =>
    Number.parseInt(group, 16),
  );
  const [high = 0, low = 0] = groups.slice(at, at + 2);
  return [high >> 8, high & 0xff, low >> 8, low & 0xff].join(".");
}

/** A connection would lead to an address that is not public. */
export class PrivateAddressError extends Error {
  override readonly name = "PrivateAddressError";
}

/** Null for a host name, whose addresses a look-up checks. */
export function refusePrivateHost(hostname: string): PrivateAddressError | null {
  const host = hostname.replace(/^\[(.*)\]$/u, "$1").replace(/\.$/u, "");
  const isLocalName = /(?:^|\.)localhost$/iu.test(host);
  if (!isLocalName && (isIP(host) === 0 || isPublicAddress(host))) return null;
  return new PrivateAddressError(`${host} is not a public address`);
}

/**
 * A look-up that fails if any address of the name is not public. A connection goes to an address that its own look-up has
 * returned, so that a name cannot change its address after the check.
 */
export function createPublicLookup(lookup: LookupFunction = systemLookup): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, options, (error, found, family) => {
      const addresses = Array.isArray(found) ? found.map(({ address }) => address) : [found];
      const hidden = error === null ? addresses.find((address) => !isPublicAddress(address)) : undefined;
      if (hidden === undefined) callback(error, found, family);
      else
        callback(
          new PrivateAddressError(`${hostname} leads to ${hidden}, which is not a public address`),
          "",
        );
    });
  };
}
