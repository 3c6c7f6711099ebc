import { describe, expect, test } from "vitest";
import {
  MAX_QUESTION_CHARACTERS,
  MAX_SUBJECT_CHARACTERS,
  type NewDecisionRequest,
  type NewVerdict,
  type Recorded,
  type StoredDecision,
  type Subject,
} from "../decisions.ts";
import type { WriterFence } from "../leases.ts";
import type { CreateHarness, StoreHarness } from "./store-harness.fixture.ts";

const request: NewDecisionRequest = {
  threadId: "thread",
  turnId: "turn",
  itemId: "item",
  subject: { kind: "command", argv: ["/bin/bash", "-lc", "echo 'ä€😀'"], cwd: "/project" },
};
const approved: NewVerdict = {
  outcome: "approved",
  by: { kind: "rule", prefix: ["echo"], file: "/home/rules/default.rules" },
  reason: null,
};
const denied: NewVerdict = {
  outcome: "denied",
  by: { kind: "client", name: "editor" },
  reason: "rejected by user",
};
const ALL = { limit: 100 };

/** An ephemeral thread has no other holder. */
const SOURCE: WriterFence = { threadId: "thread", ephemeral: true };

export function decisionsContract(createHarness: CreateHarness): void {
  async function open(maxDecisions?: number) {
    const harness = createHarness({ maxDecisions });
    const { decisions } = await harness.open();
    return { harness, log: decisions };
  }
  /** The stored entry. */
  const at = (
    harness: StoreHarness,
    expected: NewDecisionRequest,
    number: number,
    verdict: NewVerdict | null,
  ): StoredDecision => ({
    ...expected,
    number,
    atMs: harness.now(),
    verdict: verdict === null ? null : { ...verdict, atMs: harness.now() },
  });

  describe("decisions", () => {
    test("are stored as given, with the store's time, newest first", async () => {
      const { harness, log } = await open();
      const files: NewDecisionRequest = { ...request, subject: { kind: "fileChange", paths: ["/a", "/b"] } };
      const first = at(harness, request, 1, approved);
      expect(await log.record(SOURCE, request, approved)).toEqual({ kind: "kept", decision: first });
      harness.advance(1000);
      await log.record(SOURCE, files, denied);
      const second = at(harness, files, 2, denied);
      expect(await log.list(ALL)).toEqual([second, first]);
      expect(await log.list({ limit: 1 })).toEqual([second]);
    });

    test("are open until they are closed, and then immutable", async () => {
      const { harness, log } = await open();
      const asked = await opened(log.open(SOURCE, request));
      expect(await log.list(ALL)).toEqual([at(harness, request, 1, null)]);
      harness.advance(1000);
      for (const other of [{ threadId: "other" }, { itemId: "other" }, { atMs: 9 }, { number: 2 }])
        expect(await log.close(SOURCE, { ...asked, ...other }, approved)).toEqual(LATE);
      const verdict = { ...denied, atMs: harness.now() };
      expect(await log.close(SOURCE, asked, denied)).toEqual({ kind: "closed", verdict });
      expect(await log.close(SOURCE, asked, approved)).toEqual(LATE);
      expect(await log.list(ALL)).toEqual([{ ...asked, verdict }]);
    });

    test("are answered once, by any process, and closed with that answer by the holder of the thread", async () => {
      const harness = createHarness();
      const [holder, other, third] = [await harness.open(), await harness.open(), await harness.open()];
      const lease = await holder.leases.acquire("thread", "ifFree");
      if (lease.kind === "elsewhere") throw new Error("it is held elsewhere");
      const asked = await opened(holder.decisions.open(lease.fence, request));
      harness.advance(1000);
      const outcomes = await Promise.all([
        other.decisions.answer(asked, denied),
        third.decisions.answer(asked, approved),
      ]);
      const kinds = outcomes.map(({ kind }) => kind);
      expect([...kinds].sort()).toEqual(["first", "late"]);
      const answered = { ...(kinds[0] === "first" ? denied : approved), atMs: harness.now() };
      // The answer takes effect only when the decision is closed.
      expect((await other.decisions.list(ALL))[0]?.verdict).toBeNull();
      harness.advance(1000);
      expect(await holder.decisions.close(lease.fence, asked, approved)).toEqual({
        kind: "closed",
        verdict: answered,
      });
      expect(await other.decisions.answer(asked, approved)).toEqual(LATE);
      expect(await other.decisions.answer({ ...asked, itemId: "other" }, approved)).toEqual(LATE);
      expect((await third.decisions.list(ALL))[0]?.verdict).toEqual(answered);
    });

    test("that were answered but not closed are denied by closeUnanswered", async () => {
      const { decisions: log, leases } = await createHarness().open();
      const lease = await leases.acquire("thread", "ifFree");
      if (lease.kind === "elsewhere") throw new Error("it is held elsewhere");
      const asked = await opened(log.open(lease.fence, request));
      await log.answer(asked, approved);
      expect(await log.closeUnanswered(lease.fence)).toEqual({ kind: "closed", count: 1 });
      expect((await log.list(ALL))[0]?.verdict?.outcome).toBe("denied");
    });

    test("can be listed by thread", async () => {
      const { harness, log } = await open();
      await log.record(SOURCE, request, approved);
      await log.record(SOURCE, { ...request, threadId: "other" }, denied);
      const other = await log.list({ threadId: "other", limit: 9 });
      expect(other).toEqual([at(harness, { ...request, threadId: "other" }, 2, denied)]);
    });

    test("can be asked again by another process while they are open", async () => {
      const harness = createHarness();
      const [holder, other] = [await harness.open(), await harness.open()];
      const lease = await holder.leases.acquire("thread", "ifFree");
      if (lease.kind === "elsewhere") throw new Error("it is held elsewhere");
      const question = {
        method: "ask",
        params: { command: "echo --password secret" },
        subject: request.subject,
      };
      const asked = await opened(holder.decisions.open(lease.fence, request, question));
      const plain = await opened(holder.decisions.open(lease.fence, { ...request, itemId: "plain" }));
      const { verdict: _none, ...entry } = asked;
      const { verdict: _open, ...second } = plain;
      const first = { ...entry, question, answer: null };
      expect(await other.decisions.openQuestions(ALL)).toEqual([
        first,
        { ...second, question: null, answer: null },
      ]);
      expect(await other.decisions.openQuestions({ threadId: "thread", limit: 1 })).toEqual([first]);
      expect(await other.decisions.openQuestions({ threadId: "other", limit: 9 })).toEqual([]);
      expect(await other.decisions.openQuestions({ after: asked.number, limit: 9 })).toHaveLength(1);
      const result = { decision: "acceptForSession" };
      await other.decisions.answer(asked, denied, result);
      const answer = { ...denied, atMs: harness.now(), result };
      expect(await holder.decisions.findAnswer(asked)).toEqual(answer);
      expect(await holder.decisions.findAnswer(plain)).toBeNull();
      expect((await holder.decisions.openQuestions(ALL))[0]).toEqual({ ...first, answer });
      const verdict = { ...denied, atMs: harness.now() };
      expect(await holder.decisions.close(lease.fence, asked, approved)).toEqual({
        kind: "closed",
        verdict,
        result,
      });
      expect(await holder.decisions.findAnswer(asked)).toBeNull();
      expect(await holder.decisions.openQuestions(ALL)).toHaveLength(1);
    });

    test("are not kept to be asked again where they are too long", async () => {
      const { log } = await open();
      const params = { command: "x".repeat(MAX_QUESTION_CHARACTERS) };
      await log.open(SOURCE, request, { method: "ask", params, subject: request.subject });
      expect(await log.openQuestions(ALL)).toMatchObject([{ question: null }]);
    });

    test.each([
      { outcome: "denied", by: { kind: "policy" }, reason: "forbidden now" },
      { outcome: "cancelled", by: { kind: "interruption" }, reason: null },
    ] as const)("are closed as $outcome by $by.kind although an answer is recorded", async (given) => {
      const { harness, log } = await open();
      const asked = await opened(log.open(SOURCE, request));
      await log.answer(asked, approved, { decision: "accept" });
      const verdict = { ...given, atMs: harness.now() };
      expect(await log.close(SOURCE, asked, given)).toEqual({ kind: "closed", verdict });
      expect(await log.list(ALL)).toEqual([{ ...asked, verdict }]);
    });

    test("can be listed by turn, by number and before a number", async () => {
      const { log } = await open();
      for (const turnId of ["one", "two", "one"]) await log.record(SOURCE, { ...request, turnId }, approved);
      const numbers = async (query: object) =>
        (await log.list({ ...ALL, ...query })).map(({ number }) => number);
      expect(await numbers({ threadId: "thread", turnId: "one" })).toEqual([3, 1]);
      expect(await numbers({ number: 2 })).toEqual([2]);
      expect(await numbers({ before: 3 })).toEqual([2, 1]);
    });

    test("of a turn that is continued are spared by closeUnanswered", async () => {
      const { decisions: log, leases } = await createHarness().open();
      const lease = await leases.acquire("thread", "ifFree");
      if (lease.kind === "elsewhere") throw new Error("it is held elsewhere");
      await log.open(lease.fence, request);
      await log.open(lease.fence, { ...request, turnId: "earlier" });
      expect(await log.closeUnanswered(lease.fence, "turn")).toEqual({ kind: "closed", count: 1 });
      expect(await log.openQuestions(ALL)).toMatchObject([{ turnId: "turn" }]);
    });

    test("that are open in a thread are denied by closeUnanswered, and no others", async () => {
      const harness = createHarness();
      const { decisions: log, leases } = await harness.open();
      const lease = await leases.acquire("thread", "ifFree");
      if (lease.kind === "elsewhere") throw new Error("it is held elsewhere");
      await log.open(lease.fence, request);
      await log.record(lease.fence, request, approved);
      await log.open(SOURCE, { ...request, threadId: "other" });
      expect(await log.closeUnanswered(lease.fence)).toEqual({ kind: "closed", count: 1 });
      expect(await log.closeUnanswered(lease.fence)).toEqual({ kind: "closed", count: 0 });
      const verdict = {
        atMs: harness.now(),
        outcome: "denied",
        by: { kind: "failure" },
        reason: "the server ended before anybody answered",
      };
      expect((await log.list(ALL)).map((each) => each.verdict)).toEqual([
        null,
        { ...approved, atMs: harness.now() },
        verdict,
      ]);
    });

    test("of a thread that another process has taken over are fenced and not recorded", async () => {
      const harness = createHarness();
      const [one, other] = [await harness.open(), await harness.open()];
      const lease = await one.leases.acquire("thread", "ifFree");
      if (lease.kind === "elsewhere") throw new Error("it is held elsewhere");
      const asked = await opened(one.decisions.open(lease.fence, request));
      await other.leases.acquire("thread", "takeOver");
      expect([
        await one.decisions.record(lease.fence, request, approved),
        await one.decisions.open(lease.fence, request),
        await one.decisions.close(lease.fence, asked, approved),
        await one.decisions.closeUnanswered(lease.fence),
      ]).toEqual([1, 2, 3, 4].map(() => ({ kind: "fenced" })));
      expect(await other.decisions.list(ALL)).toEqual([at(harness, request, 1, null)]);
    });

    test("beyond the limit evict the oldest", async () => {
      const { log } = await open(3);
      const asked = await opened(log.open(SOURCE, request));
      for (const itemId of ["2", "3", "4", "5"]) await log.record(SOURCE, { ...request, itemId }, approved);
      expect(await log.close(SOURCE, asked, denied)).toEqual(LATE);
      expect((await log.list(ALL)).map(({ itemId }) => itemId)).toEqual(["5", "4", "3"]);
    });

    test("truncate a long command", async () => {
      const { log } = await open();
      const script = "x".repeat(MAX_SUBJECT_CHARACTERS * 2);
      await log.open(SOURCE, {
        ...request,
        subject: { kind: "command", argv: ["sh", script, "more"], cwd: "/" },
      });
      const [entry] = await log.list(ALL);
      expect(entry?.subject).toEqual({
        kind: "command",
        argv: ["sh", `${script.slice(0, MAX_SUBJECT_CHARACTERS - 2)}…`],
        cwd: "/",
      });
    });

    test("truncate long names, paths and reasons", async () => {
      const { harness, log } = await open();
      const long = "x".repeat(MAX_SUBJECT_CHARACTERS + 1);
      const cut = `${long.slice(1)}…`;
      const tool: Subject = { kind: "mcpTool", server: "one", tool: long };
      const permissions: Subject = { kind: "permissions", network: true, read: [], write: [long, "/more"] };
      await log.record(SOURCE, { ...request, subject: tool }, { ...denied, reason: long });
      const asked = await opened(log.open(SOURCE, { ...request, subject: permissions }));
      await log.close(SOURCE, asked, { ...approved, reason: long });
      const clipped = { ...permissions, write: [cut] };
      expect(await log.list(ALL)).toEqual([
        at(harness, { ...request, subject: clipped }, 2, { ...approved, reason: cut }),
        at(harness, { ...request, subject: { ...tool, tool: cut } }, 1, { ...denied, reason: cut }),
      ]);
    });

    test("redact secrets in a command and in texts that quote it", async () => {
      const { log } = await open();
      const argv = ["curl", "-u", "me:pass", "-H", "Authorization: Bearer abcdefghijklmnop", "--token", "t"];
      const by = { kind: "rule", prefix: ["x", "--password", "hunter2"], file: null } as const;
      await log.record(
        SOURCE,
        { ...request, subject: { kind: "command", argv, cwd: "/" } },
        { ...denied, by, reason: "`x --password hunter2` rejected" },
      );
      const text = JSON.stringify(await log.list(ALL));
      expect(text).toContain("me:[REDACTED_SECRET]");
      expect(text).not.toMatch(/pass"|abcdefghijklmnop|"t"|hunter2/);
    });
  });
}

const LATE = { kind: "late" };

async function opened(recorded: Promise<Recorded>): Promise<StoredDecision> {
  const outcome = await recorded;
  if (outcome.kind === "fenced") throw new Error("the thread is held elsewhere");
  return outcome.decision;
}
