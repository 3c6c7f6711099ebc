import { describe, expect, test } from "vitest";
import { formatSocketAddress, isLoopback, parseListenUrl } from "./listen-address.ts";

describe("parseListenUrl", () => {
  test.each([
    ["stdio://", { kind: "stdio" }],
    ["off", { kind: "off" }],
    ["unix://", { kind: "unix", path: null }],
    ["unix:///run/x.sock", { kind: "unix", path: "/run/x.sock" }],
    ["unix://x.sock", { kind: "unix", path: "/cwd/x.sock" }],
    ["ws://127.0.0.1:0", { kind: "websocket", host: "127.0.0.1", port: 0 }],
    ["ws://[::1]:4510", { kind: "websocket", host: "::1", port: 4510 }],
  ])("takes %s", (url, address) => {
    expect(parseListenUrl(url, "/cwd")).toEqual({ ok: true, address });
  });

  test.each([
    "ws://localhost:1",
    "ws://127.0.0.1",
    "ws://127.0.0.1:0/",
    "ws://::1:1",
    "ws://127.0.0.1:65536",
    "ws://:1",
  ])("refuses %s as a WebSocket address", (url) => {
    expect(parseListenUrl(url, "/cwd")).toEqual({
      ok: false,
      message: `invalid websocket --listen URL \`${url}\`; expected \`ws://IP:PORT\``,
    });
  });

  test.each(["foo", "http://x", "unix:x", ""])("refuses %j as a form", (url) => {
    expect(parseListenUrl(url, "/cwd")).toEqual({
      ok: false,
      message: `unsupported --listen URL \`${url}\`; expected \`stdio://\`, \`unix://\`, \`unix://PATH\`, \`ws://IP:PORT\`, or \`off\``,
    });
  });
});

test("loopback is recognized, and IPv6 is formatted in brackets", () => {
  expect(["127.0.0.1", "127.9.9.9", "::1", "::ffff:127.0.0.1"].every(isLoopback)).toBe(true);
  expect(
    ["0.0.0.0", "::", "10.0.0.1", "128.0.0.1", "127.example", "127.0.0.1.example"].some(isLoopback),
  ).toBe(false);
  expect([formatSocketAddress("::1", 1), formatSocketAddress("127.0.0.1", 2)]).toEqual([
    "[::1]:1",
    "127.0.0.1:2",
  ]);
});
