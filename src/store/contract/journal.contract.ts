import { describe, expect, test } from "vitest";
import { textMember } from "../../base/json-members.ts";
import { completed, started } from "../lines/lines.fixture.ts";
import {
  accepted,
  type CreateHarness,
  createFinishedThread,
  listed,
  opened,
  turnLines,
  turnsOf,
  writeTurn,
} from "./store-harness.fixture.ts";

export function journalContract(createHarness: CreateHarness): void {
  describe("a new thread", () => {
    test("is listed and durable only from its first append on", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const journal = threads.create(harness.origin({ cwd: "/here" }));
      expect([journal.fence, await listed(threads)]).toEqual([null, []]);
      expect(await threads.read(journal.threadId)).toBeNull();
      await writeTurn(journal, "t1", "What is it?", "A thread.");
      expect(journal.fence?.threadId).toBe(journal.threadId);
      expect(await threads.read(journal.threadId)).toMatchObject({
        threadId: journal.threadId,
        archived: false,
        location: journal.location,
        facts: { preview: "What is it?", cwd: "/here", baseInstructions: null },
      });
      expect([await listed(threads), threads.journal(journal.threadId)]).toEqual([
        [journal.threadId],
        journal,
      ]);
      await journal.close();
      expect(threads.journal(journal.threadId)).toBeNull();
    });

    test("shows a turn as running while its thread is held, and as interrupted afterwards", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const journal = threads.create(harness.origin());
      await journal.append([...turnLines(journal.threadId, "t1", "a", "b"), started("t2")]);
      expect(await turnsOf(threads, journal.threadId)).toEqual([
        "t1 completed t1-user t1-agent",
        "t2 inProgress",
      ]);
      await journal.close();
      expect(await turnsOf(threads, journal.threadId)).toEqual([
        "t1 completed t1-user t1-agent",
        "t2 interrupted",
      ]);
    });
  });

  describe("a thread that several processes may make", () => {
    test("is made by the first, and also by another one if that has died before", async () => {
      const harness = createHarness();
      const origin = harness.origin({ mayExist: true });
      const [one, other] = [await harness.open(), await harness.open()];
      const first = one.threads.create(origin);
      const second = other.threads.create(origin);
      expect((await first.persist()).kind).toBe("persisted");
      expect(await second.persist()).toMatchObject({ kind: "fenced", reason: "takenOver" });
      await second.close();
      await writeTurn(first, "t1");
      await first.close();
      harness.advance(1000);
      const late = other.threads.create(origin);
      expect((await late.append([started("t2")])).kind).toBe("fenced");
      await late.close();
      expect(await turnsOf(other.threads, origin.threadId)).toEqual(["t1 completed t1-user t1-agent"]);

      const lost = harness.origin({ mayExist: true });
      const dead = await harness.openDead();
      expect((await dead.leases.acquire(lost.threadId, "ifFree")).kind).toBe("held");
      expect((await other.threads.create(lost).persist()).kind).toBe("persisted");
    });
  });

  describe("persist", () => {
    test("makes a thread durable without an append, and returns its fence", async () => {
      const harness = createHarness();
      const [one, other] = [await harness.open(), await harness.open()];
      const journal = one.threads.create(harness.origin({ cwd: "/here" }));
      const outcome = await journal.persist();
      expect(outcome).toEqual({ kind: "persisted", fence: journal.fence });
      expect(await journal.persist()).toEqual(outcome);
      expect(await other.threads.read(journal.threadId)).toMatchObject({ facts: { cwd: "/here" } });
      expect(await journal.append([started("t1")])).toEqual({ kind: "kept", firstSeq: 1 });
    });

    test("is refused once the journal is closed", async () => {
      const harness = createHarness();
      const journal = (await harness.open()).threads.create(harness.origin());
      await journal.close();
      expect(await journal.persist()).toMatchObject({ kind: "unavailable", reason: "closed" });
    });
  });

  describe("an append", () => {
    test("returns the position of its first line, in call order", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const journal = threads.create(harness.origin());
      const outcomes = await Promise.all(
        [["a"], ["b", "c"], ["d"]].map(async (names) => journal.append(names.map((name) => started(name)))),
      );
      expect(outcomes).toEqual([1, 2, 4].map((firstSeq) => ({ kind: "kept", firstSeq })));
      await journal.close();
      const again = await opened(threads, journal.threadId);
      expect(await again.append([started("e")])).toEqual({ kind: "kept", firstSeq: 5 });
      const lines: string[] = [];
      for await (const { seq, line } of threads.lines(journal.threadId))
        lines.push(`${seq} ${textMember(line.payload, "turn_id") ?? line.type}`);
      expect(lines).toEqual(["0 session_meta", "1 a", "2 b", "3 c", "4 d", "5 e"]);
    });

    test("puts the deferred end of a turn before its lines", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const journal = threads.create(harness.origin());
      const lines = turnLines(journal.threadId, "t1", "a", "b");
      await journal.append(lines.slice(0, 3));
      const [end] = lines.slice(3);
      if (end !== undefined) journal.deferTurnEnd({ turnId: "t1", line: end, error: null });
      expect(await turnsOf(threads, journal.threadId)).toEqual(["t1 interrupted t1-user t1-agent"]);
      expect(await journal.append([started("t2")])).toEqual({ kind: "kept", firstSeq: 5 });
      expect(await turnsOf(threads, journal.threadId)).toEqual([
        "t1 completed t1-user t1-agent",
        "t2 inProgress",
      ]);
    });

    test("is unavailable once the journal is closed, and stores nothing", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const journal = threads.create(harness.origin());
      await writeTurn(journal, "t1");
      await journal.close();
      expect(await journal.append([started("t2"), started("t3")])).toMatchObject({
        kind: "unavailable",
        reason: "closed",
      });
      expect(await turnsOf(threads, journal.threadId)).toHaveLength(1);
    });

    test("is fenced once another process holds the thread, and stores nothing", async () => {
      const harness = createHarness();
      const [one, other] = [(await harness.open()).threads, (await harness.open()).threads];
      const threadId = await createFinishedThread(harness, one, ["t1"]);
      const first = await opened(one, threadId);
      expect(await other.open(threadId)).toEqual({
        kind: "refused",
        reason: "activeWriter",
        message: `thread ${threadId} already has an active writer`,
      });
      const second = await opened(other, threadId, { takeOver: true });
      const late = await Promise.all([first.append([started("x")]), first.append([started("y")])]);
      expect(late.map(({ kind }) => kind)).toEqual(["fenced", "fenced"]);
      await writeTurn(second, "t2");
      expect((await first.append([started("z")])).kind).toBe("fenced");
      await first.close();
      expect((await second.append([started("t3")])).kind).toBe("kept");
      expect(await turnsOf(one, threadId)).toEqual([
        "t1 completed t1-user t1-agent",
        "t2 completed t2-user t2-agent",
        "t3 inProgress",
      ]);
    });

    test("is fenced if another process has written to the thread and released it", async () => {
      const harness = createHarness();
      const [one, other] = [(await harness.open()).threads, (await harness.open()).threads];
      const threadId = await createFinishedThread(harness, one, ["t1"]);
      const first = await opened(one, threadId);
      const second = await opened(other, threadId, { takeOver: true });
      await writeTurn(second, "t2");
      await second.close();
      expect((await first.append([started("late")])).kind).toBe("fenced");
      expect(await turnsOf(other, threadId)).toHaveLength(2);
    });

    test("succeeds if another process held the thread and released it without a write", async () => {
      const harness = createHarness();
      const [one, other] = [await harness.open(), await harness.open()];
      const threadId = await createFinishedThread(harness, one.threads, ["t1"]);
      const first = await opened(one.threads, threadId);
      const before = first.fence?.epoch ?? 0;
      await (await opened(other.threads, threadId, { takeOver: true })).close();
      await writeTurn(first, "t2");
      await (await opened(other.threads, threadId, { takeOver: true })).close();
      const { fence } = first;
      if (fence === null) throw new Error("it has no fence");
      expect(fence.epoch).toBeGreaterThan(before);
      const subject = { kind: "fileChange", paths: ["/a"] } as const;
      const request = { threadId, turnId: "t2", itemId: "item", atMs: 1, subject };
      expect(await one.decisions.open(fence, request)).toMatchObject({ kind: "kept" });
      await writeTurn(first, "t3");
      expect((await other.threads.open(threadId)).kind).toBe("refused");
      expect(await turnsOf(other.threads, threadId)).toHaveLength(3);
      await first.close();
      expect(await other.leases.isHeld(threadId)).toBe(false);
    });

    test("is fenced if the thread was reverted meanwhile", async () => {
      const harness = createHarness();
      const [one, other] = [(await harness.open()).threads, (await harness.open()).threads];
      const threadId = await createFinishedThread(harness, one, ["t1", "t2"]);
      const first = await opened(one, threadId);
      await (await opened(other, threadId, { takeOver: true })).close();
      expect((await other.revert(threadId, "t2")).kind).toBe("done");
      expect((await first.append([started("late")])).kind).toBe("fenced");
      expect(await turnsOf(other, threadId)).toHaveLength(1);
    });
  });

  describe("a thread that is opened again", () => {
    test("continues at its last line, with its model history", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const threadId = await createFinishedThread(harness, threads, ["t1"]);
      const answer = accepted(await threads.open(threadId));
      expect([answer.facts.baseInstructions, answer.unfinishedTurnId]).toEqual(["Be brief.", null]);
      await writeTurn(answer.journal, "t2");
      expect(await turnsOf(threads, threadId, "desc")).toEqual([
        "t2 completed t2-user t2-agent",
        "t1 completed t1-user t1-agent",
      ]);
      expect((await threads.open(threadId)).kind).toBe("refused");
    });

    test("returns the unfinished turn, which reads as interrupted", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const journal = threads.create(harness.origin());
      await journal.append([...turnLines(journal.threadId, "t1", "a", "b"), started("t2")]);
      await journal.close();
      const answer = accepted(await threads.open(journal.threadId));
      expect(answer.unfinishedTurnId).toBe("t2");
      expect((await turnsOf(threads, journal.threadId))[1]).toBe("t2 interrupted");
    });

    test("can continue its unfinished turn, which then reads as in progress until its end", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const journal = threads.create(harness.origin());
      await journal.append([started("t1")]);
      await journal.close();
      const { journal: opened, unfinishedTurnId } = accepted(await threads.open(journal.threadId));
      opened.continueTurn("another");
      expect(await turnsOf(threads, journal.threadId)).toEqual(["t1 interrupted"]);
      opened.continueTurn(unfinishedTurnId ?? "");
      expect(await turnsOf(threads, journal.threadId)).toEqual(["t1 inProgress"]);
      await opened.append([completed("t1")]);
      expect(await turnsOf(threads, journal.threadId)).toEqual(["t1 completed"]);
    });

    test("is refused if it is archived or missing", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const threadId = await createFinishedThread(harness, threads, ["t1"]);
      await threads.archive(threadId);
      expect([await threads.open(threadId), await threads.open(harness.createId())]).toMatchObject([
        { kind: "refused", reason: "archived" },
        { kind: "refused", reason: "missing" },
      ]);
    });
  });
}
