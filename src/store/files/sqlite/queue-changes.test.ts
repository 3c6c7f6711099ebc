import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createFakeClock } from "../../../base/fake-clock.fixture.ts";
import { type Connection, openConnection } from "./connection.ts";
import { createQueueChanges } from "./queue-changes.ts";

function openWatched() {
  const folder = mkdtempSync(join(tmpdir(), "heddle-queue-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const open = (): Connection => {
    const connection = openConnection(join(folder, "heddle.sqlite"));
    onTestFinished(() => connection.close());
    return connection;
  };
  const own = open();
  const asked: string[] = [];
  const clock = createFakeClock();
  const changes = createQueueChanges(
    {
      get epoch() {
        return own.epoch;
      },
      prepare(sql) {
        asked.push(sql);
        return own.prepare(sql);
      },
    },
    "me",
    clock,
  );
  return { clock, asked, changes, own, other: open() };
}

const ROW = `INSERT INTO queue_rows (thread_id, row_id, bytes, position, state, created_at_ms, updated_at_ms)
  VALUES (?, 'a', 2, 1, 'pending', 1, 1)`;
const CHANGE = "INSERT INTO queue_changes (number, thread_id, owner) VALUES (?, ?, ?)";

test("while nobody else writes, a watcher asks for nothing but a counter", () => {
  const { clock, asked, changes, own, other } = openWatched();
  onTestFinished(changes.watch(() => {}));
  own.write(() => changes.note("mine"));
  asked.length = 0;
  clock.advance(10_000);
  expect([asked.length, [...new Set(asked)]]).toEqual([50, ["PRAGMA data_version"]]);
  asked.length = 0;
  other.prepare(CHANGE).run(7, "theirs", "you");
  clock.advance(10_000);
  expect(new Set(asked).size).toBeGreaterThan(1);
  expect(asked.filter((sql) => sql !== "PRAGMA data_version").length).toBeLessThan(3);
});

test("all watchers of a process hear the same, and nothing is looked at when the last one has gone", () => {
  const { clock, changes, other } = openWatched();
  const heard: string[] = [];
  const stops = ["a", "b"].map((name) => changes.watch((threadId) => heard.push(`${name} ${threadId}`)));
  other.prepare(CHANGE).run(1, "x", "you");
  clock.advance(200);
  expect(heard).toEqual(["a x", "b x"]);
  stops[0]?.();
  stops[0]?.();
  other.prepare(CHANGE).run(2, "y", "you");
  clock.advance(200);
  expect([heard.slice(2), clock.waiting.length]).toEqual([["b y"], 1]);
  stops[1]?.();
  expect(clock.waiting).toEqual([]);
  changes.watch(() => {});
  changes.close();
  expect(clock.waiting).toEqual([]);
});

test("a watcher that has missed entries hears of every thread with rows", () => {
  const { clock, changes, other } = openWatched();
  const heard: string[] = [];
  onTestFinished(changes.watch((threadId) => heard.push(threadId)));
  for (const threadId of ["a", "b"]) other.prepare(ROW).run(threadId);
  other.prepare(CHANGE).run(5, "b", "you");
  clock.advance(200);
  expect(heard).toEqual(["a", "b"]);
});

test("old entries go", () => {
  const { changes, own } = openWatched();
  for (const number of [1, 10_000, 10_001, 19_999]) own.prepare(CHANGE).run(number, "a", "me");
  own.write(() => changes.note("a"));
  const left = own.prepare("SELECT number FROM queue_changes").all() as { readonly number: number }[];
  expect(left.map(({ number }) => number)).toEqual([10_001, 19_999, 20_000]);
});

for (const when of ["first", "for a while"])
  test(`a database that cannot be read ${when} is looked at again`, () => {
    const { clock, changes, other } = openWatched();
    const heard: string[] = [];
    const watch = () => onTestFinished(changes.watch((threadId) => heard.push(threadId)));
    if (when !== "first") watch();
    other.prepare("ALTER TABLE queue_changes RENAME TO elsewhere").run();
    if (when === "first") watch();
    clock.advance(200);
    other.prepare("ALTER TABLE elsewhere RENAME TO queue_changes").run();
    other.prepare(ROW).run("a");
    other.prepare(CHANGE).run(1, "a", "you");
    clock.advance(200);
    expect(heard).toEqual(["a"]);
  });
