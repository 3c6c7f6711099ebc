import { describe, expect, test } from "vitest";
import {
  MAX_SUBJECT_CHARACTERS,
  type Matter,
  type Recorded,
  type Subject,
  type Verdict,
} from "../decisions.ts";
import type { FactSource } from "../leases.ts";
import type { OpenWorld } from "./world.fixture.ts";

const matter: Matter = {
  threadId: "thread",
  turnId: "turn",
  itemId: "item",
  atMs: 1,
  subject: { kind: "command", argv: ["/bin/bash", "-lc", "echo 'ä€😀'"], cwd: "/project" },
};
const approved: Verdict = {
  atMs: 2,
  outcome: "approved",
  by: { kind: "rule", prefix: ["echo"], file: "/home/rules/default.rules" },
  reason: null,
};
const denied: Verdict = {
  atMs: 3,
  outcome: "denied",
  by: { kind: "client", name: "editor" },
  reason: "rejected by user",
};
const ALL = { limit: 100 };

/** Nobody else can hold this one. */
const SOURCE: FactSource = { threadId: "thread", ephemeral: true };

export function decisionsContract(openWorld: OpenWorld): void {
  const open = async (maxDecisions?: number) => (await openWorld({ maxDecisions }).open()).decisions;

  describe("decisions", () => {
    test("are kept as they were given, the newest first", async () => {
      const log = await open();
      const files: Matter = { ...matter, atMs: 5, subject: { kind: "fileChange", paths: ["/a", "/b"] } };
      await log.record(SOURCE, matter, approved);
      await log.record(SOURCE, files, denied);
      expect(await log.list(ALL)).toEqual([
        { ...files, number: 2, verdict: denied },
        { ...matter, number: 1, verdict: approved },
      ]);
      expect(await log.list({ limit: 1 })).toEqual([{ ...files, number: 2, verdict: denied }]);
    });

    test("are open until they are closed, and then stay as they are", async () => {
      const log = await open();
      const number = await opened(log.open(SOURCE, matter));
      expect(await log.list(ALL)).toEqual([{ ...matter, number, verdict: null }]);
      for (const other of [{ threadId: "other" }, { itemId: "other" }, { atMs: 9 }])
        expect(await log.close(SOURCE, number, { ...matter, ...other }, approved)).toEqual(LATE);
      expect(await log.close(SOURCE, number, matter, denied)).toEqual({ kind: "closed" });
      expect(await log.close(SOURCE, number, matter, approved)).toEqual(LATE);
      expect(await log.close(SOURCE, number + 1, matter, approved)).toEqual(LATE);
      expect(await log.list(ALL)).toEqual([{ ...matter, number, verdict: denied }]);
    });

    test("can be listed by thread", async () => {
      const log = await open();
      await log.record(SOURCE, matter, approved);
      await log.record(SOURCE, { ...matter, threadId: "other" }, denied);
      const other = await log.list({ threadId: "other", limit: 9 });
      expect(other).toEqual([{ ...matter, threadId: "other", number: 2, verdict: denied }]);
    });

    test("that a thread left open are denied, and no others", async () => {
      const { decisions: log, leases } = await openWorld().open();
      const lease = await leases.acquire("thread", "ifFree");
      if (lease.kind === "elsewhere") throw new Error("it is held elsewhere");
      await log.open(lease.fence, matter);
      await log.record(lease.fence, matter, approved);
      await log.open(SOURCE, { ...matter, threadId: "other" });
      expect(await log.closeUnanswered(lease.fence, 9)).toEqual({ kind: "closed", count: 1 });
      expect(await log.closeUnanswered(lease.fence, 10)).toEqual({ kind: "closed", count: 0 });
      const verdict = {
        atMs: 9,
        outcome: "denied",
        by: { kind: "failure" },
        reason: "the server ended before anybody answered",
      };
      expect((await log.list(ALL)).map((each) => each.verdict)).toEqual([null, approved, verdict]);
    });

    test("of a thread that another process has taken are refused, and leave no trace", async () => {
      const world = openWorld();
      const [one, other] = [await world.open(), await world.open()];
      const lease = await one.leases.acquire("thread", "ifFree");
      if (lease.kind === "elsewhere") throw new Error("it is held elsewhere");
      const number = await opened(one.decisions.open(lease.fence, matter));
      await other.leases.acquire("thread", "takeOver");
      expect([
        await one.decisions.record(lease.fence, matter, approved),
        await one.decisions.open(lease.fence, matter),
        await one.decisions.close(lease.fence, number, matter, approved),
        await one.decisions.closeUnanswered(lease.fence, 9),
      ]).toEqual([1, 2, 3, 4].map(() => ({ kind: "fenced" })));
      expect(await other.decisions.list(ALL)).toEqual([{ ...matter, number, verdict: null }]);
    });

    test("beyond the limit push the oldest out", async () => {
      const log = await open(3);
      for (const atMs of [1, 2, 3, 4, 5]) await log.record(SOURCE, { ...matter, atMs }, approved);
      expect(await log.close(SOURCE, 1, { ...matter, atMs: 1 }, denied)).toEqual(LATE);
      expect((await log.list(ALL)).map(({ atMs }) => atMs)).toEqual([5, 4, 3]);
    });

    test("keep no more of a long command than there is room for", async () => {
      const log = await open();
      const script = "x".repeat(MAX_SUBJECT_CHARACTERS * 2);
      await log.open(SOURCE, {
        ...matter,
        subject: { kind: "command", argv: ["sh", script, "more"], cwd: "/" },
      });
      const [entry] = await log.list(ALL);
      expect(entry?.subject).toEqual({
        kind: "command",
        argv: ["sh", `${script.slice(0, MAX_SUBJECT_CHARACTERS - 2)}…`],
        cwd: "/",
      });
    });

    test("keep no more of names, paths and reasons that others choose", async () => {
      const log = await open();
      const long = "x".repeat(MAX_SUBJECT_CHARACTERS + 1);
      const cut = `${long.slice(1)}…`;
      const tool: Subject = { kind: "mcpTool", server: "one", tool: long };
      const permissions: Subject = { kind: "permissions", network: true, read: [], write: [long, "/more"] };
      await log.record(SOURCE, { ...matter, subject: tool }, { ...denied, reason: long });
      const number = await opened(log.open(SOURCE, { ...matter, subject: permissions }));
      await log.close(SOURCE, number, matter, { ...approved, reason: long });
      expect(await log.list(ALL)).toEqual([
        {
          ...matter,
          number,
          subject: { ...permissions, write: [cut] },
          verdict: { ...approved, reason: cut },
        },
        { ...matter, number: 1, subject: { ...tool, tool: cut }, verdict: { ...denied, reason: cut } },
      ]);
    });

    test("keeps no secret of a command, nor of what quotes it", async () => {
      const log = await open();
      const argv = ["curl", "-u", "me:pass", "-H", "Authorization: Bearer abcdefghijklmnop", "--token", "t"];
      const by = { kind: "rule", prefix: ["x", "--password", "hunter2"], file: null } as const;
      await log.record(
        SOURCE,
        { ...matter, subject: { kind: "command", argv, cwd: "/" } },
        { ...denied, by, reason: "`x --password hunter2` rejected" },
      );
      const text = JSON.stringify(await log.list(ALL));
      expect(text).toContain("me:[REDACTED_SECRET]");
      expect(text).not.toMatch(/pass"|abcdefghijklmnop|"t"|hunter2/);
    });
  });
}

const LATE = { kind: "late" };

async function opened(recorded: Promise<Recorded>): Promise<number> {
  const outcome = await recorded;
  if (outcome.kind === "fenced") throw new Error("the thread is held elsewhere");
  return outcome.number;
}
