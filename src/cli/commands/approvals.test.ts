import { expect, test } from "vitest";
import type { DecidedBy, StoredDecision } from "../../store/decisions.ts";
import { renderDecision } from "./approvals.ts";

const decision: StoredDecision = {
  number: 1,
  threadId: "thread",
  turnId: "turn",
  itemId: "call",
  atMs: 0,
  subject: { kind: "command", argv: ["/bin/bash", "-lc", "make it"], cwd: "/project" },
  verdict: { atMs: 1000, outcome: "denied", by: { kind: "client", name: "editor" }, reason: null },
};

test("a decision tells when, what, who and where", () => {
  expect(renderDecision(decision)).toBe(
    "1970-01-01T00:00:01.000Z  denied     /bin/bash -lc 'make it' in /project\n" +
      "                          by the client editor  (thread call)\n",
  );
});

test("a question that is open says so", () => {
  expect(renderDecision({ ...decision, verdict: null })).toBe(
    "1970-01-01T00:00:00.000Z  open       /bin/bash -lc 'make it' in /project\n" +
      "                          nobody has answered yet  (thread call)\n",
  );
});

test.each<[DecidedBy, string]>([
  [{ kind: "policy" }, "by the approval policy: why"],
  [{ kind: "rule", prefix: ["rm"], file: "/a.rules" }, "by the rule for rm in /a.rules: why"],
  [{ kind: "sessionGrant" }, "by an earlier answer for the session: why"],
  [{ kind: "client", name: null }, "by a client: why"],
  [{ kind: "timeOut" }, "by time-out: why"],
  [{ kind: "interruption" }, "by interruption: why"],
  [{ kind: "failure" }, "by failure: why"],
])("%j is said in words", (by, words) => {
  const verdict = { atMs: 1, outcome: "denied", by, reason: "why" } as const;
  expect(
    renderDecision({ ...decision, verdict })
      .split("\n")[1]
      ?.trim(),
  ).toBe(`${words}  (thread call)`);
});

test("what a model wants beyond its sandbox is said in words", () => {
  const subject = { kind: "permissions", network: true, read: [], write: ["/a b"] } as const;
  expect(renderDecision({ ...decision, subject }).split("\n")[0]).toBe(
    "1970-01-01T00:00:01.000Z  denied     have more than the sandbox allows: the network, write '/a b'",
  );
});

test("words of a model cannot steer the terminal, and long ones are cut", () => {
  const paths = ["/a\u001b[2J\nb", "x".repeat(500)];
  const [line = ""] = renderDecision({ ...decision, subject: { kind: "fileChange", paths } }).split("\n");
  expect(line).toContain("change '/a\\u{1b}[2J\\u{a}b' xxx");
  expect(line.length).toBeLessThan(220);
});
