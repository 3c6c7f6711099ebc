import type { LookupAddress } from "node:dns";
import { connect, type LookupFunction } from "node:net";
import { describe, expect, test } from "vitest";
import { createPublicLookup, isPublicAddress, refusePrivateHost } from "./public-address.ts";

describe("an address", () => {
  test.each([
    "8.8.8.8",
    "172.15.0.1",
    "172.32.0.1",
    "2606:4700::1111",
    "::ffff:8.8.8.8",
    "64:ff9b::808:808",
    "2002:808:808::1",
  ])("is public: %s", (address) => expect(isPublicAddress(address)).toBe(true));

  test.each([
    "127.0.0.1",
    "127.255.255.254",
    "0.0.0.0",
    "10.1.2.3",
    "172.16.0.1",
    "172.31.255.255",
    "192.168.1.1",
    "169.254.169.254",
    "100.64.0.1",
    "224.0.0.1",
    "255.255.255.255",
    "::",
    "::1",
    "fe80::1",
    "fe80::1%eth0",
    "fc00::1",
    "fd12:3456::1",
    "ff02::1",
    "fec0::1",
    "::ffff:127.0.0.1",
    "::ffff:7f00:1",
    "::ffff:10.0.0.1",
    "::127.0.0.1",
    "64:ff9b::a00:1",
    "2002:7f00:1::",
    "2001:db8::1",
    "example.com",
    "",
  ])("is not public: %s", (address) => expect(isPublicAddress(address)).toBe(false));
});

test.each([
  ["[::ffff:127.0.0.1]", true],
  ["127.0.0.1", true],
  ["localhost", true],
  ["a.localhost.", true],
  ["example.com", false],
  ["8.8.8.8", false],
])("the host of a URL: %s", (host, isRefused) => expect(refusePrivateHost(host) !== null).toBe(isRefused));

test("a number that stands for an address is one after URL parsing", () => {
  expect(refusePrivateHost(new URL("https://2130706433/").hostname)).not.toBeNull();
  expect(refusePrivateHost(new URL("https://0x7f.1/").hostname)).not.toBeNull();
});

const resolvesTo =
  (...addresses: readonly string[]): LookupFunction =>
  (_hostname, { all }, callback) => {
    const found: LookupAddress[] = addresses.map((address) => ({
      address,
      family: address.includes(":") ? 6 : 4,
    }));
    if (all === true) callback(null, found);
    else callback(null, addresses[0] ?? "", 4);
  };

test("a connection to a name fails where any of its addresses is private", async () => {
  for (const found of [["127.0.0.1"], ["8.8.8.8", "10.0.0.1"], ["::ffff:127.0.0.1"]]) {
    const socket = connect({
      host: "rebinding.test",
      port: 9,
      lookup: createPublicLookup(resolvesTo(...found)),
    });
    const error = await new Promise<Error>((resolve) => {
      socket.once("error", resolve);
    });
    expect(error.message).toMatch(/^rebinding\.test leads to .*, which is not a public address$/);
  }
});

test("a look-up passes public addresses and errors on", () => {
  const got: unknown[] = [];
  const look = createPublicLookup(resolvesTo("8.8.8.8"));
  look("name.test", {}, (...values) => got.push(values));
  look("name.test", { all: true }, (...values) => got.push(values.slice(0, 2)));
  const failure = new Error("not found");
  createPublicLookup((_host, _options, callback) => callback(failure, ""))("name.test", {}, (error) =>
    got.push(error),
  );
  expect(got).toEqual([[null, "8.8.8.8", 4], [null, [{ address: "8.8.8.8", family: 4 }]], failure]);
});
