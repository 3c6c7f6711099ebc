import { expect, test } from "vitest";
import { decideRetry } from "./approval-policy.ts";

const granular = (sandbox_approval: boolean) => ({
  granular: { sandbox_approval, rules: true, mcp_elicitations: true },
});

test("a command that failed in its sandbox is retried without it if the policy lets users decide", () => {
  const reason = "command failed; retry without sandbox?";
  expect([
    decideRetry("untrusted", true),
    decideRetry("untrusted", false),
    decideRetry(granular(true), false),
    decideRetry(granular(false), false),
    decideRetry("on-request", true),
    decideRetry("never", false),
  ]).toEqual([
    { kind: "run" },
    { kind: "ask", reason },
    { kind: "ask", reason },
    { kind: "forbid" },
    { kind: "forbid" },
    { kind: "forbid" },
  ]);
});
