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
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { describe, expect, test } from "vitest";
import { silentLogger } from "../../base/logger.ts";
import type { Turn } from "../../protocol/generated/types.ts";
import { createMemoryIndex } from "../memory/memory-index.ts";
import type { LineBody } from "../rollout/line.ts";
import { fileText, meta, started } from "../rollout/rollout.fixture.ts";
import { rolloutPath } from "../rollout/rollout-name.ts";
import {
  createGround,
  type Ground,
  makeThread,
  START,
  sqliteIndex,
  turnLines,
  writeTurn,
} from "./history.fixture.ts";
import type { History } from "./history.ts";
import type { ThreadJournal } from "./journal.ts";
import type { Page } from "./page-turns.ts";
import type { Refusal } from "./refusal.ts";

function pageOf<T>(answer: Page<T> | Refusal): Page<T> {
  if (answer.kind === "refused") throw new Error(answer.message);
  return answer;
}

async function listed(
  history: History,
  query: Partial<Parameters<History["list"]>[0]> = {},
): Promise<string[]> {
  return pageOf(await history.list({ archived: false, ...query })).data.map(({ row }) => row.threadId);
}

function said(turns: readonly Turn[]): string[] {
  return turns.map((turn) => `${turn.id} ${turn.status} ${turn.items.map(({ id }) => id).join(" ")}`.trim());
}

async function turnsOf(
  history: History,
  threadId: string,
  direction: "asc" | "desc" = "asc",
): Promise<string[]> {
  return said(pageOf(await history.turns(threadId, { direction })).data);
}

async function opened(history: History, threadId: string, options = {}): Promise<ThreadJournal> {
  const answer = await history.open(threadId, options);
  if (answer.kind === "refused") throw new Error(answer.message);
  return answer.journal;
}

function grounds(): [Ground, History] {
  const ground = createGround();
  return [ground, ground.open({ index: sqliteIndex(ground.home) })];
}

describe("a new thread", () => {
  test("has no file and is in no list before something is written", async () => {
    const [ground, history] = grounds();
    const journal = history.create(ground.origin());
    expect([existsSync(journal.path), journal.isDurable, await listed(history)]).toEqual([false, false, []]);
    expect(await history.read(journal.threadId)).toBeNull();
  });

  test("is listed and read as soon as an append has settled", async () => {
    const [ground, history] = grounds();
    const journal = history.create(ground.origin({ cwd: "/here" }));
    await writeTurn(journal, "t1", "What is it?", "A thread.");
    const page = pageOf(await history.list({ archived: false }));
    expect(page.data.map(({ row }) => [row.threadId, row.facts.preview, row.facts.cwd, row.path])).toEqual([
      [journal.threadId, "What is it?", "/here", journal.path],
    ]);
    expect(await turnsOf(history, journal.threadId)).toEqual(["t1 completed t1-user t1-agent"]);
  });

  test("shows a turn that runs as running, and as interrupted once nobody is at work on it", async () => {
    const [ground, history] = grounds();
    const journal = history.create(ground.origin());
    await journal.append([...turnLines(journal.threadId, "t1", "a", "b"), started("t2")]);
    expect(await turnsOf(history, journal.threadId)).toEqual([
      "t1 completed t1-user t1-agent",
      "t2 inProgress",
    ]);
    await journal.close();
    expect(await turnsOf(history, journal.threadId)).toEqual([
      "t1 completed t1-user t1-agent",
      "t2 interrupted",
    ]);
  });
});

