import { describe, expect, test } from "vitest";
import { textMember } from "../../base/json-members.ts";
import type { Page, StoredThread } from "../thread-store.ts";
import {
  accepted,
  type CreateHarness,
  createFinishedThread,
  listed,
  opened,
  pageOf,
  turnLines,
  turnsOf,
  writeTurn,
} from "./store-harness.fixture.ts";

export function threadsContract(createHarness: CreateHarness): void {
  describe("the owner of a thread", () => {
    test("is kept by a revert, is that of whoever forks, and selects threads", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const begin = async (owner: string | null) => {
        const journal = threads.create({ ...harness.origin(), owner });
        for (const turnId of ["t1", "t2"]) await writeTurn(journal, turnId);
        return journal.threadId;
      };
      const [anna, ben, nobody] = [await begin("anna"), await begin("ben"), await begin(null)];
      const fork = await threads.fork(anna, { kind: "whole" }, { ...harness.origin(), owner: "ben" });
      if (fork.kind === "refused") throw new Error(fork.message);
      await writeTurn(fork.journal, "f1");
      await threads.journal(anna)?.close();
      accepted(await threads.revert(anna, "t2"));

      const ownerOf = async (threadId: string) => (await threads.read(threadId))?.facts.owner;
      expect(await Promise.all([anna, ben, nobody, fork.journal.threadId].map(ownerOf))).toEqual([
        "anna",
        "ben",
        null,
        "ben",
      ]);
      expect(await listed(threads, { owner: "anna" })).toEqual([anna]);
      expect((await listed(threads, { owner: "ben" })).sort()).toEqual([ben, fork.journal.threadId].sort());
      expect(await listed(threads, { owner: "carl" })).toEqual([]);
      expect(await listed(threads)).toHaveLength(4);
      const found = pageOf(await threads.search("hello", { archived: false, owner: "anna" }));
      expect(found.data.map(({ thread }) => thread.threadId)).toEqual([anna]);
    });
  });

  describe("forks and reverts", () => {
    test("a fork shares the turns up to its boundary, and continues separately", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const source = await createFinishedThread(harness, threads, ["t1", "t2", "t3"]);
      const fork = await threads.fork(source, { kind: "through", turnId: "t2" }, harness.origin());
      if (fork.kind === "refused") throw new Error(fork.message);
      expect(fork.facts.preview).toBe("say t1");
      await writeTurn(fork.journal, "f1");
      const { threadId } = fork.journal;
      expect(await turnsOf(threads, threadId)).toEqual([
        "t1 completed t1-user t1-agent",
        "t2 completed t2-user t2-agent",
        "f1 completed f1-user f1-agent",
      ]);
      expect((await turnsOf(threads, source)).map((turn) => turn.split(" ")[0])).toEqual(["t1", "t2", "t3"]);
      const entry = await threads.read(threadId);
      expect([entry?.facts.preview, entry?.facts.forkedFromId]).toEqual(["hello", source]);
      const seqs: number[] = [];
      for await (const { seq } of threads.lines(threadId)) seqs.push(seq);
      expect(seqs).toEqual(Array.from({ length: 14 }, (_, at) => at));
      const part: string[] = [];
      for await (const { seq, line } of threads.lines(threadId, { from: { generation: 0, seq: 8 } }))
        part.push(`${seq} ${textMember(line.payload, "type") ?? line.type}`);
      expect(part.slice(0, 3)).toEqual(["8 task_complete", "9 session_meta", "10 task_started"]);
    });

    test("a fork of a fork has the turns and the model history of both", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const source = await createFinishedThread(harness, threads, ["t1", "t2"]);
      const first = await threads.fork(source, { kind: "before", turnId: "t2" }, harness.origin());
      if (first.kind === "refused") throw new Error(first.message);
      await writeTurn(first.journal, "f1");
      const second = await threads.fork(first.journal.threadId, { kind: "whole" }, harness.origin());
      const copy = await threads.copy(first.journal.threadId, { kind: "whole" }, { type: "marker" });
      if (second.kind === "refused" || copy.kind === "refused") throw new Error("refused");
      expect(await turnsOf(threads, second.journal.threadId)).toEqual([
        "t1 completed t1-user t1-agent",
        "f1 completed f1-user f1-agent",
      ]);
      expect([copy.facts.preview, second.facts.preview, copy.unfinishedTurnId]).toEqual([
        "say t1",
        "say t1",
        null,
      ]);
      expect(await copy.model()).toEqual(await second.model());
    });

    test("a fork of a running turn shows it as interrupted, however it ends", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const journal = threads.create(harness.origin());
      const lines = turnLines(journal.threadId, "t1", "a", "b");
      await journal.append(lines.slice(0, 2));
      const fork = await threads.fork(journal.threadId, { kind: "whole" }, harness.origin());
      if (fork.kind === "refused") throw new Error(fork.message);
      await journal.append(lines.slice(2));
      expect([
        await turnsOf(threads, journal.threadId),
        await turnsOf(threads, fork.journal.threadId),
      ]).toEqual([["t1 completed t1-user t1-agent"], ["t1 interrupted t1-user"]]);
      expect(
        await threads.fork(journal.threadId, { kind: "before", turnId: "nope" }, harness.origin()),
      ).toEqual({
        kind: "refused",
        reason: "turn",
        message: "turn not found: nope",
      });
    });

    test("a fork before the first turn has nothing of its source", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const source = await createFinishedThread(harness, threads, ["t1"]);
      const fork = await threads.fork(source, { kind: "before", turnId: "t1" }, harness.origin());
      if (fork.kind === "refused") throw new Error(fork.message);
      expect(await turnsOf(threads, fork.journal.threadId)).toEqual([]);
    });

    test("a revert removes later turns, and the thread continues from there", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const threadId = await createFinishedThread(harness, threads, ["t1", "t2", "t3"]);
      await threads.rename(threadId, "Mine");
      const before = await threads.read(threadId);
      harness.advance(5000);
      expect(await threads.revert(threadId, "t2")).toEqual({ kind: "done" });
      expect(await turnsOf(threads, threadId)).toEqual(["t1 completed t1-user t1-agent"]);
      const journal = await opened(threads, threadId);
      expect((await threads.revert(threadId, "t1")).kind).toBe("refused");
      await writeTurn(journal, "t4");
      await journal.close();
      expect((await turnsOf(threads, threadId)).map((turn) => turn.split(" ")[0])).toEqual(["t1", "t4"]);
      const after = await threads.read(threadId);
      expect([after?.facts.createdAtMs, after?.facts.preview, after?.details.name]).toEqual([
        before?.facts.createdAtMs,
        "say t1",
        "Mine",
      ]);
      const seqs: number[] = [];
      for await (const { seq } of threads.lines(threadId)) seqs.push(seq);
      expect(seqs).toEqual(Array.from({ length: 10 }, (_, at) => at));
      expect([
        await threads.revert(threadId, "t2"),
        await threads.revert(harness.createId(), "t1"),
      ]).toMatchObject([{ reason: "turn", message: "turn not found: t2" }, { reason: "missing" }]);
    });
  });

  describe("lists", () => {
    test("contain every thread once, page by page, in every order", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const created: string[] = [];
      for (const cwd of ["/a", "/b", "/a", "/b", "/a"]) {
        harness.advance(1000);
        created.push(await createFinishedThread(harness, threads, ["t1"], { cwd }));
      }
      for (const order of ["created_at", "updated_at", "recency_at"] as const) {
        for (const direction of ["asc", "desc"] as const) {
          const found: string[] = [];
          let cursor: string | null = null;
          do {
            const page: Page<StoredThread> = pageOf(
              await threads.list({ archived: false, order, direction, limit: 2, cursor }),
            );
            found.push(...page.data.map(({ threadId }) => threadId));
            ({ nextCursor: cursor } = page);
          } while (cursor !== null);
          expect(found).toEqual(direction === "asc" ? created : created.toReversed());
        }
      }
      expect(await listed(threads, { cwds: ["/b"] })).toEqual([created[3], created[1]]);
      expect(await listed(threads, { cwds: [] })).toEqual([]);
    });
  });

  describe("archiving and deleting", () => {
    test("an archived thread is only in the archived list until it is unarchived", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const threadId = await createFinishedThread(harness, threads, ["t1"]);
      expect(await threads.archive(threadId)).toEqual({ kind: "done", threadIds: [threadId] });
      expect([await listed(threads), await listed(threads, { archived: true })]).toEqual([[], [threadId]]);
      expect(await threads.unarchive(threadId)).toEqual({ kind: "done", threadIds: [threadId] });
      expect([await listed(threads), await threads.unarchive(threadId)]).toMatchObject([
        [threadId],
        { message: `no archived rollout found for thread id ${threadId}` },
      ]);
    });

    test("a thread that a fork is based on cannot be deleted before the fork", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const source = await createFinishedThread(harness, threads, ["t1"]);
      const fork = await threads.fork(source, { kind: "whole" }, harness.origin());
      if (fork.kind === "refused") throw new Error(fork.message);
      await fork.journal.close();
      expect(await threads.delete(source)).toMatchObject({
        message: `cannot delete thread ${source}: forked history still references it`,
      });
      expect((await threads.delete(fork.journal.threadId)).kind).toBe("done");
      expect((await threads.delete(source)).kind).toBe("done");
      expect(await listed(threads)).toEqual([]);
    });

    test("a thread with an active writer is neither archived nor deleted", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const journal = threads.create(harness.origin());
      await writeTurn(journal, "t1");
      expect([await threads.archive(journal.threadId), await threads.delete(journal.threadId)]).toMatchObject(
        [{ reason: "activeWriter" }, { reason: "activeWriter" }],
      );
    });
  });

  describe("metadata", () => {
    test("git metadata is patched over that of the file", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const git = { sha: "abc", branch: "main", originUrl: null };
      const threadId = await createFinishedThread(harness, threads, ["t1"], { git });
      await threads.updateMetadata(threadId, { gitInfo: { branch: "work" } });
      const entry = await threads.updateMetadata(threadId, { gitInfo: { sha: null } });
      expect("details" in entry && entry.details.gitInfo).toEqual({
        sha: null,
        branch: "work",
        originUrl: null,
      });
    });

    test("goals are lines of the file", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const threadId = await createFinishedThread(harness, threads, ["t1"]);
      expect(await threads.setGoal(threadId, { objective: "finish" })).toEqual({ kind: "done" });
      expect((await threads.read(threadId))?.facts.goal).toEqual({ objective: "finish" });
      await threads.setGoal(threadId, null);
      expect((await threads.read(threadId))?.facts.goal).toBeNull();
    });

    test("a read state is replaced only with the revision before it", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const threadId = await createFinishedThread(harness, threads, ["t1"]);
      const unread = { firstUnread: { type: "turn", turnId: "t1" } as const, revision: "r1" };
      const read = { firstUnread: null, revision: "r2" };
      expect(await threads.setReadState(threadId, unread, "r0")).toBe(false);
      expect(await threads.setReadState(threadId, unread, null)).toBe(true);
      expect(await threads.setReadState(threadId, read, null)).toBe(false);
      expect(await threads.setReadState(threadId, read, "r1")).toBe(true);
      expect(await threads.readStates([threadId, "none"])).toEqual(new Map([[threadId, read]]));
    });
  });
}
