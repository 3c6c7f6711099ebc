import { expect, test } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { silentLogger } from "../../base/logger.ts";
import type { ClientConnection } from "./client-connection.ts";
import { createCoalescedNotices, NOTICE_EVERY_MS } from "./coalesced-notices.ts";

function connect(name: string) {
  const backlog = { behind: false };
  const connection = { name, backlog: { isBehind: () => backlog.behind } };
  return { backlog, connection: connection as unknown as ClientConnection };
}

function open() {
  const clock = createFakeClock(0);
  const values = new Map<string, number>();
  const sent: string[] = [];
  const observed: string[] = [];
  const notices = createCoalescedNotices<string>({
    clock,
    log: silentLogger,
    read: async (key) => (values.has(key) ? `${key}=${values.get(key)}` : null),
    send: (connections, state) =>
      void sent.push(
        `${connections.map((each) => (each as unknown as { name: string }).name).join()}: ${state}`,
      ),
    observe() {
      observed.push("begins");
      return () => void observed.push("ends");
    },
  });
  async function pass(ms = NOTICE_EVERY_MS): Promise<void> {
    clock.advance(ms);
    for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
  }
  return { notices, values, sent, observed, pass };
}

test("many changes of one thing are one notification, with its latest state", async () => {
  const { notices, values, sent, pass } = open();
  notices.add(connect("a").connection);
  for (const value of [1, 2, 3]) {
    values.set("x", value);
    notices.touch("x");
  }
  values.set("y", 9);
  notices.touch("y");
  notices.touch("gone");
  await pass();
  expect(sent).toEqual(["a: x=3", "a: y=9"]);
  await pass(10 * NOTICE_EVERY_MS);
  expect(sent).toHaveLength(2);
});

test("a slow client delays nobody, and receives the latest state when it has caught up", async () => {
  const { notices, values, sent, pass } = open();
  const [fast, slow] = [connect("fast"), connect("slow")];
  notices.add(fast.connection);
  notices.add(slow.connection);
  slow.backlog.behind = true;
  for (const value of [1, 2, 3]) {
    values.set("x", value);
    notices.touch("x");
    await pass();
  }
  expect(sent).toEqual(["fast: x=1", "fast: x=2", "fast: x=3"]);
  slow.backlog.behind = false;
  await pass();
  expect(sent.slice(3)).toEqual(["slow: x=3"]);
});

test("nothing is observed before somebody asks and after the last has gone", async () => {
  const { notices, values, sent, observed, pass } = open();
  const [one, other] = [connect("one").connection, connect("other").connection];
  notices.remove(one);
  expect(observed).toEqual([]);
  notices.add(one);
  notices.add(other);
  notices.remove(one);
  values.set("x", 1);
  notices.touch("x");
  notices.remove(other);
  await pass();
  expect(observed).toEqual(["begins", "ends"]);
  expect(sent).toEqual([]);
});
