import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { silentLogger } from "../../../base/logger.ts";
import {
  createFinishedThread,
  listed,
  opened,
  pageOf,
  turnLines,
  turnsOf,
  writeTurn,
} from "../../contract/store-harness.fixture.ts";
import type { LineBody } from "../../lines/line.ts";
import { started } from "../../lines/lines.fixture.ts";
import { fileText, meta } from "../rollout/rollout.fixture.ts";
import { rolloutPath } from "../rollout/rollout-name.ts";
import { createMemoryIndex } from "../sqlite/memory-index.fixture.ts";
import type { FileThreadStore } from "./file-thread-store.ts";
import { createHistoryHarness, type HistoryHarness, START, sqliteIndex } from "./history.fixture.ts";

function grounds(): [HistoryHarness, FileThreadStore] {
  const harness = createHistoryHarness();
  return [harness, harness.open({ index: sqliteIndex(harness.home) })];
}

describe("a new thread", () => {
  test("has no file and is in no list before something is written", async () => {
    const [harness, history] = grounds();
    const journal = history.create(harness.origin());
    expect([existsSync(journal.location), await listed(history)]).toEqual([false, []]);
    expect(await history.read(journal.threadId)).toBeNull();
  });
});

describe("a thread that lies elsewhere", () => {
  const elsewhere = (harness: HistoryHarness, threadId: string) =>
    rolloutPath(join(harness.home, "..", `${threadId}-elsewhere`), { threadId, createdAtMs: START });

  test.each([
    ["legacy", true],
    ["paginated", false],
  ] as const)("of the kind %s", async (historyMode, isTaken) => {
    const [harness, history] = grounds();
    const { threadId } = harness.origin();
    const path = elsewhere(harness, threadId);
    onTestFinished(() => rmSync(join(harness.home, "..", `${threadId}-elsewhere`), { recursive: true }));
    mkdirSync(dirname(path), { recursive: true });
    const origin = { threadId, historyMode };
    writeFileSync(path, fileText([meta(origin)], { legacy: historyMode === "legacy" }));
    expect(await history.read(threadId)).toBeNull();
    await history.paths.adopt(path);
    expect((await history.read(threadId))?.location ?? null).toBe(isTaken ? path : null);
    if (!isTaken) return;
    await writeTurn(await opened(history, threadId), "t1");
    expect(readFileSync(path, "utf8")).toContain('"t1"');
    expect(await listed(history)).toEqual([threadId]);
  });

  test("does not take the place of one in the home", async () => {
    const [harness, history] = grounds();
    const journal = history.create(harness.origin(), "legacy");
    await writeTurn(journal, "t1");
    await journal.close();
    const path = elsewhere(harness, journal.threadId);
    onTestFinished(() =>
      rmSync(join(harness.home, "..", `${journal.threadId}-elsewhere`), { recursive: true }),
    );
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, readFileSync(journal.location));
    await history.paths.adopt(path);
    expect((await history.read(journal.threadId))?.location).toBe(journal.location);
  });
});

