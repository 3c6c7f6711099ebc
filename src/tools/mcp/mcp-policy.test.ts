import { expect, test } from "vitest";
import { POLICY } from "./fixtures/mcp-bench.ts";
import { forwardsElicitations } from "./mcp-policy.ts";

test("a granular policy says itself whether servers may ask", () => {
  const granular = (mcp_elicitations: boolean) => ({
    granular: { sandbox_approval: true, rules: true, mcp_elicitations },
  });
  expect([
    forwardsElicitations({ ...POLICY, approvalPolicy: granular(true) }),
    forwardsElicitations({ ...POLICY, approvalPolicy: granular(false) }),
  ]).toEqual([true, false]);
});
