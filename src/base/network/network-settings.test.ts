import { describe, expect, test } from "vitest";
import { readNetworkSettings } from "./network-settings.ts";

function routeTo(url: string, env: Record<string, string>): string {
  const route = readNetworkSettings(env)?.routeTo(new URL(url)) ?? { kind: "direct" as const };
  return route.kind === "proxy" ? route.proxy.displayUrl : route.kind === "fault" ? route.message : "direct";
}

const PROXY = "http://proxy.test:3128";

describe("proxies", () => {
  test("there are no settings without variables", () => {
    expect(readNetworkSettings({ PATH: "/bin", HTTPS_PROXY: "", NO_PROXY: "*" })).toBeNull();
  });

  test.each([
    ["HTTP_PROXY is for plain requests", "http://a.test/", { HTTP_PROXY: PROXY }, PROXY],
    ["and for no others", "https://a.test/", { HTTP_PROXY: PROXY }, "direct"],
    ["HTTPS_PROXY is for TLS", "https://a.test/", { HTTPS_PROXY: PROXY }, PROXY],
    ["ALL_PROXY is for both", "https://a.test/", { ALL_PROXY: PROXY }, PROXY],
    ["the special one wins", "https://a.test/", { ALL_PROXY: "http://b.test", HTTPS_PROXY: PROXY }, PROXY],
    ["lower case wins", "http://a.test/", { HTTP_PROXY: "http://b.test", http_proxy: PROXY }, PROXY],
    ["an empty one is none", "http://a.test/", { HTTP_PROXY: PROXY, http_proxy: " " }, PROXY],
    ["a scheme is not needed", "http://a.test/", { HTTP_PROXY: "proxy.test:3128" }, PROXY],
    ["passwords are not shown", "http://a.test/", { HTTP_PROXY: "http://me:secret@proxy.test:3128" }, PROXY],
  ])("%s", (_, url, env, expected) => {
    expect(routeTo(url, env)).toBe(expected);
  });

  test("user and password are percent-decoded", () => {
    const settings = readNetworkSettings({ HTTP_PROXY: "http://me%40work:p%3Ass@proxy.test" });
    const route = settings?.routeTo(new URL("http://a.test/"));
    const expected = `Basic ${Buffer.from("me@work:p:ss").toString("base64")}`;
    expect(route).toMatchObject({ kind: "proxy", proxy: { port: 80, authorization: expected } });
  });

  test("an unusable proxy is an error and is not bypassed", () => {
    expect(routeTo("https://a.test/", { ALL_PROXY: "socks5://me:secret@proxy.test" })).toBe(
      "ALL_PROXY names a socks5 proxy, and only http and https proxies can be used",
    );
    expect(routeTo("https://a.test/", { HTTPS_PROXY: "http://me:secret@:::/" })).toBe(
      "HTTPS_PROXY does not hold the address of a proxy",
    );
  });
});

describe("NO_PROXY", () => {
  test.each([
    ["*", "http://a.test/", true],
    ["a.test", "http://a.test/", true],
    ["A.Test", "http://a.test/", true],
    ["a.test", "http://b.a.test/", true],
    [".a.test", "http://b.a.test/", true],
    ["*.a.test", "http://b.a.test/", true],
    ["a.test", "http://ba.test/", false],
    ["b.test, a.test", "http://a.test/", true],
    ["b.test a.test", "http://a.test/", true],
    ["a.test:80", "http://a.test/", true],
    ["a.test:8080", "http://a.test/", false],
    ["10.0.0.0/8", "http://10.1.2.3/", true],
    ["10.0.0.0/8", "http://11.1.2.3/", false],
    ["10.0.0.0/99", "http://10.1.2.3/", false],
    ["127.0.0.1", "http://127.0.0.1:8000/", true],
    ["::1", "http://[::1]:8000/", true],
    ["[::1]:8000", "http://[::1]:8000/", true],
    ["fd00::/8", "http://[fd12::1]/", true],
    ["", "http://a.test/", false],
  ])("%s and %s", (list, url, isExempt) => {
    expect(routeTo(url, { HTTP_PROXY: PROXY, no_proxy: list })).toBe(isExempt ? "direct" : PROXY);
  });
});

test("CODEX_CA_CERTIFICATE takes precedence over SSL_CERT_FILE", () => {
  const env = { CODEX_CA_CERTIFICATE: "/a.pem", SSL_CERT_FILE: "/b.pem", NODE_EXTRA_CA_CERTS: "/c.pem" };
  expect(readNetworkSettings(env)?.caFile).toEqual({
    path: "/a.pem",
    variable: "CODEX_CA_CERTIFICATE",
    nodeExtra: "/c.pem",
  });
  expect(readNetworkSettings({ NODE_EXTRA_CA_CERTS: "/c.pem" })).toBeNull();
});