describe("a thread that is opened again", () => {
  test("of the old kind goes on in the words of its file", async () => {
    const [harness, history] = grounds();
    const journal = history.create(harness.origin(), "legacy");
    await writeTurn(journal, "t1");
    await journal.close();
    const again = await opened(history, journal.threadId);
    await writeTurn(again, "t2");
    const shown = pageOf(await history.turns(journal.threadId, { direction: "asc", itemsView: "full" })).data;
    expect(shown.map(({ id, items }) => [id, items.map(({ type }) => type)])).toEqual([
      ["t1", ["userMessage", "agentMessage"]],
      ["t2", ["userMessage", "agentMessage"]],
    ]);
    expect(readFileSync(journal.location, "utf8")).not.toContain("item_completed");
  });

  test("has one writer at a time, unless it is taken over, which the first one learns", async () => {
    const harness = createHistoryHarness();
    const index = sqliteIndex(harness.home);
    const [one, other] = [harness.open({ index }), harness.open({ index })];
    const threadId = await createFinishedThread(harness, one, ["t1"]);
    const first = await opened(one, threadId);
    expect(await other.open(threadId)).toEqual({
      kind: "refused",
      reason: "activeWriter",
      message: `thread ${threadId} already has an active writer`,
    });
    const second = await opened(other, threadId, { takeOver: true });
    const outcome = await first.append([started("t3")]);
    expect(outcome.kind !== "kept" && outcome.reason).toBe("takenOver");
    await writeTurn(second, "t2");
    expect(await turnsOf(one, threadId)).toHaveLength(2);
  });

  test("has its writer before its file shows it to others", async () => {
    const harness = createHistoryHarness();
    const index = sqliteIndex(harness.home);
    const seen: boolean[] = [];
    const watched = new Proxy(index, {
      get(target, key) {
        if (key === "acquireLease") seen.push(existsSync(journal.location));
        return Reflect.get(target, key) as unknown;
      },
    });
    const journal = harness.open({ index: watched }).create(harness.origin());
    await writeTurn(journal, "t1");
    expect([seen, existsSync(journal.location)]).toEqual([[false], true]);
    expect((await harness.open({ index }).open(journal.threadId)).kind).toBe("refused");
  });

  test("is given back as far as possible when the database takes no writes", async () => {
    const harness = createHistoryHarness();
    const releaseLease = () => Promise.reject(new Error("disk full"));
    const warnings: unknown[] = [];
    const log = {
      ...silentLogger,
      warn: (message: string, fields?: object) => warnings.push([message, fields]),
    };
    const history = harness.open({ index: { ...createMemoryIndex(), releaseLease }, log });
    const threadId = await createFinishedThread(harness, history, ["t1"]);
    expect(warnings).toEqual([["a lease could not be released", { threadId, reason: "disk full" }]]);
    await writeTurn(await opened(history, threadId), "t2");
  });
});

describe("forks and reverts", () => {
  test("a fork shares the turns up to where it leaves, and goes on alone", async () => {
    const [harness, history] = grounds();
    const source = await createFinishedThread(harness, history, ["t1", "t2", "t3"]);
    const fork = await history.fork(source, { kind: "through", turnId: "t2" }, harness.origin());
    if (fork.kind === "refused") throw new Error(fork.message);
    await writeTurn(fork.journal, "f1");
    const { threadId } = fork.journal;
    expect(await turnsOf(history, threadId)).toEqual([
      "t1 completed t1-user t1-agent",
      "t2 completed t2-user t2-agent",
      "f1 completed f1-user f1-agent",
    ]);
    expect((await turnsOf(history, source)).map((turn) => turn.split(" ")[0])).toEqual(["t1", "t2", "t3"]);
    const entry = await history.read(threadId);
    expect([entry?.facts.preview, entry?.facts.forkedFromId]).toEqual(["hello", source]);
    const lines = readFileSync(fork.journal.location ?? "", "utf8")
      .trim()
      .split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { ordinal: number }).ordinal)).toEqual([
      9, 10, 11, 12, 13,
    ]);
  });

  test("a revert begins a new file and keeps the thread", async () => {
    const [harness, history] = grounds();
    const threadId = await createFinishedThread(harness, history, ["t1", "t2", "t3"]);
    const before = await history.read(threadId);
    harness.advance(5000);
    expect(await history.revert(threadId, "t2")).toEqual({ kind: "done" });
    expect(await turnsOf(history, threadId)).toEqual(["t1 completed t1-user t1-agent"]);
    const journal = await opened(history, threadId);
    await writeTurn(journal, "t4");
    await journal.close();
    expect((await turnsOf(history, threadId)).map((turn) => turn.split(" ")[0])).toEqual(["t1", "t4"]);
    const after = await history.read(threadId);
    expect(after?.location).not.toBe(before?.location);
    expect(after?.facts.createdAtMs).toBe(before?.facts.createdAtMs);
    expect(await listed(history)).toEqual([threadId]);
    expect(await history.delete(threadId)).toEqual({ kind: "done", threadIds: [threadId] });
    expect([before, after].map((entry) => existsSync(entry?.location ?? ""))).toEqual([false, false]);
  });
});

/** Adds a thread whose parent is another one, as another program writes it. */
function putSpawned({ home }: HistoryHarness, threadId: string, parentId: string): void {
  const { payload, ...line } = meta({ threadId, createdAtMs: START });
  const first = { ...line, payload: { ...payload, parent_thread_id: parentId } } as LineBody;
  const path = rolloutPath(home, { threadId, createdAtMs: START });
  writeFileSync(path, fileText([first, ...turnLines(threadId, "c1", "say", "did")]));
}