describe("a thread that is opened again", () => {
  test("goes on where it was, with what its model knew", async () => {
    const [ground, history] = grounds();
    const threadId = await makeThread(ground, history, ["t1"]);
    const answer = await history.open(threadId);
    if (answer.kind === "refused") throw new Error(answer.message);
    expect([answer.facts.baseInstructions, answer.unfinishedTurnId]).toEqual(["Be brief.", null]);
    await writeTurn(answer.journal, "t2");
    expect(await turnsOf(history, threadId, "desc")).toEqual([
      "t2 completed t2-user t2-agent",
      "t1 completed t1-user t1-agent",
    ]);
  });

  test("of the old kind goes on in the words of its file", async () => {
    const [ground, history] = grounds();
    const journal = history.create(ground.origin({ historyMode: "legacy" }));
    await writeTurn(journal, "t1");
    await journal.close();
    const again = await opened(history, journal.threadId);
    await writeTurn(again, "t2");
    const shown = pageOf(await history.turns(journal.threadId, { direction: "asc", itemsView: "full" })).data;
    expect(shown.map(({ id, items }) => [id, items.map(({ type }) => type)])).toEqual([
      ["t1", ["userMessage", "agentMessage"]],
      ["t2", ["userMessage", "agentMessage"]],
    ]);
    expect(readFileSync(journal.path, "utf8")).not.toContain("item_completed");
  });

  test("names the turn that was cut off", async () => {
    const [ground, history] = grounds();
    const journal = history.create(ground.origin());
    await journal.append([...turnLines(journal.threadId, "t1", "a", "b"), started("t2")]);
    await journal.close();
    const answer = await history.open(journal.threadId);
    expect(answer.kind === "open" && answer.unfinishedTurnId).toBe("t2");
  });

  test("has one writer at a time, unless it is taken over, which the first one learns", async () => {
    const ground = createGround();
    const index = sqliteIndex(ground.home);
    const [one, other] = [ground.open({ index }), ground.open({ index })];
    const threadId = await makeThread(ground, one, ["t1"]);
    const first = await opened(one, threadId);
    expect(await other.open(threadId)).toEqual({
      kind: "refused",
      reason: "activeWriter",
      message: `thread ${threadId} already has an active writer`,
    });
    const second = await opened(other, threadId, { takeOver: true });
    const outcome = await first.append([started("t3")]);
    expect(outcome.kind === "failed" && outcome.fault.reason).toBe("takenOver");
    await writeTurn(second, "t2");
    expect(await turnsOf(one, threadId)).toHaveLength(2);
  });

  test("has its writer before its file shows it to others", async () => {
    const ground = createGround();
    const index = sqliteIndex(ground.home);
    const seen: boolean[] = [];
    const watched = new Proxy(index, {
      get(target, key) {
        if (key === "acquireLease") seen.push(existsSync(journal.path));
        return Reflect.get(target, key) as unknown;
      },
    });
    const journal = ground.open({ index: watched }).create(ground.origin());
    await writeTurn(journal, "t1");
    expect([seen, existsSync(journal.path)]).toEqual([[false], true]);
    expect((await ground.open({ index }).open(journal.threadId)).kind).toBe("refused");
  });

  test("is given back as far as possible when the database takes no writes", async () => {
    const ground = createGround();
    const releaseLease = () => Promise.reject(new Error("disk full"));
    const warnings: unknown[] = [];
    const log = {
      ...silentLogger,
      warn: (message: string, fields?: object) => warnings.push([message, fields]),
    };
    const history = ground.open({ index: { ...createMemoryIndex(), releaseLease }, log });
    const threadId = await makeThread(ground, history, ["t1"]);
    expect(warnings).toEqual([["a lease could not be given back", { threadId, reason: "disk full" }]]);
    await writeTurn(await opened(history, threadId), "t2");
  });

  test("is free again when the process of its writer has died", async () => {
    const ground = createGround();
    const index = sqliteIndex(ground.home);
    const threadId = await makeThread(ground, ground.open({ index }), ["t1"]);
    const noProcess = 2 ** 22 + 1;
    await opened(ground.open({ index, owner: `${noProcess}@${hostname()}#1` }), threadId);
    expect((await ground.open({ index }).open(threadId)).kind).toBe("open");
  });

  test("is refused while it is archived, or when there is none", async () => {
    const [ground, history] = grounds();
    const threadId = await makeThread(ground, history, ["t1"]);
    await history.archive(threadId);
    expect([await history.open(threadId), await history.open(ground.createId())]).toMatchObject([
      { kind: "refused", reason: "archived" },
      { kind: "refused", reason: "missing" },
    ]);
  });
});

