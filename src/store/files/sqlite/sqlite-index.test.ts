import { describe, expect, test } from "vitest";
import type { ThreadQuery } from "../../pages/thread-list.ts";
import { noDetails } from "../../thread-store.ts";
import { type FileItemRow, type HistoryIndex, INDEXED_FILES_AT_ONCE } from "../index/history-index.ts";
import { batch, rolloutRow, turn } from "../index/index-rows.fixture.ts";
import { createMemoryIndex as open } from "./memory-index.fixture.ts";

const listIds = async (index: HistoryIndex, query: Partial<ThreadQuery> = {}): Promise<string[]> =>
  (await index.list({ ...anyThread, ...query })).map(({ row }) => row.threadId);

describe("an index of files in SQLite", () => {
  test("keeps what is known of a file, and finds it by file and by thread", async () => {
    const index = open();
    const row = rolloutRow("a", {}, { preview: "ä€😀 'quoted' \u0000 end", goal: { objective: "x" } });
    await index.putHeads([row]);
    expect(await index.rollout("a")).toEqual(row);
    expect(await index.current("a")).toEqual({ row, details: noDetails });
    expect([await index.rollout("b"), await index.current("b"), await index.state("a")]).toEqual([
      null,
      null,
      null,
    ]);
    expect(await index.indexedFiles("/home")).toEqual([
      expect.objectContaining({ rolloutId: "a", path: row.path }),
    ]);
    expect(await index.indexedFiles("/hom")).toEqual([]);
    expect(await index.indexedFiles("/home", row.path)).toEqual([]);
  });

  test("finds the threads below one, also where they are above it as well", async () => {
    const index = open();
    const below = Array.from({ length: 500 }, (_, at) => `b${String(at).padStart(3, "0")}`);
    await index.putHeads([
      rolloutRow("a", {}, { parentThreadId: "b000" }),
      ...below.map((id) => rolloutRow(id, {}, { parentThreadId: "a" })),
      rolloutRow("c", {}, { parentThreadId: "b001" }),
    ]);
    const found = await index.descendants("a");
    expect([found.slice(0, 500).sort(), found.slice(500)]).toEqual([below, ["c"]]);
    expect(await listIds(index, { ancestorThreadId: "a", limit: 3 })).not.toContain("a");
  });

  test("tells its files of a folder by path, so many at a time", async () => {
    const index = open();
    const ids = Array.from(
      { length: INDEXED_FILES_AT_ONCE + 1 },
      (_, at) => `a${String(at).padStart(5, "0")}`,
    );
    await index.putHeads(ids.toReversed().map((id) => rolloutRow(id)));
    const first = await index.indexedFiles("/home");
    const rest = await index.indexedFiles("/home", first.at(-1)?.path);
    expect([...first, ...rest].map(({ rolloutId }) => rolloutId)).toEqual(ids);
    expect(rest).toHaveLength(1);
  });

  test("knows the newest file of a thread, an active one before an archived one", async () => {
    const index = open();
    const first = rolloutRow("a", { fileTime: "1" });
    const second = rolloutRow("b", { threadId: "a", fileTime: "2", base: position("a") });
    await index.putHeads([second, first]);
    expect([(await index.current("a"))?.row.rolloutId, await listIds(index)]).toEqual(["b", ["a"]]);
    expect((await index.basedOn(["a", "x"])).map(({ rolloutId }) => rolloutId)).toEqual(["b"]);
    await index.move([{ rolloutId: "b", path: "/archive/b", archived: true, updatedAtMs: 9 }]);
    expect((await index.current("a"))?.row.rolloutId).toBe("a");
    expect((await index.rollout("b"))?.facts.updatedAtMs).toBe(9);
    await index.remove(["a"]);
    expect([await listIds(index), await listIds(index, { archived: true })]).toEqual([[], ["a"]]);
  });

  test("does not give up lines it has taken in for a look at a file's beginning", async () => {
    const index = open();
    const full = rolloutRow("a", { indexedBytes: 10 }, { preview: "full" });
    await index.apply(batch(full, null, []));
    await index.putHeads([rolloutRow("a", { path: "/home/moved" }, { preview: "head" })]);
    expect(await index.rollout("a")).toEqual({ ...full, path: "/home/moved" });
  });

  test("lists by each order and filter, and from each place", async () => {
    const index = open();
    await index.putHeads([
      rolloutRow("a", { recencyAtMs: 9, sourceKind: "cli" }, { createdAtMs: 1, updatedAtMs: 5, cwd: "/x" }),
      rolloutRow("b", { recencyAtMs: 7 }, { createdAtMs: 2, updatedAtMs: 4, modelProvider: "other" }),
      rolloutRow(
        "c",
        { recencyAtMs: 8, sourceKind: "subAgentReview" },
        { createdAtMs: 2, parentThreadId: "a" },
      ),
      rolloutRow("d", { archived: true }, { createdAtMs: 3, originator: "them", parentThreadId: "c" }),
      rolloutRow("e", {}, { preview: "" }),
    ]);
    await index.setDetails("b", { name: "Named", projectId: "p" });
    const ids = {
      newest: await listIds(index),
      oldest: await listIds(index, { direction: "asc" }),
      updated: await listIds(index, { order: "updated_at" }),
      recent: await listIds(index, { order: "recency_at" }),
      behind: await listIds(index, { from: { value: 2, id: "c", inclusive: false } }),
      here: await listIds(index, { direction: "asc", from: { value: 2, id: "b", inclusive: true } }),
      limited: await listIds(index, { limit: 1 }),
      archived: await listIds(index, { archived: true }),
      cwd: await listIds(index, { cwds: ["/x", "/y"] }),
      nowhere: await listIds(index, { cwds: [] }),
      interactive: await listIds(index, { sourceKinds: ["cli", "vscode"] }),
      subAgents: await listIds(index, { sourceKinds: ["subAgent"] }),
      mixed: await listIds(index, { sourceKinds: ["cli", "subAgentReview"] }),
      provider: await listIds(index, { modelProviders: ["other"] }),
      originator: await listIds(index, { archived: true, originators: ["them"] }),
      without: await listIds(index, { excludedIds: ["a", "b"] }),
      named: await listIds(index, { searchTerm: "ame" }),
      otherCase: await listIds(index, { searchTerm: "NAMED" }),
      previewed: await listIds(index, { searchTerm: "about c" }),
      project: await listIds(index, { projectId: "p" }),
      children: await listIds(index, { parentThreadId: "a" }),
      below: await listIds(index, { ancestorThreadId: "a", archived: true }),
    };
    expect(ids).toEqual({
      newest: ["c", "b", "a"],
      oldest: ["a", "b", "c"],
      updated: ["a", "b", "c"],
      recent: ["a", "c", "b"],
      behind: ["b", "a"],
      here: ["b", "c"],
      limited: ["c"],
      archived: ["d"],
      cwd: ["a"],
      nowhere: [],
      interactive: ["b", "a"],
      subAgents: ["c"],
      mixed: ["c", "a"],
      provider: ["b"],
      originator: ["d"],
      without: ["c"],
      named: ["b"],
      otherCase: [],
      previewed: ["c"],
      project: ["b"],
      children: ["c"],
      below: ["d"],
    });
    expect(await index.descendants("a")).toEqual(["c", "d"]);
  });
});