describe("archiving and deleting", () => {
  test("an archived thread moves to the archive with those it spawned, and back alone", async () => {
    const [harness, history] = grounds();
    const parent = await createFinishedThread(harness, history, ["t1"]);
    const child = harness.createId();
    putSpawned(harness, child, parent);
    expect((await listed(history)).sort()).toEqual([parent, child].sort());
    expect(await history.archive(parent)).toEqual({ kind: "done", threadIds: [parent, child] });
    expect([await listed(history), (await listed(history, { archived: true })).sort()]).toEqual([
      [],
      [parent, child].sort(),
    ]);
    expect(await history.unarchive(parent)).toEqual({ kind: "done", threadIds: [parent] });
    expect([await listed(history), await turnsOf(history, parent)]).toEqual([
      [parent],
      ["t1 completed t1-user t1-agent"],
    ]);
    expect([await history.unarchive(parent), await history.archive(child)]).toMatchObject([
      { message: `no archived rollout found for thread id ${parent}` },
      { message: `no rollout found for thread id ${child}` },
    ]);
  });
});

describe("an index that does not have it all", () => {
  test("is made anew when the database is removed under a running server", async () => {
    const [harness, history] = grounds();
    const threadId = await createFinishedThread(harness, history, ["t1"]);
    const journal = await opened(history, threadId);
    rmSync(join(harness.home, "heddle.sqlite"));
    await writeTurn(journal, "t2");
    expect(await listed(history)).toEqual([threadId]);
    expect((await turnsOf(history, threadId)).length).toBe(2);
  });

  test("finds files that others made, changed, moved or removed", async () => {
    const harness = createHistoryHarness();
    const [mine, theirs] = [harness.open(), harness.open()];
    expect(await listed(mine)).toEqual([]);
    const threadId = await createFinishedThread(harness, theirs, ["t1"]);
    expect(await listed(mine)).toEqual([threadId]);
    expect((await turnsOf(mine, threadId)).length).toBe(1);
    const journal = await opened(theirs, threadId);
    await writeTurn(journal, "t2");
    await journal.close();
    expect((await turnsOf(mine, threadId)).length).toBe(2);
    await theirs.archive(threadId);
    expect([await listed(mine), await listed(mine, { archived: true })]).toEqual([[], [threadId]]);
    await theirs.delete(threadId);
    expect([await listed(mine), await listed(mine, { archived: true }), await mine.read(threadId)]).toEqual([
      [],
      [],
      null,
    ]);
  });

  test("goes on without a file that cannot be looked at, and takes it in once it can", async () => {
    const [harness, history] = grounds();
    const other = await createFinishedThread(harness, history, ["t1"]);
    const journal = history.create(harness.origin());
    await writeTurn(journal, "t1");
    const aside = join(harness.home, "aside");
    renameSync(journal.location, aside);
    symlinkSync(journal.location, journal.location);
    expect(await listed(history)).toEqual([other]);
    renameSync(aside, journal.location);
    await writeTurn(journal, "t2");
    expect(await listed(history)).toEqual([journal.threadId, other]);
    expect(await turnsOf(history, journal.threadId)).toEqual([
      "t1 completed t1-user t1-agent",
      "t2 completed t2-user t2-agent",
    ]);
  });

  test("is shared by ten servers that make and list threads at once", async () => {
    const harness = createHistoryHarness();
    const errors: string[] = [];
    const log = { ...silentLogger, error: (message: string) => void errors.push(message) };
    const histories = Array.from({ length: 10 }, () =>
      harness.open({ index: sqliteIndex(harness.home), log }),
    );
    const made = await Promise.all(
      histories.map(async (history, at) => {
        const ids = [
          await createFinishedThread(harness, history, [`a${at}`]),
          await createFinishedThread(harness, history, [`b${at}`]),
        ];
        await history.list({ archived: false });
        return ids;
      }),
    );
    for (const history of histories) {
      expect((await listed(history, { limit: 100 })).sort()).toEqual(made.flat().sort());
    }
    expect(errors).toEqual([]);
  });

  test("follows a revert by another program", async () => {
    const harness = createHistoryHarness();
    const [mine, theirs] = [harness.open(), harness.open()];
    const threadId = await createFinishedThread(harness, theirs, ["t1", "t2"]);
    expect((await turnsOf(mine, threadId)).length).toBe(2);
    harness.advance(2000);
    await theirs.revert(threadId, "t2");
    expect((await turnsOf(mine, threadId)).length).toBe(1);
    const late = harness.open();
    expect((await turnsOf(late, threadId)).length).toBe(1);
  });

  test("takes up a file that somebody has replaced from its beginning", async () => {
    const [harness, history] = grounds();
    const threadId = await createFinishedThread(harness, history, ["t1", "t2"]);
    const path = (await history.read(threadId))?.location ?? "";
    const lines = readFileSync(path, "utf8").split("\n");
    rmSync(path);
    writeFileSync(path, `${lines.slice(0, 5).join("\n")}\n`);
    expect((await turnsOf(history, threadId)).length).toBe(1);
  });

  test("says what it could not read, once, and shows the rest", async () => {
    const harness = createHistoryHarness();
    const errors: string[] = [];
    const log = { ...silentLogger, error: (message: string) => void errors.push(message) };
    const history = harness.open({ index: sqliteIndex(harness.home), log });
    const threadId = await createFinishedThread(harness, history, ["t1"]);
    const path = (await history.read(threadId))?.location ?? "";
    const folder = dirname(path);
    appendFileSync(path, 'not JSON\n{"torn');
    mkdirSync(join(folder, "rollout-2026-11-15T09-00-01-01a1de85-c6e8-7cd1-a911-8f3f8697f72b.jsonl"));
    writeFileSync(join(folder, "rollout-2026-11-15T09-00-02-01a1de85-c6e8-7cd1-a911-8f3f8697f72c.jsonl"), "");
    const bom = "01a1de85-c6e8-7cd1-a911-8f3f8697f72d";
    const text = fileText([meta({ threadId: bom }), ...turnLines(bom, "t1", "with a mark", "b")]);
    writeFileSync(join(folder, `rollout-2026-11-15T09-00-03-${bom}.jsonl`), `\uFEFF${text}`);
    for (let again = 0; again < 2; again += 1) {
      expect((await turnsOf(history, threadId)).length).toBe(1);
      expect((await listed(history)).sort()).toEqual([bom, threadId].sort());
      await history.whenIndexed();
    }
    expect(errors.map((message) => message.replaceAll(folder, "<folder>"))).toEqual([
      expect.stringMatching(/^the line at byte \d+ of .* is skipped: not JSON$/),
      expect.stringMatching(/^the line at byte \d+ of .* is skipped: cut off$/),
      expect.stringMatching(/^<folder>\/rollout-2026-11-15T09-00-02.* is left out: it is empty$/),
      expect.stringMatching(/^<folder>\/rollout-2026-11-15T09-00-01.* is left out: .*$/),
    ]);
  });
});

