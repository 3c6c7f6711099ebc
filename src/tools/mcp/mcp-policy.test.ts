import { expect, test } from "vitest";
import { POLICY } from "./fixtures/mcp-bench.ts";
import { isUnrestricted, needsApproval, takesQuestions } from "./mcp-policy.ts";

test.each([
  ["auto", undefined, true],
  ["auto", { readOnlyHint: true }, false],
  ["auto", { readOnlyHint: true, destructiveHint: true }, true],
  ["auto", { destructiveHint: false }, true],
  ["auto", { destructiveHint: false, openWorldHint: false }, false],
  ["writes", { readOnlyHint: true }, false],
  ["writes", { destructiveHint: false, openWorldHint: false }, true],
  ["prompt", { readOnlyHint: true }, true],
  ["approve", { destructiveHint: true }, false],
] as const)("in mode %s a tool with the hints %j needs leave: %s", (mode, annotations, expected) => {
  expect(needsApproval(mode, annotations)).toBe(expected);
});

test("only a thread that asks nobody and may do everything is unrestricted", () => {
  const open = { type: "dangerFullAccess" } as const;
  expect([
    isUnrestricted({ ...POLICY, approvalPolicy: "never", sandbox: open }),
    isUnrestricted({ ...POLICY, approvalPolicy: "on-request", sandbox: open }),
    isUnrestricted({ ...POLICY, approvalPolicy: "never" }),
  ]).toEqual([true, false, false]);
});

test("a granular policy says itself whether servers may ask", () => {
  const granular = (mcp_elicitations: boolean) => ({
    granular: { sandbox_approval: true, rules: true, mcp_elicitations },
  });
  expect([
    takesQuestions({ ...POLICY, approvalPolicy: granular(true) }),
    takesQuestions({ ...POLICY, approvalPolicy: granular(false) }),
  ]).toEqual([true, false]);
});
