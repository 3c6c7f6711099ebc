import { describe, expect, test } from "vitest";
import type { HookEventName } from "../hook-event.ts";
import type { HandlerResult } from "../outcome.ts";
import { decide } from "./index.ts";
import { CLAUDE, CODEX, exited, summary } from "./outcome-summary.fixture.ts";
import { readOutcome } from "./read-outcome.ts";

const GUARDS: readonly HookEventName[] = [
  "UserPromptSubmit",
  "PreToolUse",
  "PermissionRequest",
  "PostToolUse",
];

const specific = (members: object) => ({ hookSpecificOutput: { hookEventName: "PreToolUse", ...members } });

describe("a malformed denial is a failure that still blocks:", () => {
  const said = (where: string) => `\`${where}\` says no: blocked all the same`;
  test.each([
    [
      "a denial beside a field that nobody knows",
      { ...specific({ permissionDecision: "deny", permissionDecisionReason: "no" }), foo: 1 },
      `hook returned invalid pre-tool-use JSON output\nunknown field \`foo\`\n${said("hookSpecificOutput.permissionDecision")}`,
      "no",
    ],
    [
      "a denial without the name of its event",
      { hookSpecificOutput: { permissionDecision: "deny", permissionDecisionReason: "no" } },
      "hook returned invalid pre-tool-use JSON output\nmissing field `hookSpecificOutput.hookEventName`\n" +
        said("hookSpecificOutput.permissionDecision"),
      "no",
    ],
    [
      "a denial at the top",
      { permissionDecision: "deny", permissionDecisionReason: "no" },
      "hook returned invalid pre-tool-use JSON output\nunknown field `permissionDecision`\n" +
        `unknown field \`permissionDecisionReason\`\n${said("permissionDecision")}`,
      "no",
    ],
    [
      "a denial without a reason",
      specific({ permissionDecision: "deny" }),
      "PreToolUse hook returned permissionDecision:deny without a non-empty permissionDecisionReason\n" +
        said("hookSpecificOutput.permissionDecision"),
      "PreToolUse hook said no and gave no reason",
    ],
    [
      "a block without a reason",
      { decision: "block" },
      `PreToolUse hook returned decision:block without a non-empty reason\n${said("decision")}`,
      "PreToolUse hook said no and gave no reason",
    ],
    [
      "a block in words of others",
      { decision: "deny", reason: "no" },
      "hook returned invalid pre-tool-use JSON output\n" +
        `\`decision\`: expected one of approve, block; got "deny"\n${said("decision")}`,
      "no",
    ],
    [
      "an end",
      { continue: false, stopReason: "no" },
      `PreToolUse hook returned unsupported continue:false\n${said("continue")}`,
      "no",
    ],
    [
      "a block beside an allowance",
      { decision: "block", reason: "no", ...specific({ permissionDecision: "allow" }) },
      said("decision"),
      "no",
    ],
  ])("%s", (_, output, error, reason) => {
    expect(summary(readOutcome("PreToolUse", exited(0, output), CODEX))).toStrictEqual([
      "failed",
      `error: ${error}`,
      `> block ${JSON.stringify(reason)}`,
    ]);
  });

  test.each([
    ["UserPromptSubmit", "a blocking reason"],
    ["PreToolUse", "a blocking reason"],
    ["PermissionRequest", "a denial reason"],
    ["PostToolUse", "feedback"],
  ] as const)("exit code 2 without a reason, for %s", (event, missing) => {
    expect(summary(readOutcome(event, exited(2), CODEX))).toStrictEqual([
      "failed",
      `error: ${event} hook exited with code 2 but did not write ${missing} to stderr\n` +
        "its exit code says no: blocked all the same",
      `> block "${event} hook said no and gave no reason"`,
    ]);
  });

  test("a denial of permission that would interrupt", () => {
    const decision = { behavior: "deny", message: "no", interrupt: true };
    const output = { hookSpecificOutput: { hookEventName: "PermissionRequest", decision } };
    expect(readOutcome("PermissionRequest", exited(0, output), CODEX)).toMatchObject({
      status: "failed",
      effect: { block: "no" },
    });
    expect(summary(readOutcome("PermissionRequest", exited(0, output), CLAUDE))).toStrictEqual([
      "blocked",
      "feedback: no",
      '> block "no"',
      '> stop "no"',
    ]);
  });

  test("a denial in a member that Claude Code does not read", () => {
    const output = { permissionDecision: "deny", permissionDecisionReason: "no" };
    expect(summary(readOutcome("PreToolUse", exited(0, output), CLAUDE))).toStrictEqual([
      "failed",
      "error: `permissionDecision` says no: blocked all the same",
      '> block "no"',
    ]);
  });

  test("only at events that guard something", () => {
    for (const event of ["Stop", "SubagentStop", "PreCompact", "SessionStart", "Interrupt"] as const) {
      const output = { decision: "block", reason: "no", continue: false, foo: 1 };
      expect(readOutcome(event, exited(0, output), CODEX).effect).toMatchObject({ block: null, stop: null });
    }
  });

  test("only if it is the hook's own", () => {
    const stdout = '{"__proto__": {"decision": "block", "reason": "no"}}';
    expect(summary(readOutcome("PreToolUse", exited(0, stdout), CODEX))).toStrictEqual([
      "failed",
      "error: hook returned invalid pre-tool-use JSON output\nunknown field `__proto__`",
    ]);
  });
});

