import { appendFileSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../base/clock.ts";
import { silentLogger } from "../../../base/logger.ts";
import { createFinishedThread, turnLines } from "../../contract/store-harness.fixture.ts";
import type { LineBody } from "../../lines/line.ts";
import { sessionIndexPath } from "../index/session-index.ts";
import { fileText, meta } from "../rollout/rollout.fixture.ts";
import { rolloutPath } from "../rollout/rollout-name.ts";
import type { FileThreadStore } from "./file-thread-store.ts";
import { createHistoryHarness, type HistoryHarness, START, sqliteIndex } from "./history.fixture.ts";

/** Adds a file with an invalid first line, followed by further lines. */
function put(
  { home }: HistoryHarness,
  threadId: string,
  members: object,
  { more = "", said = "said" }: { readonly more?: string; readonly said?: string } = {},
): string {
  const { type, payload } = meta({ threadId, createdAtMs: START });
  const first = { type, payload: { ...payload, ...members } } as LineBody;
  const path = rolloutPath(home, { threadId, createdAtMs: START });
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, fileText([first, ...turnLines(threadId, "t1", said, "did")]));
  appendFileSync(path, more);
  return path;
}

function nested(levels: number): string {
  return `${'{"a":'.repeat(levels)}1${"}".repeat(levels)}`;
}

function eventLine(payload: string): string {
  return `{"timestamp":"2026-11-15T09:00:00Z","ordinal":9,"type":"event_msg","payload":${payload}}\n`;
}

async function listed(history: FileThreadStore): Promise<string[]> {
  const page = await history.list({ archived: false });
  if (page.kind === "refused") throw new Error(page.message);
  return page.data.map(({ threadId }) => threadId);
}

function grounds() {
  const harness = createHistoryHarness();
  const faults: string[] = [];
  const log = { ...silentLogger, error: (message: string) => void faults.push(message) };
  const history = harness.open({ index: sqliteIndex(harness.home), log });
  return { harness, history, faults };
}

describe("a file made to do harm", () => {
  const base = (members: object) => ({ history_base: { thread_id: "../../etc/passwd", ...members } });
  test.each<[string, object, string]>([
    ["goes on from no place", base({ end_ordinal_exclusive: 1.5, end_byte_offset: 1e308 }), ""],
    ["goes on from before its beginning", base({ end_ordinal_exclusive: -3, end_byte_offset: -1e308 }), ""],
    [
      "is nested deeply in its goal",
      {},
      eventLine(`{"type":"thread_goal_updated","goal":${nested(50_000)}}`),
    ],
    [
      "is nested deeply in its settings",
      {},
      eventLine(`{"type":"thread_settings_applied","thread_settings":${nested(50_000)}}`),
    ],
    ["is of the last day there is", { timestamp: "+275760-09-13T00:00:00.000Z" }, ""],
    ["has a folder that cannot be", { cwd: "/a\u0000b" }, ""],
  ])("that %s costs no other thread its place", async (_what, members, more) => {
    const { harness, history } = grounds();
    const good = await createFinishedThread(harness, history, ["t1"]);
    const bad = harness.createId();
    put(harness, bad, members, { more });
    expect((await listed(history)).sort()).toEqual([good, bad].sort());
    const entry = await history.read(bad);
    expect(entry?.facts.cwd).not.toContain("\u0000");
    await history.turns(bad);
    expect((await listed(history)).sort()).toEqual([good, bad].sort());
  });

  test("that goes on from another in a circle is listed, and cannot be read", async () => {
    const { harness, history } = grounds();
    const [one, other] = [harness.createId(), harness.createId()];
    const position = { end_ordinal_exclusive: 3, end_byte_offset: 10 };
    put(harness, one, { history_base: { thread_id: other, ...position } });
    put(harness, other, { history_base: { thread_id: one, ...position } });
    expect((await listed(history)).sort()).toEqual([one, other].sort());
    expect(await history.turns(one)).toMatchObject({ reason: "unreadable" });
    expect(await history.read(one)).not.toBeNull();
  });

  test("that the index cannot hold is told of, and the others are listed", async () => {
    const harness = createHistoryHarness();
    const faults: string[] = [];
    const log = { ...silentLogger, error: (message: string) => void faults.push(message) };
    const bad = harness.createId();
    const index = sqliteIndex(harness.home);
    const putHeads: typeof index.putHeads = async (rows) => {
      if (rows.some(({ threadId }) => threadId === bad)) throw new Error("no such value");
      await index.putHeads(rows);
    };
    const history = harness.open({ index: { ...index, epoch: 1, putHeads }, log });
    const good = harness.createId();
    const path = put(harness, bad, {});
    put(harness, good, {});
    expect([await listed(history), faults]).toEqual([
      [good],
      [`${path} is left out: the index cannot hold it: no such value`],
    ]);
  });

  test("takes no more room in lists than a file should", async () => {
    const { harness, history } = grounds();
    const long = "x".repeat(500_000);
    const settings = eventLine(
      `{"type":"thread_settings_applied","thread_settings":{"cwd":"/there","a":"${long}"}}`,
    );
    const git = { commit_hash: long, branch: long, repository_url: long };
    const bad = harness.createId();
    const more = { more: settings, said: `say ${long}` };
    put(harness, bad, { cwd: `/${long}`, originator: long, cli_version: long, git }, more);
    const sizes: number[] = [];
    for (let again = 0; again < 2; again += 1) {
      const page = await history.list({ archived: false });
      sizes.push(JSON.stringify(page).length);
      const entry = await history.read(bad);
      expect(entry?.facts.preview.startsWith("say xxx")).toBe(true);
    }
    expect(Math.max(...sizes)).toBeLessThan(100_000);
  });
});