describe("pages of a thread", () => {
  test("meet at their cursors, forwards and backwards", async () => {
    const [ground, history] = grounds();
    const names = Array.from({ length: 7 }, (_, at) => `t${at + 1}`);
    const threadId = await makeThread(ground, history, names);
    const first = pageOf(await history.turns(threadId, { limit: 3, direction: "asc" }));
    const second = pageOf(
      await history.turns(threadId, { limit: 3, direction: "asc", cursor: first.nextCursor }),
    );
    const third = pageOf(
      await history.turns(threadId, { limit: 3, direction: "asc", cursor: second.nextCursor }),
    );
    expect([first, second, third].map(({ data }) => data.map(({ id }) => id))).toEqual([
      ["t1", "t2", "t3"],
      ["t4", "t5", "t6"],
      ["t7"],
    ]);
    expect(third.nextCursor).toBeNull();
    const back = pageOf(
      await history.turns(threadId, { limit: 9, direction: "desc", cursor: second.backwardsCursor }),
    );
    expect(back.data.map(({ id }) => id)).toEqual(["t4", "t3", "t2", "t1"]);
  });

  test("hold items with their times, of one turn or of all", async () => {
    const [ground, history] = grounds();
    const threadId = await makeThread(ground, history, ["t1", "t2"]);
    const all = pageOf(await history.items(threadId, { limit: 3 }));
    expect(all.data.map(({ item, turnId, startedAtMs }) => [turnId, item.id, startedAtMs])).toEqual([
      ["t1", "t1-user", 1],
      ["t1", "t1-agent", 1],
      ["t2", "t2-user", 1],
    ]);
    const rest = pageOf(await history.items(threadId, { cursor: all.nextCursor }));
    const one = pageOf(await history.items(threadId, { turnId: "t2", direction: "desc" }));
    const anchored = pageOf(await history.items(threadId, { anchorItemId: "t2-user" }));
    const ids = [rest, one, anchored].map(({ data }) => data.map(({ item }) => item.id));
    expect(ids).toEqual([["t2-agent"], ["t2-agent", "t2-user"], ["t2-agent"]]);
    const named = await history.itemsById(threadId, "t1", ["t1-agent", "none"]);
    expect(named.kind === "items" && named.data.map(({ item }) => item.id)).toEqual(["t1-agent"]);
  });

  test("tell everything in the order of the lines, the latest page first", async () => {
    const [ground, history] = grounds();
    const threadId = await makeThread(ground, history, ["t1", "t2"]);
    const told: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await history.timeline(threadId, { limit: 3, cursor });
      if (page.kind === "refused") throw new Error(page.message);
      told.unshift(...page.data.map(({ type, position, turnId }) => `${position} ${type} ${turnId}`));
      ({ nextCursor: cursor } = page);
    } while (cursor !== null);
    expect(told).toEqual(
      ["t1", "t2"].flatMap((turn, at) =>
        ["turnStarted", "item", "item", "turnCompleted"].map(
          (type, line) => `${at * 4 + line + 1} ${type} ${turn}`,
        ),
      ),
    );
  });

  test("refuse cursors that are not theirs", async () => {
    const [ground, history] = grounds();
    const threadId = await makeThread(ground, history, ["t1"]);
    expect([
      await history.turns(threadId, { cursor: "zzz" }),
      await history.items(threadId, { cursor: "zzz" }),
      await history.list({ archived: false, cursor: "zzz" }),
    ]).toEqual([0, 1, 2].map(() => ({ kind: "refused", reason: "cursor", message: "invalid cursor: zzz" })));
  });
});