test("archived threads are listed also while all folders are being looked at", async () => {
  const harness = createHistoryHarness();
  const index = sqliteIndex(harness.home);
  const maker = harness.open({ index });
  const archived = await createFinishedThread(harness, maker, ["t1"]);
  await maker.archive(archived);
  // Enough folders that the scan continues in the background after the first list.
  const others: string[] = [];
  for (let day = 1; day <= 40; day += 1) {
    harness.advance(86_400_000);
    const journal = maker.create(harness.origin());
    await writeTurn(journal, "t1");
    others.push(journal.threadId);
  }
  await maker.close();
  await index.remove([archived, ...others.slice(0, -1)]);
  await index.setNote("folders", "{}");
  const history = harness.open({ index });
  await history.list({ archived: false });
  const list = pageOf(await history.list({ archived: true }));
  expect(list.data.map(({ threadId }) => threadId)).toEqual([archived]);
});

test("a fork of a legacy thread begins with a copy", async () => {
  const [harness, threads] = grounds();
  const legacy = threads.create(harness.origin(), "legacy");
  const say = (type: string, message: string) => ({
    type: "event_msg" as const,
    payload: { type, message },
  });
  await legacy.append([say("user_message", "one"), say("agent_message", "1"), say("user_message", "two")]);
  await legacy.close();
  const [first] = pageOf(await threads.turns(legacy.threadId, { direction: "asc" })).data;
  const fork = await threads.fork(
    legacy.threadId,
    { kind: "through", turnId: first?.id ?? "" },
    harness.origin(),
  );
  if (fork.kind === "refused") throw new Error(fork.message);
  const turns = pageOf(await threads.turns(fork.journal.threadId, { itemsView: "full" })).data;
  expect(turns.map(({ items }) => items.map(({ type }) => type))).toEqual([["userMessage", "agentMessage"]]);
});
