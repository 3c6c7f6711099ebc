import { describe, expect, test } from "vitest";
import { CLAUDE, CODEX, exited, summary } from "./outcome-summary.fixture.ts";
import { readOutcome } from "./read-outcome.ts";

const specific = (members: object) => ({ hookSpecificOutput: { hookEventName: "PreToolUse", ...members } });
const deny = { permissionDecision: "deny", permissionDecisionReason: " no " };
const context = { additionalContext: "know this" };

const both: readonly [what: string, output: string | object, ...expected: string[]][] = [
  ["text", "plain", "completed"],
  ["nothing to say", {}, "completed"],
  ["a denial", specific(deny), "blocked", "feedback: no", '> block "no"'],
  [
    "a denial with context and a message",
    { systemMessage: "hello", ...specific({ ...deny, ...context }) },
    "blocked",
    "warning: hello",
    "context: know this",
    "feedback: no",
    '> tell "know this"',
    '> block "no"',
  ],
  [
    "a block in the older words",
    { decision: "block", reason: " no " },
    "blocked",
    "feedback: no",
    '> block "no"',
  ],
  ["bare allow", specific({ permissionDecision: "allow" }), "completed", "> allow null"],
  [
    "bare ask",
    specific({ permissionDecision: "ask", permissionDecisionReason: "look" }),
    "completed",
    '> ask "look"',
  ],
  [
    "another input that is allowed",
    specific({ permissionDecision: "allow", updatedInput: { command: "ls" } }),
    "completed",
    "> allow null",
    '> input {"command":"ls"}',
  ],
  [
    "another input to ask about",
    specific({ permissionDecision: "ask", updatedInput: { command: "ls" } }),
    "completed",
    "> ask null",
    '> input {"command":"ls"}',
  ],
  ["context", specific(context), "completed", "context: know this", '> tell "know this"'],
];

describe.each([CODEX, CLAUDE])("PreToolUse, $dialect", (hook) => {
  test.each(both.map(([what, output, ...expected]) => ({ what, output, expected })))(
    "$what",
    ({ output, expected }) => {
      expect(summary(readOutcome("PreToolUse", exited(0, output), hook))).toStrictEqual(expected);
    },
  );
});

describe("PreToolUse refuses, as the peer does,", () => {
  test.each([
    ["stopReason", { stopReason: "x" }, "unsupported stopReason"],
    ["suppressOutput", { suppressOutput: true }, "unsupported suppressOutput"],
    [
      "another input without a decision",
      specific({ updatedInput: {}, ...context }),
      "updatedInput without permissionDecision:allow",
    ],
    [
      "a reason without a decision",
      specific({ permissionDecisionReason: "x" }),
      "permissionDecisionReason without permissionDecision",
    ],
    ["approve", { decision: "approve" }, "unsupported decision:approve"],
    ["a reason in the older words", { reason: "x" }, "reason without decision"],
  ])("%s", (_, output, words) => {
    expect(summary(readOutcome("PreToolUse", exited(0, output), CODEX))).toStrictEqual([
      "failed",
      `error: PreToolUse hook returned ${words}`,
    ]);
  });

  test("an unknown decision, and names the field", () => {
    const output = specific({ permissionDecision: "maybe" });
    expect(summary(readOutcome("PreToolUse", exited(0, output), CODEX))).toStrictEqual([
      "failed",
      "error: hook returned invalid pre-tool-use JSON output\n" +
        '`hookSpecificOutput.permissionDecision`: expected one of allow, deny, ask, defer; got "maybe"',
    ]);
  });
});

describe("visibility of messages", () => {
  test.each([
    ["user", ["completed", "context: words"]],
    ["model", ["completed", '> tell "words"']],
    ["both", ["completed", "context: words", '> tell "words"']],
  ])("context for %s", (visibility, expected) => {
    const output = specific({ additionalContext: "words", additionalContextVisibility: visibility });
    expect(summary(readOutcome("PreToolUse", exited(0, output), CODEX))).toStrictEqual(expected);
  });

  test.each([
    ["user", ["completed", "warning: words"]],
    ["model", ["completed", '> tell "words"']],
    ["both", ["completed", "warning: words", '> tell "words"']],
  ])("a message for %s", (visibility, expected) => {
    const output = { systemMessage: "words", systemMessageVisibility: visibility };
    expect(summary(readOutcome("PreToolUse", exited(0, output), CODEX))).toStrictEqual(expected);
  });

  test("is limited to the user where the event cannot send text to the model", () => {
    const output = { systemMessage: "words", systemMessageVisibility: "model" };
    expect(summary(readOutcome("Stop", exited(0, output), CODEX))[0]).toBe("failed");
    expect(summary(readOutcome("Stop", exited(0, output), CLAUDE))).toStrictEqual([
      "completed",
      "warning: words",
    ]);
  });
});

describe("an async hook", () => {
  const hook = { ...CODEX, isAsync: true, onFailure: "closed" as const };
  test.each([
    [exited(2, "", "no"), ["failed", "error: hook exited with code 2"]],
    [exited(0, specific({ ...deny, ...context })), ["completed", "context: know this", '> tell "know this"']],
    [exited(0, { continue: false, systemMessage: "hello" }), ["completed", "warning: hello"]],
  ])("decides nothing", (result, expected) => {
    expect(summary(readOutcome("PreToolUse", result, hook))).toStrictEqual(expected);
  });

  test("may give any answer at the end of a turn", () => {
    expect(summary(readOutcome("Stop", exited(0, "done"), hook))).toStrictEqual(["completed"]);
  });
});