test("a million names are taken in while the server answers", async () => {
  const { harness, history } = grounds();
  const threadId = await createFinishedThread(harness, history, ["t1"]);
  const line = (id: string, name: string) => `${JSON.stringify({ id, thread_name: name })}\n`;
  const others = Array.from({ length: 40_000 }, (_, at) => line(`other-${at % 20_000}`, `name ${at}`));
  writeFileSync(sessionIndexPath(harness.home), `${others.join("")}${line(threadId, "Mine")}`);
  let turns = 0;
  let isDone = false;
  const count = (): void => {
    turns += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const entry = await history.read(threadId);
  isDone = true;
  expect(entry?.details.name).toBe("Mine");
  expect(turns).toBeGreaterThan(5);
});

test("a term that no person would type is refused", async () => {
  const { harness, history } = grounds();
  const threadId = await createFinishedThread(harness, history, ["t1"]);
  const term = "t".repeat(1_000_000);
  expect([
    await history.search(term, { archived: false }),
    await history.searchOccurrences(threadId, term),
  ]).toMatchObject([{ reason: "input" }, { reason: "input" }]);
});

test("all turns of a long thread are read while the server answers", async () => {
  const harness = createHistoryHarness();
  // On a fast machine the whole read might fit into a slice: here each look at the clock takes a millisecond.
  let looks = 0;
  const clock = { ...systemClock, now: () => systemClock.now() + ++looks };
  const history = harness.open({ index: sqliteIndex(harness.home), clock });
  const threadId = harness.createId();
  const turns = Array.from({ length: 1000 }, (_, at) => turnLines(threadId, `t${at}`, "say", "did")).flat();
  const path = rolloutPath(harness.home, { threadId, createdAtMs: START });
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, fileText([meta({ threadId, createdAtMs: START }), ...turns]));
  await history.read(threadId);
  let passed = 0;
  let isDone = false;
  const count = (): void => {
    passed += 1;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  const page = await history.turns(threadId, { limit: 10_000, itemsView: "full" });
  expect(page.kind === "page" && page.data.length).toBe(1000);
  const inTurns = passed;
  await history.searchOccurrences(threadId, "nobody said this", { limit: 10 });
  isDone = true;
  expect([inTurns > 2, passed - inTurns > 2]).toEqual([true, true]);
}, 20_000);
