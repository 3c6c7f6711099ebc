import { expect, test } from "vitest";
import type { Decision } from "../../protocol/generated/types.ts";
import { deciderOf, describeOutcome, detailsOf, whatOf } from "./describe-decision.ts";

const OPEN: Decision = {
  id: "d",
  threadId: "t",
  turnId: "u",
  itemId: "i",
  kind: "command",
  command: "npm publish",
  cwd: "/repo",
  paths: null,
  server: null,
  tool: null,
  permissions: null,
  requestedAt: 1,
  verdict: null,
  rule: null,
  cause: { kind: "rule", pattern: ["npm", "publish"], file: "a.rules", line: 12, justification: null },
};

const decided = (kind: string, more: object = {}, reason: string | null = null) =>
  ({
    ...OPEN,
    verdict: { outcome: "denied", by: { kind, name: null, subject: null, ...more }, reason, decidedAt: 2 },
  }) as Decision;

test("an open decision says why it was asked", () => {
  expect([describeOutcome(OPEN).words, deciderOf(OPEN)]).toEqual(["open", "not decided yet"]);
  expect(detailsOf(OPEN)).toEqual(["The rule for “npm publish” asks, in a.rules line 12."]);
});

test("it says who decided, and what they said", () => {
  expect(deciderOf(decided("client", { name: "console", subject: "ana" }))).toBe("ana, console");
  expect(deciderOf(decided("client"))).toBe("a client");
  expect(deciderOf(decided("timeOut"))).toBe("nobody answered in time");
  expect(detailsOf({ ...decided("hook", {}, "a secret is in it"), cause: null })).toEqual([
    "“a secret is in it”",
  ]);
  const byRule = { ...decided("rule"), rule: { pattern: ["git", "push"], file: "b.rules" }, cause: null };
  expect([deciderOf(byRule), ...detailsOf(byRule)]).toEqual(["rule git push", "b.rules"]);
});

test("permissions are listed", () => {
  const permissions = { network: true, read: [], write: ["/a", "/b"] };
  expect(whatOf({ ...OPEN, kind: "permissions", permissions }).text).toBe(
    "Permission: network; write /a, /b",
  );
  expect(whatOf({ ...OPEN, kind: "mcpTool", server: "s", tool: "t" })).toEqual({ text: "s.t", isCode: true });
});
