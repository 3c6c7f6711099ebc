import { describe, expect, test } from "vitest";
import type { HookEventName } from "../hook-event.ts";
import type { HandlerResult } from "../outcome.ts";
import { CLAUDE, exited, summary } from "./outcome-summary.fixture.ts";
import { readOutcome } from "./read-outcome.ts";

const specific = (hookEventName: string, members: object) => ({
  hookSpecificOutput: { hookEventName, ...members },
});
const context = { additionalContext: "know this" };

type Row = readonly [event: HookEventName, what: string, result: HandlerResult, ...expected: string[]];

/** Events whose hooks may approve explicitly. */
const APPROVING = ["Stop", "SubagentStop", "UserPromptSubmit", "PostToolUse", "PreCompact"] as const;

const rows: readonly Row[] = [
  ...APPROVING.map(
    (event): Row => [event, "an approval", exited(0, { decision: "approve", reason: "fine" }), "completed"],
  ),
  [
    "PreToolUse",
    "the wrong type with code 2",
    exited(2, { decision: 1 }, "no"),
    "blocked",
    "feedback: no",
    '> block "no"',
  ],
  [
    "PostToolUse",
    "a block without a reason",
    exited(0, { decision: "block" }),
    "blocked",
    "feedback: PostToolUse hook blocked the result",
    '> block "PostToolUse hook blocked the result"',
  ],
  [
    "PreCompact",
    "a block without a reason",
    exited(0, { decision: "block" }),
    "blocked",
    "feedback: PreCompact hook blocked the compaction",
    '> block "PreCompact hook blocked the compaction"',
  ],
  [
    "PreToolUse",
    "fields that nobody knows",
    exited(0, { terminalSequence: "x", ...specific("PreToolUse", { permissionDecision: "allow", foo: 1 }) }),
    "completed",
    "> allow null",
  ],
  [
    "PreToolUse",
    "an answer of a program that failed",
    exited(1, specific("PreToolUse", { permissionDecision: "deny", permissionDecisionReason: "no" })),
    "blocked",
    "feedback: no",
    '> block "no"',
  ],
  [
    "PreToolUse",
    "an allowance with code 2",
    exited(2, specific("PreToolUse", { permissionDecision: "allow", ...context }), "no"),
    "blocked",
    "context: know this",
    "feedback: no",
    '> tell "know this"',
    '> block "no"',
  ],
  [
    "PreToolUse",
    "a failure without an answer",
    exited(1, "text", "why"),
    "failed",
    "error: hook exited with code 1",
  ],
  ["PreToolUse", "half of JSON", exited(0, '{"decision": "blo'), "completed"],
  ["PreToolUse", "an array", exited(0, "[]"), "completed"],
  [
    "PreToolUse",
    "an end",
    exited(0, { continue: false, stopReason: "enough" }),
    "stopped",
    "stop: enough",
    '> stop "enough"',
  ],
  [
    "PreToolUse",
    "what somebody else decides",
    exited(0, specific("PreToolUse", { permissionDecision: "defer" })),
    "completed",
    "> ask null",
  ],
  [
    "PreToolUse",
    "approval in the older words",
    exited(0, { decision: "approve", reason: "fine" }),
    "completed",
    '> allow "fine"',
  ],
  [
    "PreToolUse",
    "another input and no decision",
    exited(0, specific("PreToolUse", { updatedInput: { command: "ls" } })),
    "completed",
    '> input {"command":"ls"}',
  ],
  [
    "PreToolUse",
    "a denial without a reason",
    exited(0, specific("PreToolUse", { permissionDecision: "deny" })),
    "blocked",
    "feedback: PreToolUse hook denied the call",
    '> block "PreToolUse hook denied the call"',
  ],
  [
    "PreToolUse",
    "the wrong type",
    exited(0, specific("PreToolUse", { permissionDecision: 1 })),
    "failed",
    "error: hook returned invalid pre-tool-use JSON output\n`hookSpecificOutput.permissionDecision`: expected one of allow, deny, ask, defer; got 1",
  ],
  [
    "PreToolUse",
    "code 2 without a word",
    exited(2),
    "blocked",
    "feedback: PreToolUse hook exited with code 2 but did not write a blocking reason to stderr",
    '> block "PreToolUse hook exited with code 2 but did not write a blocking reason to stderr"',
  ],
  ["PermissionRequest", "code 2", exited(2, "", "no"), "failed", "error: hook exited with code 2"],
  ["PermissionRequest", "an end", exited(0, { continue: false }), "stopped", "> stop null"],
  [
    "PermissionRequest",
    "an allowance of something else",
    exited(0, specific("PermissionRequest", { decision: { behavior: "allow", updatedInput: {} } })),
    "failed",
    "error: PermissionRequest hook returned unsupported updatedInput",
  ],
  [
    "PermissionRequest",
    "suppressed output",
    exited(0, { suppressOutput: true, stopReason: "x" }),
    "completed",
  ],
  [
    "PostToolUse",
    "an end",
    exited(0, { continue: false }),
    "stopped",
    "stop: PostToolUse hook stopped execution",
    '> stop "PostToolUse hook stopped execution"',
  ],
  [
    "PostToolUse",
    "another output",
    exited(0, specific("PostToolUse", { updatedToolOutput: "x" })),
    "completed",
    '> output "x"',
  ],
  [
    "PostToolUse",
    "another output in the shape of a command's",
    exited(
      0,
      specific("PostToolUse", {
        updatedToolOutput: { stdout: "x", stderr: "y", interrupted: false, isImage: false },
      }),
    ),
    "completed",
    '> output "x\\ny"',
  ],
  [
    "PostToolUse",
    "another output of an MCP tool",
    exited(0, specific("PostToolUse", { updatedMCPToolOutput: { a: 1 } })),
    "completed",
    '> output {"a":1}',
  ],
  ["PreCompact", "code 2", exited(2, "", "no"), "blocked", "feedback: no", '> block "no"'],
  [
    "PreCompact",
    "a block",
    exited(0, { decision: "block", reason: "no" }),
    "blocked",
    "feedback: no",
    '> block "no"',
  ],
  ["PostCompact", "code 2", exited(2, "", "no"), "failed", "error: no"],
  ["PostCompact", "a block", exited(0, { decision: "block", reason: "no" }), "completed"],
  ["Stop", "text", exited(0, "done"), "completed"],
  [
    "Stop",
    "context",
    exited(0, specific("Stop", context)),
    "completed",
    "context: know this",
    '> tell "know this"',
  ],
  [
    "Stop",
    "a block without a reason",
    exited(0, { decision: "block" }),
    "blocked",
    "feedback: Stop hook requests that the work continues",
    '> block "Stop hook requests that the work continues"',
  ],
  ["SessionStart", "half of JSON", exited(0, "{half"), "completed", "context: {half", '> tell "{half"'],
  ["SessionStart", "an array", exited(0, "[1]"), "completed", "context: [1]", '> tell "[1]"'],
  [
    "SessionStart",
    "text of a program that failed",
    exited(1, "text"),
    "failed",
    "error: hook exited with code 1",
  ],
  ["SessionStart", "code 2", exited(2, "", "no"), "failed", "error: hook exited with code 2"],
  ["SubagentStart", "text", exited(0, "text"), "completed"],
  ["UserPromptSubmit", "half of JSON", exited(0, "{half"), "completed", "context: {half", '> tell "{half"'],
];

describe("a hook of Claude Code", () => {
  test.each(rows.map(([event, what, result, ...expected]) => ({ event, what, result, expected })))(
    "$event: $what",
    ({ event, result, expected }) => {
      expect(summary(readOutcome(event, result, CLAUDE))).toStrictEqual(expected);
    },
  );
});
