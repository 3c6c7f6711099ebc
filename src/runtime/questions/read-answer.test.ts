import { describe, expect, test } from "vitest";
import { readAnswer } from "./read-answer.ts";

const AMENDMENT = { acceptWithExecpolicyAmendment: { execpolicy_amendment: ["make"] } };
const NETWORK = { permissions: { network: { enabled: true } }, scope: "session" };

describe("an answer from outside of the thread", () => {
  test.each([
    ["command", "accept", "approved", { decision: "accept" }],
    ["command", AMENDMENT, "approved", { decision: AMENDMENT }],
    ["command", { decision: "cancel" }, "cancelled", { decision: "cancel" }],
    ["fileChange", "decline", "denied", { decision: "decline" }],
    ["mcpTool", "accept", "approved", { action: "accept", content: null, _meta: null }],
    ["mcpTool", "decline", "denied", { action: "decline", content: null, _meta: null }],
    ["permissions", NETWORK, "approved", NETWORK],
    ["permissions", "decline", "denied", { permissions: {}, scope: "turn" }],
  ] as const)("to a question about a %s may be %j, which is %s", (kind, decision, outcome, result) => {
    expect(readAnswer(kind, decision)).toEqual({ kind: "answer", outcome, result });
  });

  test.each([
    ["command", "yes"],
    ["command", null],
    ["command", { decision: { accept: true } }],
    ["fileChange", AMENDMENT],
    ["mcpTool", "perhaps"],
    ["permissions", "accept"],
    ["permissions", 1],
  ] as const)("to a question about a %s may not be %j", (kind, decision) => {
    expect(readAnswer(kind, decision).kind).toBe("wrong");
  });
});
