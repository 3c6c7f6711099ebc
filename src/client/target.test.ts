import { expect, onTestFinished, test, vi } from "vitest";
import { type ConnectTarget, displayAddress, resolveTarget } from "./target.ts";

test.each<[string, ConnectTarget]>([
  ["an address", "ws://a"],
  ["a function", () => "ws://a"],
  ["one that has to ask", async () => "ws://a"],
])("is %s", async (_, target) => {
  expect(await resolveTarget(target)).toBe("ws://a");
});

test.each<[string, () => unknown, RegExp]>([
  ["fails", () => Promise.reject(new Error("no backend")), /to connect to failed: no backend/u],
  [
    "throws",
    () => {
      throw new Error("no backend");
    },
    /to connect to failed: no backend/u,
  ],
  ["returns nothing", () => undefined, /to connect to failed: it is undefined, not a string/u],
  ["tells null", async () => null, /it is null/u],
])(
  "a function that %s is a connection that is refused, and may be tried again",
  async (_, target, message) => {
    await expect(resolveTarget(target as ConnectTarget)).rejects.toMatchObject({
      name: "ConnectionError",
      kind: "refused",
      status: null,
      message: expect.stringMatching(message) as string,
    });
  },
);

test("a function that never answers is given up", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const told = resolveTarget(() => new Promise(() => {})).catch(String);
  await vi.advanceTimersByTimeAsync(30_000);
  expect(await told).toContain("nothing came within 30 s");
});

test.each([
  ["wss://h/?ticket=secret", "wss://h/"],
  ["wss://h/a#ticket", "wss://h/a"],
  ["ws://h?a=1\n2", "ws://h"],
  ["unix:///run/h.sock", "unix:///run/h.sock"],
])("messages name %j as %s", (target, name) => {
  expect(displayAddress(target)).toBe(name);
});
