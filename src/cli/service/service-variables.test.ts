import fc from "fast-check";
import { expect, test } from "vitest";
import { takeServiceVariables } from "./service-variables.ts";

const PID = 4711;
const OWN = { LISTEN_PID: `${PID}` };

test.each<[string, Record<string, string>, number[], string[]]>([
  ["nothing", {}, [], []],
  ["one socket", { ...OWN, LISTEN_FDS: "1", LISTEN_FDNAMES: "heddle.socket" }, [3], ["heddle.socket"]],
  ["several", { ...OWN, LISTEN_FDS: "3", LISTEN_FDNAMES: "a:b:notify" }, [3, 4, 5], ["a", "b", "notify"]],
  ["more than are named", { ...OWN, LISTEN_FDS: "2", LISTEN_FDNAMES: "a" }, [3, 4], ["a", ""]],
  ["fewer than are named", { ...OWN, LISTEN_FDS: "1", LISTEN_FDNAMES: "a:b" }, [3], ["a"]],
  ["no names", { ...OWN, LISTEN_FDS: "1" }, [3], [""]],
  ["none", { ...OWN, LISTEN_FDS: "0" }, [], []],
  ["those of another process", { LISTEN_PID: "1", LISTEN_FDS: "1" }, [], []],
  ["those of nobody", { LISTEN_FDS: "1" }, [], []],
  ["what another process cannot count either", { LISTEN_PID: "1", LISTEN_FDS: "1000000" }, [], []],
])("files that are handed over: %s", (_, env, files, names) => {
  const { descriptors } = takeServiceVariables({ ...env }, PID);
  expect(descriptors.map(({ fd }) => fd)).toEqual(files);
  expect(descriptors.map(({ name }) => name)).toEqual(names);
});

test.each(["1000000", "65", "-1", "1.5", "0x3", "many", "", "1e1"])("LISTEN_FDS=%s is refused", (count) => {
  const env = { ...OWN, LISTEN_FDS: count, LISTEN_FDNAMES: "a" };
  expect(() => takeServiceVariables(env, PID)).toThrow(/^LISTEN_FDS is ".*": up to 64 sockets can be taken/u);
  expect(env).toEqual({});
});

test.each<[Record<string, string>, number | null]>([
  [{}, null],
  [{ WATCHDOG_USEC: "30000000" }, 30_000],
  [{ WATCHDOG_USEC: "30000000", WATCHDOG_PID: `${PID}` }, 30_000],
  [{ WATCHDOG_USEC: "30000000", WATCHDOG_PID: "1" }, null],
  [{ WATCHDOG_USEC: "0" }, null],
  [{ WATCHDOG_USEC: "soon" }, null],
  [{ WATCHDOG_USEC: "9".repeat(400) }, null],
])("the watchdog of %j", (env, watchdogMs) => {
  expect(takeServiceVariables({ ...env }, PID).watchdogMs).toBe(watchdogMs);
});

test("an empty NOTIFY_SOCKET is none", () => {
  expect(takeServiceVariables({ NOTIFY_SOCKET: "" }, PID).notifySocket).toBeNull();
  expect(takeServiceVariables({ NOTIFY_SOCKET: "@a" }, PID).notifySocket).toBe("@a");
});

test("whatever the manager says, no child hears it, and other variables stay", () => {
  const names = fc.constantFrom(
    "NOTIFY_SOCKET",
    "WATCHDOG_USEC",
    "WATCHDOG_PID",
    "LISTEN_FDS",
    "LISTEN_PID",
    "LISTEN_FDNAMES",
  );
  const values = fc.oneof(fc.string(), fc.integer().map(String), fc.constant(`${PID}`));
  fc.assert(
    fc.property(fc.dictionary(names, values), (given) => {
      const env: Record<string, string | undefined> = { ...given, PATH: "/bin" };
      try {
        const { descriptors } = takeServiceVariables(env, PID);
        expect(descriptors.length).toBeLessThanOrEqual(64);
      } catch (error) {
        expect(String(error)).toContain("LISTEN_FDS is");
      }
      expect(env).toEqual({ PATH: "/bin" });
    }),
  );
});