describe("forks and reverts", () => {
  test("a fork shares the turns up to where it leaves, and goes on alone", async () => {
    const [ground, history] = grounds();
    const source = await makeThread(ground, history, ["t1", "t2", "t3"]);
    const fork = await history.fork(source, { kind: "through", turnId: "t2" }, ground.origin());
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
    expect([entry?.row.facts.preview, entry?.row.facts.forkedFromId]).toEqual(["hello", source]);
    const lines = readFileSync(fork.journal.path, "utf8").trim().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as { ordinal: number }).ordinal)).toEqual([
      9, 10, 11, 12, 13,
    ]);
  });

  test("a fork of a turn that runs sees it as interrupted, whatever becomes of it", async () => {
    const [ground, history] = grounds();
    const journal = history.create(ground.origin());
    const lines = turnLines(journal.threadId, "t1", "a", "b");
    await journal.append(lines.slice(0, 2));
    const fork = await history.fork(journal.threadId, { kind: "whole" }, ground.origin());
    if (fork.kind === "refused") throw new Error(fork.message);
    await journal.append(lines.slice(2));
    expect([await turnsOf(history, journal.threadId), await turnsOf(history, fork.journal.threadId)]).toEqual(
      [["t1 completed t1-user t1-agent"], ["t1 interrupted t1-user"]],
    );
    expect(await history.fork(journal.threadId, { kind: "before", turnId: "nope" }, ground.origin())).toEqual(
      {
        kind: "refused",
        reason: "turn",
        message: "turn not found: nope",
      },
    );
  });

  test("a fork before the first turn has nothing of its source", async () => {
    const [ground, history] = grounds();
    const source = await makeThread(ground, history, ["t1"]);
    const fork = await history.fork(source, { kind: "before", turnId: "t1" }, ground.origin());
    if (fork.kind === "refused") throw new Error(fork.message);
    expect([fork.facts.historyBase, await turnsOf(history, fork.journal.threadId)]).toEqual([null, []]);
  });

  test("a fork of a legacy thread begins with a copy", async () => {
    const [ground, history] = grounds();
    const legacy = history.create(ground.origin({ historyMode: "legacy" }));
    const say = (type: string, message: string) => ({
      type: "event_msg" as const,
      payload: { type, message },
    });
    await legacy.append([say("user_message", "one"), say("agent_message", "1"), say("user_message", "two")]);
    await legacy.close();
    const [first] = pageOf(await history.turns(legacy.threadId, { direction: "asc" })).data;
    const fork = await history.fork(
      legacy.threadId,
      { kind: "through", turnId: first?.id ?? "" },
      ground.origin(),
    );
    if (fork.kind === "refused") throw new Error(fork.message);
    const turns = pageOf(await history.turns(fork.journal.threadId, { itemsView: "full" })).data;
    expect(turns.map(({ items }) => items.map(({ type }) => type))).toEqual([
      ["userMessage", "agentMessage"],
    ]);
  });

  test("a revert begins a new file and keeps the thread", async () => {
    const [ground, history] = grounds();
    const threadId = await makeThread(ground, history, ["t1", "t2", "t3"]);
    const before = await history.read(threadId);
    ground.advance(5000);
    expect(await history.revert(threadId, "t2")).toEqual({ kind: "done" });
    expect(await turnsOf(history, threadId)).toEqual(["t1 completed t1-user t1-agent"]);
    const journal = await opened(history, threadId);
    await writeTurn(journal, "t4");
    await journal.close();
    expect((await turnsOf(history, threadId)).map((turn) => turn.split(" ")[0])).toEqual(["t1", "t4"]);
    const after = await history.read(threadId);
    expect(after?.row.path).not.toBe(before?.row.path);
    expect(after?.row.facts.createdAtMs).toBe(before?.row.facts.createdAtMs);
    expect(await listed(history)).toEqual([threadId]);
    expect(await history.delete(threadId)).toEqual({ kind: "done", threadIds: [threadId] });
    expect([before, after].map((entry) => existsSync(entry?.row.path ?? ""))).toEqual([false, false]);
  });
});

/** A thread that another program has another one spawn. */
function putSpawned({ home }: Ground, threadId: string, parentId: string): void {
  const { payload, ...line } = meta({ threadId, createdAtMs: START });
  const first = { ...line, payload: { ...payload, parent_thread_id: parentId } } as LineBody;
  const path = rolloutPath(home, { threadId, createdAtMs: START });
  writeFileSync(path, fileText([first, ...turnLines(threadId, "c1", "say", "did")]));
}

