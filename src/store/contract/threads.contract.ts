import { describe, expect, test } from "vitest";
import { textMember } from "../../base/json-members.ts";
import type { Page, StoredThread } from "../thread-store.ts";
import {
  listed,
  makeThread,
  type OpenWorld,
  opened,
  pageOf,
  turnLines,
  turnsOf,
  writeTurn,
} from "./world.fixture.ts";

export function threadsContract(openWorld: OpenWorld): void {
  describe("forks and reverts", () => {
    test("a fork shares the turns up to where it leaves, and goes on alone", async () => {
      const world = openWorld();
      const { threads } = await world.open();
      const source = await makeThread(world, threads, ["t1", "t2", "t3"]);
      const fork = await threads.fork(source, { kind: "through", turnId: "t2" }, world.origin());
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

    test("a fork of a fork knows what both knew, and its model as well", async () => {
      const world = openWorld();
      const { threads } = await world.open();
      const source = await makeThread(world, threads, ["t1", "t2"]);
      const first = await threads.fork(source, { kind: "before", turnId: "t2" }, world.origin());
      if (first.kind === "refused") throw new Error(first.message);
      await writeTurn(first.journal, "f1");
      const second = await threads.fork(first.journal.threadId, { kind: "whole" }, world.origin());
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

    test("a fork of a turn that runs sees it as interrupted, whatever becomes of it", async () => {
      const world = openWorld();
      const { threads } = await world.open();
      const journal = threads.create(world.origin());
      const lines = turnLines(journal.threadId, "t1", "a", "b");
      await journal.append(lines.slice(0, 2));
      const fork = await threads.fork(journal.threadId, { kind: "whole" }, world.origin());
      if (fork.kind === "refused") throw new Error(fork.message);
      await journal.append(lines.slice(2));
      expect([
        await turnsOf(threads, journal.threadId),
        await turnsOf(threads, fork.journal.threadId),
      ]).toEqual([["t1 completed t1-user t1-agent"], ["t1 interrupted t1-user"]]);
      expect(
        await threads.fork(journal.threadId, { kind: "before", turnId: "nope" }, world.origin()),
      ).toEqual({
        kind: "refused",
        reason: "turn",
        message: "turn not found: nope",
      });
    });

    test("a fork before the first turn has nothing of its source", async () => {
      const world = openWorld();
      const { threads } = await world.open();
      const source = await makeThread(world, threads, ["t1"]);
      const fork = await threads.fork(source, { kind: "before", turnId: "t1" }, world.origin());
      if (fork.kind === "refused") throw new Error(fork.message);
      expect(await turnsOf(threads, fork.journal.threadId)).toEqual([]);
    });

    test("a revert takes the thread back, and it goes on from there", async () => {
      const world = openWorld();
      const { threads } = await world.open();
      const threadId = await makeThread(world, threads, ["t1", "t2", "t3"]);
      await threads.rename(threadId, "Mine");
      const before = await threads.read(threadId);
      world.advance(5000);
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
        await threads.revert(world.createId(), "t1"),
      ]).toMatchObject([{ reason: "turn", message: "turn not found: t2" }, { reason: "missing" }]);
    });
  });

  describe("lists", () => {
    test("hold every thread once, page by page, in every order", async () => {
      const world = openWorld();
      const { threads } = await world.open();
      const made: string[] = [];
      for (const cwd of ["/a", "/b", "/a", "/b", "/a"]) {
        world.advance(1000);
        made.push(await makeThread(world, threads, ["t1"], { cwd }));
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
          expect(found).toEqual(direction === "asc" ? made : made.toReversed());
        }
      }
      expect(await listed(threads, { cwds: ["/b"] })).toEqual([made[3], made[1]]);
      expect(await listed(threads, { cwds: [] })).toEqual([]);
    });
  });

  describe("archiving and deleting", () => {
    test("an archived thread is in no other list, and comes back", async () => {
      const world = openWorld();
      const { threads } = await world.open();
      const threadId = await makeThread(world, threads, ["t1"]);
      expect(await threads.archive(threadId)).toEqual({ kind: "done", threadIds: [threadId] });
      expect([await listed(threads), await listed(threads, { archived: true })]).toEqual([[], [threadId]]);
      expect(await threads.unarchive(threadId)).toEqual({ kind: "done", threadIds: [threadId] });
      expect([await listed(threads), await threads.unarchive(threadId)]).toMatchObject([
        [threadId],
        { message: `no archived rollout found for thread id ${threadId}` },
      ]);
    });

    test("a thread that a fork goes on from cannot be deleted before the fork", async () => {
      const world = openWorld();
      const { threads } = await world.open();
      const source = await makeThread(world, threads, ["t1"]);
      const fork = await threads.fork(source, { kind: "whole" }, world.origin());
      if (fork.kind === "refused") throw new Error(fork.message);
      await fork.journal.close();
      expect(await threads.delete(source)).toMatchObject({
        message: `cannot delete thread ${source}: forked history still references it`,
      });
      expect((await threads.delete(fork.journal.threadId)).kind).toBe("done");
      expect((await threads.delete(source)).kind).toBe("done");
      expect(await listed(threads)).toEqual([]);
    });

    test("a thread that is written to stays where it is", async () => {
      const world = openWorld();
      const { threads } = await world.open();
      const journal = threads.create(world.origin());
      await writeTurn(journal, "t1");
      expect([await threads.archive(journal.threadId), await threads.delete(journal.threadId)]).toMatchObject(
        [{ reason: "activeWriter" }, { reason: "activeWriter" }],
      );
    });
  });

  describe("what is known beside the file", () => {
    test("git facts are patched over those of the file", async () => {
      const world = openWorld();
      const { threads } = await world.open();
      const git = { sha: "abc", branch: "main", originUrl: null };
      const threadId = await makeThread(world, threads, ["t1"], { git });
      await threads.updateMetadata(threadId, { gitInfo: { branch: "work" } });
      const entry = await threads.updateMetadata(threadId, { gitInfo: { sha: null } });
      expect("details" in entry && entry.details.gitInfo).toEqual({
        sha: null,
        branch: "work",
        originUrl: null,
      });
    });

    test("goals are lines of the file", async () => {
      const world = openWorld();
      const { threads } = await world.open();
      const threadId = await makeThread(world, threads, ["t1"]);
      expect(await threads.setGoal(threadId, { objective: "finish" })).toEqual({ kind: "done" });
      expect(await threads.goal(threadId)).toEqual({ objective: "finish" });
      await threads.setGoal(threadId, null);
      expect(await threads.goal(threadId)).toBeNull();
    });

    test("read states are replaced by whoever knows the one before", async () => {
      const world = openWorld();
      const { threads } = await world.open();
      const threadId = await makeThread(world, threads, ["t1"]);
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