describe("index of turns and items", () => {
  test("takes lines in where it stands, and only there", async () => {
    const index = open();
    const row = rolloutRow("a", { indexedBytes: 10 });
    expect(await index.apply(batch(row, 0, [turn("t1", 1)]))).toBe(true);
    expect(await index.apply(batch(row, 0, [turn("t2", 2)]))).toBe(false);
    expect(await index.apply(batch({ ...row, indexedBytes: 20 }, 10, [turn("t3", 3)]))).toBe(true);
    expect((await index.turns(span("a"))).map(({ turnId }) => turnId)).toEqual(["t1", "t3"]);
    expect((await index.state("a"))?.lines).toBe(7);
    expect(await index.apply(batch(row, null, [turn("t4", 4)]))).toBe(true);
    expect((await index.turns(span("a"))).map(({ turnId }) => turnId)).toEqual(["t4"]);
  });

  test("adds what later lines say to a turn, and keeps its place", async () => {
    const index = open();
    const row = rolloutRow("a", { indexedBytes: 10 });
    const end = { seq: 5, offset: 50 };
    await index.apply(
      batch(row, 0, [
        { ...turn("t1", 1), startedAt: 3, rootTurnId: "t0" },
        item("t1", "u1", 2, { type: "userMessage" }),
        item("t1", "g1", 3, { type: "agentMessage" }),
        item("t1", "u2", 4, { type: "userMessage" }),
        { ...turn("t1", 4), status: "failed", end, error: "{}", durationMs: 1.5 },
      ]),
    );
    expect(await index.turn("a", "t1")).toEqual({
      turnId: "t1",
      seq: 1,
      offset: 10,
      end,
      status: "failed",
      rootTurnId: "t0",
      startedAt: 3,
      completedAt: null,
      durationMs: 1.5,
      error: "{}",
      hookRuns: null,
      firstUserItemId: "u1",
      finalAgentItemId: "g1",
    });
    expect(await index.turn("a", "t2")).toBeNull();
  });

  test("keeps an item at its first place, with the line that told it last", async () => {
    const index = open();
    const changes = [
      item("t1", "i1", 1),
      item("t1", "i2", 2),
      item("t1", "i1", 3, { offset: 30 }),
      item("t2", "i1", 4),
    ];
    await index.apply(batch(rolloutRow("a", { indexedBytes: 10 }), 0, changes));
    const { kind: _kind, ...first } = item("t1", "i1", 1, { offset: 30 });
    expect(await index.itemsById("a", "t1", ["i1", "x"])).toEqual([first]);
    const ids = async (query: object) =>
      (await index.items({ ...span("a"), ...query })).map(({ seq }) => seq);
    expect([
      await ids({}),
      await ids({ direction: "desc", limit: 2 }),
      await ids({ turnId: "t1" }),
      await ids({ itemId: "i1" }),
      await ids({ types: ["none"] }),
      await ids({ fromSeq: 2, toSeq: 4 }),
    ]).toEqual([[1, 2, 4], [4, 2], [1, 2], [1, 4], [], [2]]);
    expect((await index.turns(span("a"))).map(({ turnId, status }) => [turnId, status])).toEqual([
      ["t1", "inProgress"],
      ["t2", "inProgress"],
    ]);
  });

  test("moves what a user said to where it was told last", async () => {
    const index = open();
    const said = { type: "userMessage" as const };
    const changes = [item("t1", "u1", 1, said), item("t1", "i1", 2), item("t1", "u1", 3, said)];
    await index.apply(batch(rolloutRow("a", { indexedBytes: 10 }), 0, changes));
    expect((await index.items(span("a"))).map(({ itemId, seq }) => [itemId, seq])).toEqual([
      ["i1", 2],
      ["u1", 3],
    ]);
  });

  test("takes the last turns away with their items", async () => {
    const index = open();
    const changes = [turn("t1", 1), item("t1", "i1", 2), turn("t2", 3), item("t2", "i2", 4)];
    const back = { kind: "rolledBack", turns: 1 } as const;
    await index.apply(batch(rolloutRow("a", { indexedBytes: 10 }), 0, [...changes, back]));
    expect((await index.turns(span("a"))).map(({ turnId }) => turnId)).toEqual(["t1"]);
    expect((await index.items(span("a"))).map(({ itemId }) => itemId)).toEqual(["i1"]);
    await index.remove(["a"]);
    expect([await index.turns(span("a")), await index.items(span("a"))]).toEqual([[], []]);
  });
});