describe("archiving and deleting", () => {
  test("an archived thread moves to the archive with those it spawned, and back alone", async () => {
    const [ground, history] = grounds();
    const parent = await makeThread(ground, history, ["t1"]);
    const child = ground.createId();
    putSpawned(ground, child, parent);
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

  test("a thread that a fork goes on from cannot be deleted before the fork", async () => {
    const [ground, history] = grounds();
    const source = await makeThread(ground, history, ["t1"]);
    const fork = await history.fork(source, { kind: "whole" }, ground.origin());
    if (fork.kind === "refused") throw new Error(fork.message);
    await fork.journal.close();
    expect(await history.delete(source)).toMatchObject({
      message: `cannot delete thread ${source}: forked history still references it`,
    });
    expect((await history.delete(fork.journal.threadId)).kind).toBe("done");
    expect((await history.delete(source)).kind).toBe("done");
    expect(await listed(history)).toEqual([]);
  });

  test("a thread that is written to stays where it is", async () => {
    const [ground, history] = grounds();
    const journal = history.create(ground.origin());
    await writeTurn(journal, "t1");
    expect([await history.archive(journal.threadId), await history.delete(journal.threadId)]).toMatchObject([
      { reason: "activeWriter" },
      { reason: "activeWriter" },
    ]);
  });
});

describe("what is known beside the file", () => {
  test("git facts are patched over those of the file", async () => {
    const [ground, history] = grounds();
    const git = { sha: "abc", branch: "main", originUrl: null };
    const threadId = await makeThread(ground, history, ["t1"], { git });
    await history.updateMetadata(threadId, { gitInfo: { branch: "work" } });
    const entry = await history.updateMetadata(threadId, { gitInfo: { sha: null } });
    expect("details" in entry && entry.details.gitInfo).toEqual({
      sha: null,
      branch: "work",
      originUrl: null,
    });
  });

  test("goals are lines of the file", async () => {
    const [ground, history] = grounds();
    const threadId = await makeThread(ground, history, ["t1"]);
    expect(await history.setGoal(threadId, { objective: "finish" })).toEqual({ kind: "done" });
    expect(await history.goal(threadId)).toEqual({ objective: "finish" });
    await history.setGoal(threadId, null);
    expect(await history.goal(threadId)).toBeNull();
  });
});

describe("an index that does not have it all", () => {
  test("is made anew when the database is removed under a running server", async () => {
    const [ground, history] = grounds();
    const threadId = await makeThread(ground, history, ["t1"]);
    const journal = await opened(history, threadId);
    rmSync(join(ground.home, "heddle.sqlite"));
    await writeTurn(journal, "t2");
    expect(await listed(history)).toEqual([threadId]);
    expect((await turnsOf(history, threadId)).length).toBe(2);
  });

  test("finds files that others made, changed, moved or removed", async () => {
    const ground = createGround();
    const [mine, theirs] = [ground.open(), ground.open()];
    expect(await listed(mine)).toEqual([]);
    const threadId = await makeThread(ground, theirs, ["t1"]);
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
    const [ground, history] = grounds();
    const other = await makeThread(ground, history, ["t1"]);
    const journal = history.create(ground.origin());
    await writeTurn(journal, "t1");
    const aside = join(ground.home, "aside");
    renameSync(journal.path, aside);
    symlinkSync(journal.path, journal.path);
    expect(await listed(history, { indexOnly: true })).toEqual([other]);
    renameSync(aside, journal.path);
    await writeTurn(journal, "t2");
    expect(await listed(history)).toEqual([journal.threadId, other]);
    expect(await turnsOf(history, journal.threadId)).toEqual([
      "t1 completed t1-user t1-agent",
      "t2 completed t2-user t2-agent",
    ]);
  });

  test("is shared by ten servers that make and list threads at once", async () => {
    const ground = createGround();
    const errors: string[] = [];
    const log = { ...silentLogger, error: (message: string) => void errors.push(message) };
    const histories = Array.from({ length: 10 }, () => ground.open({ index: sqliteIndex(ground.home), log }));
    const made = await Promise.all(
      histories.map(async (history, at) => {
        const ids = [
          await makeThread(ground, history, [`a${at}`]),
          await makeThread(ground, history, [`b${at}`]),
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
    const ground = createGround();
    const [mine, theirs] = [ground.open(), ground.open()];
    const threadId = await makeThread(ground, theirs, ["t1", "t2"]);
    expect((await turnsOf(mine, threadId)).length).toBe(2);
    ground.advance(2000);
    await theirs.revert(threadId, "t2");
    expect((await turnsOf(mine, threadId)).length).toBe(1);
    const late = ground.open();
    expect((await turnsOf(late, threadId)).length).toBe(1);
  });

  test("takes up a file that somebody has replaced from its beginning", async () => {
    const [ground, history] = grounds();
    const threadId = await makeThread(ground, history, ["t1", "t2"]);
    const path = (await history.read(threadId))?.row.path ?? "";
    const lines = readFileSync(path, "utf8").split("\n");
    rmSync(path);
    writeFileSync(path, `${lines.slice(0, 5).join("\n")}\n`);
    expect((await turnsOf(history, threadId)).length).toBe(1);
  });

  test("says what it could not read, once, and shows the rest", async () => {
    const ground = createGround();
    const errors: string[] = [];
    const log = { ...silentLogger, error: (message: string) => void errors.push(message) };
    const history = ground.open({ index: sqliteIndex(ground.home), log });
    const threadId = await makeThread(ground, history, ["t1"]);
    const path = (await history.read(threadId))?.row.path ?? "";
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

describe("searches", () => {
  test("find threads by what was said in them, whatever the case", async () => {
    const [ground, history] = grounds();
    const journal = history.create(ground.origin());
    await writeTurn(journal, "t1", "First", 'The "Ägyptian" cat sat\non the mat.');
    await makeThread(ground, history, ["t2"]);
    const snippets = async (term: string) =>
      pageOf(await history.search(term, { archived: false })).data.map(({ snippet }) => snippet);
    const snippet = 'The "Ägyptian" cat sat on the mat.';
    expect([await snippets("CAT SAT"), await snippets('"ägyptian'), await snippets("task_started")]).toEqual([
      [snippet],
      [snippet],
      [],
    ]);
    expect(await history.search(" ", { archived: false })).toMatchObject({ reason: "input" });
  });

  test("name every occurrence in a thread, page by page", async () => {
    const [ground, history] = grounds();
    const journal = history.create(ground.origin());
    await writeTurn(journal, "t1", "tick tick", "Tick!");
    await writeTurn(journal, "t2", "tock", "tick");
    const all: string[] = [];
    let cursor: string | null = null;
    do {
      const page = await history.searchOccurrences(journal.threadId, "tick", { limit: 3, cursor });
      if (page.kind === "refused") throw new Error(page.message);
      all.push(
        ...page.data.map(({ itemId, snippetMatchRange: { start, end } }) => `${itemId} ${start}-${end}`),
      );
      ({ nextCursor: cursor } = page);
    } while (cursor !== null);
    expect(all).toEqual(["t1-user 0-4", "t1-user 5-9", "t1-agent 0-4", "t2-agent 0-4"]);
  });
});

test("archived threads are listed also while all folders are being looked at", async () => {
  const ground = createGround();
  const index = sqliteIndex(ground.home);
  const maker = ground.open({ index });
  const archived = await makeThread(ground, maker, ["t1"]);
  await maker.archive(archived);
  // Folders enough that the look at all of them goes on behind the first list.
  const others: string[] = [];
  for (let day = 1; day <= 40; day += 1) {
    const journal = maker.create(ground.origin({ createdAtMs: Date.UTC(2026, 0, day) }));
    await writeTurn(journal, "t1");
    others.push(journal.threadId);
  }
  await maker.close();
  await index.remove([archived, ...others.slice(0, -1)]);
  const history = ground.open({ index });
  await history.list({ archived: false });
  const list = pageOf(await history.list({ archived: true }));
  expect(list.data.map(({ row }) => row.threadId)).toEqual([archived]);
});
