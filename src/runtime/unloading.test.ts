import { expect, test } from "vitest";
import { createFakeClock } from "../base/fake-clock.fixture.ts";
import { silentLogger } from "../base/logger.ts";
import type { Engine } from "../engine/engine.ts";
import { createUnloading } from "./unloading.ts";

const HALF_AN_HOUR = 30 * 60_000;

/** An engine of which only what matters here is real: which threads there are, and whether one is busy. */
function open(idleMs = HALF_AN_HOUR) {
  const clock = createFakeClock();
  const needed = new Set<string>();
  const busy = new Set<string>();
  const loaded = new Set(["a", "b"]);
  const unloaded: string[] = [];
  const engine = {
    find: (id: string) => (loaded.has(id) ? { activeTurnId: busy.has(id) ? "turn" : null } : undefined),
  } as unknown as Engine;
  const threads = {
    async unload(id: string) {
      loaded.delete(id);
      unloaded.push(id);
    },
  };
  const followers = new Map<string, Set<object>>();
  const subscriptions = {
    of: (id: string) => followers.get(id) ?? new Set(),
    add(id: string, client: object) {
      followers.set(id, new Set([...(followers.get(id) ?? []), client]));
      unloading.changed(id);
    },
    remove(id: string, client: object) {
      followers.get(id)?.delete(client);
      unloading.changed(id);
    },
    drop(client: object) {
      for (const id of followers.keys()) if (followers.get(id)?.has(client)) this.remove(id, client);
    },
  };
  const unloading = createUnloading({
    engine,
    threads,
    subscriptions,
    clock,
    log: silentLogger,
    idleMs: () => idleMs,
    mayLeaveTurn: () => false,
    isNeeded: (id) => needed.has(id),
  });
  const connection = {};
  return { clock, needed, busy, unloaded, subscriptions, unloading, connection };
}

test("a thread that nobody hears of is unloaded after half an hour", () => {
  const { clock, unloading, unloaded } = open();
  unloading.changed("a");
  clock.advance(HALF_AN_HOUR - 1);
  expect(unloaded).toEqual([]);
  clock.advance(1);
  expect([unloaded, clock.waiting]).toEqual([["a"], []]);
});

test.each([HALF_AN_HOUR, 0])("a thread that is needed stays until it is not, with %d ms", (idleMs) => {
  const { clock, needed, unloading, unloaded } = open(idleMs);
  needed.add("a");
  unloading.changed("a");
  clock.advance(10 * HALF_AN_HOUR);
  expect([unloaded, clock.waiting.length]).toEqual([[], 1]);
  needed.delete("a");
  clock.advance(HALF_AN_HOUR);
  expect([unloaded, clock.waiting]).toEqual([["a"], []]);
});

test("a thread that somebody hears of stays", () => {
  const { clock, subscriptions, connection, unloaded } = open();
  subscriptions.add("a", connection);
  clock.advance(10 * HALF_AN_HOUR);
  expect([unloaded, clock.waiting]).toEqual([[], []]);
});

test("the time begins when the last client has gone", () => {
  const { clock, subscriptions, connection, unloaded } = open();
  subscriptions.add("a", connection);
  clock.advance(HALF_AN_HOUR);
  subscriptions.drop(connection);
  clock.advance(HALF_AN_HOUR - 1);
  expect(unloaded).toEqual([]);
  clock.advance(1);
  expect(unloaded).toEqual(["a"]);
});

test("a client that comes in time keeps the thread", () => {
  const { clock, unloading, subscriptions, connection, unloaded } = open();
  unloading.changed("a");
  clock.advance(HALF_AN_HOUR - 1);
  subscriptions.add("a", connection);
  clock.advance(HALF_AN_HOUR);
  expect(unloaded).toEqual([]);
});

test("a busy thread stays, and its time begins at the end of its turn", () => {
  const { clock, busy, unloading, unloaded } = open();
  unloading.changed("a");
  busy.add("a");
  unloading.changed("a");
  clock.advance(2 * HALF_AN_HOUR);
  expect(unloaded).toEqual([]);
  busy.delete("a");
  unloading.changed("a");
  clock.advance(HALF_AN_HOUR);
  expect(unloaded).toEqual(["a"]);
});

test("every change begins the time anew, for its own thread only", () => {
  const { clock, unloading, unloaded } = open();
  unloading.changed("a");
  unloading.changed("b");
  clock.advance(HALF_AN_HOUR - 1);
  unloading.changed("a");
  clock.advance(1);
  expect([unloaded, clock.waiting]).toEqual([["b"], [HALF_AN_HOUR]]);
});

test("nothing is unloaded that is not loaded, or once the server closes", () => {
  const { clock, unloading, unloaded } = open();
  unloading.changed("unknown");
  unloading.changed("a");
  unloading.close();
  clock.advance(HALF_AN_HOUR);
  expect([unloaded, clock.waiting]).toEqual([[], []]);
});