describe("a fail-closed hook", () => {
  const closed = { ...CODEX, onFailure: "closed" as const };
  const results: readonly (readonly [HandlerResult, string])[] = [
    [{ kind: "timedOut", seconds: 5 }, "hook timed out after 5s"],
    [{ kind: "failed", message: "no such file" }, "no such file"],
    [{ kind: "interrupted" }, "hook was interrupted"],
    [exited(1, "", "why"), "hook exited with code 1"],
    [exited(null), "hook exited without a status code"],
  ];

  test.each(GUARDS)("blocks what it guards: %s", (event) => {
    for (const [result, failure] of results) {
      expect(summary(readOutcome(event, result, closed))).toStrictEqual([
        "failed",
        `error: ${failure}\nonFailure is "closed": blocked`,
        `> block ${JSON.stringify(failure)}`,
      ]);
    }
  });

  test("uses the first line of the fault as the reason", () => {
    expect(readOutcome("PreToolUse", exited(0, "{"), closed).effect.block).toBe(
      "hook returned invalid pre-tool-use JSON output",
    );
  });

  test("has its normal effect if it does not fail", () => {
    expect(summary(readOutcome("PreToolUse", exited(0), closed))).toStrictEqual(["completed"]);
    expect(summary(readOutcome("PreToolUse", exited(2, "", "no"), closed))[0]).toBe("blocked");
  });

  test("does not make a turn continue", () => {
    for (const [result] of results) expect(readOutcome("Stop", result, closed).effect.block).toBeNull();
  });
});

describe("a guard with an inconclusive run", () => {
  const cut = (stdout: string): HandlerResult => ({
    kind: "exited",
    exitCode: 0,
    stdout,
    stderr: "",
    isCut: true,
  });
  const results: readonly (readonly [HandlerResult, string])[] = [
    [{ kind: "timedOut", seconds: 5 }, "hook timed out after 5s"],
    [{ kind: "failed", message: "no such file" }, "no such file"],
    [exited(null), "hook exited without a status code"],
    [exited(126), "hook exited with code 126"],
    [exited(127), "hook exited with code 127"],
    [exited(137), "hook exited with code 137"],
    [cut('{"hookSpecificOutput":{"permissionDe'), "hook returned invalid"],
    [cut("no, because"), "the hook's output was cut"],
  ];

  test.each([CODEX, CLAUDE])("makes the user be asked: %j", (traits) => {
    for (const [result, failure] of results) {
      const { status, entries, effect } = readOutcome("PreToolUse", result, traits);
      const reason = expect.stringContaining(`a hook could not judge this: `);
      expect([failure, status, effect]).toMatchObject([
        failure,
        "failed",
        { block: null, permission: { behavior: "ask", reason } },
      ]);
      expect(entries.at(-1)?.text).toMatch(/\nit could not judge the call: the call is asked about$/u);
    }
  });

  test("prevents another hook from allowing a call that the user is asked about", () => {
    const allow = exited(0, {
      hookSpecificOutput: { hookEventName: "PermissionRequest", decision: { behavior: "allow" } },
    });
    const run = (result: HandlerResult, displayOrder: number) => ({
      runId: String(displayOrder),
      hook: {
        key: String(displayOrder),
        displayOrder,
        dialect: "codex",
        additionalContextLimit: null,
      } as const,
      outcome: readOutcome("PermissionRequest", result, CODEX),
    });
    expect(decide("PermissionRequest", [run(allow, 1)]).verdict).toEqual({ behavior: "allow" });
    for (const [result] of results)
      expect(decide("PermissionRequest", [run(allow, 1), run(result, 2)]).verdict).toBeNull();
  });

  test.each<HandlerResult>([exited(1, "", "why"), exited(0, "{"), { kind: "interrupted" }])(
    "is none that has run to its end: %j",
    (result) => {
      expect(readOutcome("PreToolUse", result, CODEX).effect.permission).toBeNull();
    },
  );
});