describe("index of facts beside the files", () => {
  test("keeps details member by member, and forgets them with the thread", async () => {
    const index = open();
    const gitInfo = { sha: null, branch: "main", originUrl: null };
    await index.setDetails("a", { gitInfo, daybreakEnabled: false, memoryMode: "disabled" });
    await index.setNames(new Map([["a", "Name"]]));
    const kept = { ...noDetails, name: "Name", gitInfo, daybreakEnabled: false, memoryMode: "disabled" };
    expect(await index.details("a")).toEqual(kept);
    await index.setDetails("a", { name: null, projectId: "p" });
    expect(await index.details("a")).toEqual({ ...kept, name: null, projectId: "p" });
    await index.forgetThread("a");
    expect(await index.details("a")).toEqual(noDetails);
  });

  test("changes a read state only from the revision that was expected", async () => {
    const index = open();
    const unread = { firstUnread: { type: "turn", turnId: "t1" }, revision: "r1" } as const;
    const read = { firstUnread: null, revision: "r2" };
    expect(await index.setReadState("a", unread, "r0")).toBe(false);
    expect(await index.setReadState("a", unread, null)).toBe(true);
    expect(await index.setReadState("a", read, null)).toBe(false);
    expect(await index.readStates(["a", "b"])).toEqual(new Map([["a", unread]]));
    expect(await index.setReadState("a", read, "r1")).toBe(true);
    expect(await index.readStates(["a"])).toEqual(new Map([["a", read]]));
  });

  test("gives a lease to one owner at a time, each with a higher epoch", async () => {
    const index = open();
    const request = { threadId: "a", owner: "one" };
    const other = { ...request, owner: "two" };
    expect([await index.leaseMark("a"), await index.leaseOwner("a")]).toEqual([null, null]);
    expect(await index.acquireLease(request)).toEqual({ kind: "held", epoch: 1 });
    expect(await index.acquireLease(other)).toEqual({ kind: "elsewhere", owner: "one" });
    expect(await index.renewLeases("one")).toEqual(["a"]);
    expect(await index.acquireLease({ ...other, ignoring: ["one"] })).toEqual({ kind: "held", epoch: 2 });
    expect([await index.renewLeases("one"), await index.leaseOwner("a")]).toEqual([[], "two"]);
    await index.releaseLease("a", "one", 1);
    await index.releaseLease("a", "two", 1);
    expect(await index.leaseMark("a")).toEqual({ owner: "two", epoch: 2 });
    await index.releaseLease("a", "two", 2);
    expect(await index.leaseOwner("a")).toBeNull();
    expect(await index.acquireLease(request)).toEqual({ kind: "held", epoch: 3 });
  });

  test("keeps notes", async () => {
    const index = open();
    await index.setNote("k", "1");
    await index.setNote("k", "2");
    expect([await index.note("k"), await index.note("x")]).toEqual(["2", null]);
  });
});

const anyThread: ThreadQuery = {
  order: "created_at",
  direction: "desc",
  from: null,
  limit: 100,
  archived: false,
};

function span(rolloutId: string) {
  return { segmentId: rolloutId, fromSeq: 0, toSeq: 100, direction: "asc", limit: 100 } as const;
}

function position(rolloutId: string) {
  return { thread_id: rolloutId, end_ordinal_exclusive: 3, end_byte_offset: 30 };
}

function item(
  turnId: string,
  itemId: string,
  seq: number,
  members: Partial<FileItemRow> = {},
): { kind: "item" } & FileItemRow {
  const place = { seq, offset: seq * 10, length: 10 };
  const times = { startedAtMs: 1, completedAtMs: null };
  return { kind: "item", turnId, itemId, type: "reasoning", ...place, ...times, json: null, ...members };
}
