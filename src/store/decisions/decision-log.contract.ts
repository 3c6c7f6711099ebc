import { describe, expect, test } from "vitest";
import { MAX_SUBJECT_CHARACTERS } from "./clip-subject.ts";
import type { DecisionLog, Matter, Subject, Verdict } from "./decision-log.ts";

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

/** What every log of decisions promises, whatever it is made of. */
export function decisionLogContract(name: string, open: (maxEntries?: number) => DecisionLog): void {
  describe(`${name} decisions`, () => {
    test("are kept as they were given, the newest first", async () => {
      const log = open();
      const files: Matter = { ...matter, atMs: 5, subject: { kind: "fileChange", paths: ["/a", "/b"] } };
      await log.record(matter, approved);
      await log.record(files, denied);
      expect(await log.list(ALL)).toEqual([
        { ...files, number: 2, verdict: denied },
        { ...matter, number: 1, verdict: approved },
      ]);
      expect(await log.list({ limit: 1 })).toEqual([{ ...files, number: 2, verdict: denied }]);
    });

    test("are open until they are closed, and then stay as they are", async () => {
      const log = open();
      const number = await log.open(matter);
      expect(await log.list(ALL)).toEqual([{ ...matter, number, verdict: null }]);
      for (const other of [{ threadId: "other" }, { itemId: "other" }, { atMs: 9 }])
        expect(await log.close(number, { ...matter, ...other }, approved)).toBe(false);
      expect(await log.close(number, matter, denied)).toBe(true);
      expect(await log.close(number, matter, approved)).toBe(false);
      expect(await log.close(number + 1, matter, approved)).toBe(false);
      expect(await log.list(ALL)).toEqual([{ ...matter, number, verdict: denied }]);
    });

    test("can be listed by thread", async () => {
      const log = open();
      await log.record(matter, approved);
      await log.record({ ...matter, threadId: "other" }, denied);
      const other = await log.list({ threadId: "other", limit: 9 });
      expect(other).toEqual([{ ...matter, threadId: "other", number: 2, verdict: denied }]);
    });

    test("that a thread left open are denied, and no others", async () => {
      const log = open();
      await log.open(matter);
      await log.record(matter, approved);
      await log.open({ ...matter, threadId: "other" });
      expect(await log.closeUnanswered("thread", 9)).toBe(1);
      expect(await log.closeUnanswered("thread", 10)).toBe(0);
      const verdict = {
        atMs: 9,
        outcome: "denied",
        by: { kind: "failure" },
        reason: "the server ended before anybody answered",
      };
      expect((await log.list(ALL)).map((each) => each.verdict)).toEqual([null, approved, verdict]);
    });

    test("beyond the limit push the oldest out", async () => {
      const log = open(3);
      for (const atMs of [1, 2, 3, 4, 5]) await log.record({ ...matter, atMs }, approved);
      expect(await log.close(1, { ...matter, atMs: 1 }, denied)).toBe(false);
      expect((await log.list(ALL)).map(({ atMs }) => atMs)).toEqual([5, 4, 3]);
    });

    test("keep no more of a long command than there is room for", async () => {
      const log = open();
      const script = "x".repeat(MAX_SUBJECT_CHARACTERS * 2);
      await log.open({ ...matter, subject: { kind: "command", argv: ["sh", script, "more"], cwd: "/" } });
      const [entry] = await log.list(ALL);
      expect(entry?.subject).toEqual({
        kind: "command",
        argv: ["sh", `${script.slice(0, MAX_SUBJECT_CHARACTERS - 2)}…`],
        cwd: "/",
      });
    });

    test("keep no more of names, paths and reasons that others choose", async () => {
      const log = open();
      const long = "x".repeat(MAX_SUBJECT_CHARACTERS + 1);
      const cut = `${long.slice(1)}…`;
      const tool: Subject = { kind: "mcpTool", server: "one", tool: long };
      const permissions: Subject = { kind: "permissions", network: true, read: [], write: [long, "/more"] };
      await log.record({ ...matter, subject: tool }, { ...denied, reason: long });
      const number = await log.open({ ...matter, subject: permissions });
      await log.close(number, matter, { ...approved, reason: long });
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
      const log = open();
      const argv = ["curl", "-u", "me:pass", "-H", "Authorization: Bearer abcdefghijklmnop", "--token", "t"];
      const by = { kind: "rule", prefix: ["x", "--password", "hunter2"], file: null } as const;
      await log.record(
        { ...matter, subject: { kind: "command", argv, cwd: "/" } },
        { ...denied, by, reason: "`x --password hunter2` rejected" },
      );
      const text = JSON.stringify(await log.list(ALL));
      expect(text).toContain("me:[REDACTED_SECRET]");
      expect(text).not.toMatch(/pass"|abcdefghijklmnop|"t"|hunter2/);
    });
  });
}
