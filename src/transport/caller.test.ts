import type { IncomingMessage } from "node:http";
import { describe, expect, test } from "vitest";
import { createTrustedProxies, originOf, refuseProxy } from "./caller.ts";

function requestFrom(remoteAddress: string | undefined, forwarded: readonly string[] = [], proto?: string) {
  return {
    socket: { remoteAddress, remotePort: remoteAddress === undefined ? undefined : 5 },
    headers: proto === undefined ? {} : { "x-forwarded-proto": proto },
    headersDistinct: forwarded.length === 0 ? {} : { "x-forwarded-for": forwarded },
  } as unknown as IncomingMessage;
}

const PROXIES = createTrustedProxies(["127.0.0.1", "10.0.0.0/8", "fd00::/8"]);
const BAD = "junk";

describe("the origin of a caller", () => {
  test.each<[string, string, readonly string[], string]>([
    ["a stranger is believed nothing", "9.9.9.9", ["1.1.1.1"], "9.9.9.9:5"],
    ["a proxy that names nobody", "127.0.0.1", [], "127.0.0.1:5"],
    ["a proxy is believed", "127.0.0.1", ["1.1.1.1"], "1.1.1.1"],
    ["what a caller has made up before a proxy is not", "127.0.0.1", ["6.6.6.6, 1.1.1.1"], "1.1.1.1"],
    ["several proxies, in one header or two", "127.0.0.1", ["1.1.1.1", "10.1.1.1"], "1.1.1.1"],
    ["only proxies", "127.0.0.1", ["10.2.2.2, 10.1.1.1"], "10.2.2.2"],
    ["no address", "127.0.0.1", [BAD], "127.0.0.1:5"],
    ["no address behind one", "127.0.0.1", [`${BAD}, 10.1.1.1`], "10.1.1.1"],
    ["IPv6", "fd00::1", ["2001:db8::1"], "2001:db8::1"],
    ["IPv4 as IPv6", "::ffff:127.0.0.1", ["1.1.1.1"], "1.1.1.1"],
    ["very many", "127.0.0.1", [`${"10.1.1.1,".repeat(2000)}10.1.1.2`], "10.1.1.1"],
  ])("%s", (_, address, forwarded, from) => {
    expect(originOf(requestFrom(address, forwarded), PROXIES).from).toBe(from);
  });

  test("contains the proxy and a known scheme only", () => {
    const told = { transport: "websocket", from: "1.1.1.1", through: "127.0.0.1:5" };
    const ask = (proto: string) => originOf(requestFrom("127.0.0.1", ["1.1.1.1"], proto), PROXIES);
    expect([ask("https"), ask("evil\nline")]).toEqual([{ ...told, scheme: "https" }, told]);
  });

  test("has no address for a unix socket", () => {
    expect(originOf(requestFrom(undefined), null)).toEqual({ transport: "unix", from: null });
  });
});

test.each([
  ["10.0.0.0/8", null],
  ["::1", null],
  ["fd00::/8", null],
  ["10.0.0.0/33", "a subnet has from 0 to 32 bits"],
  ["10.0.0.0/", "a subnet has from 0 to 32 bits"],
  ["10.0.0.0/8/8", "not an address, nor a subnet such as 10.0.0.0/8"],
  ["proxy.example", "not an address, nor a subnet such as 10.0.0.0/8"],
])("the proxy %s: %s", (name, expected) => {
  expect(refuseProxy(name)).toBe(expected);
});
