import { describe, expect, test } from "vitest";
import type { HookEventName } from "../hook-event.ts";
import type { HandlerResult } from "../outcome.ts";
import { CODEX, exited, summary } from "./outcome-summary.fixture.ts";
import { readOutcome } from "./read-outcome.ts";

type Row = readonly [what: string, result: HandlerResult, ...expected: string[]];

function outcomes(event: HookEventName, rows: readonly Row[]): void {
  describe(event, () => {
    test.each(rows.map(([what, result, ...expected]) => ({ what, result, expected })))(
      "$what",
      ({ result, expected }) => {
        const found = summary(readOutcome(event, result, CODEX));
        // The request for approval after an inconclusive run has separate tests.
        expect(found.filter((line) => !line.startsWith('> ask "a hook could not judge'))).toStrictEqual(
          expected,
        );
      },
    );
  });
}

const failures: readonly Row[] = [
  ["that is silent", exited(0), "completed"],
  ["that says only white space", exited(0, " \n\t"), "completed"],
  ["that took too long", { kind: "timedOut", seconds: 5 }, "failed", "error: hook timed out after 5s"],
  ["that could not start", { kind: "failed", message: "no such file" }, "failed", "error: no such file"],
  ["that was interrupted", { kind: "interrupted" }, "failed", "error: hook was interrupted"],
];

const codes: readonly Row[] = [
  ["that fails", exited(7, "words", "why"), "failed", "error: hook exited with code 7"],
  ["that was killed", exited(null), "failed", "error: hook exited without a status code"],
];

/** Exit code 2 has no special meaning. */
const plainTwo: readonly Row[] = [
  ["that ends with 2 and words", exited(2, "", "why"), "failed", "error: hook exited with code 2"],
  ["that ends with 2 and no words", exited(2), "failed", "error: hook exited with code 2"],
];

const answering = (hookEventName: string, members: object) => ({
  hookSpecificOutput: { hookEventName, ...members },
});

const context = { additionalContext: "know this" };

const stopping = { continue: false, stopReason: "enough" };

for (const [event, words] of [
  ["SessionStart", "session start"],
  ["SubagentStart", "subagent start"],
] as const) {
  const invalid = `error: hook returned invalid ${words} JSON output`;
  outcomes(event, [
    ...failures,
    ...codes,
    ...plainTwo,
    [
      "with context",
      exited(0, answering(event, context)),
      "completed",
      "context: know this",
      '> tell "know this"',
    ],
    [
      "with empty context",
      exited(0, answering(event, { additionalContext: "" })),
      "completed",
      "context: ",
      '> tell ""',
    ],
    ["with null for context", exited(0, answering(event, { additionalContext: null })), "completed"],
    ["with text", exited(0, " plain \n"), "completed", "context: plain", '> tell "plain"'],
    ["with a JSON string", exited(0, '"plain"'), "completed", 'context: "plain"', '> tell "\\"plain\\""'],
    ["with null", exited(0, "null"), "completed", "context: null", '> tell "null"'],
    [
      "with a message",
      exited(0, { systemMessage: "hello", suppressOutput: true }),
      "completed",
      "warning: hello",
    ],
    ["with half of JSON", exited(0, '{"continue": fal'), "failed", `${invalid}\nit is not JSON`],
    ["with an array", exited(0, "[]"), "failed", `${invalid}\nexpected an object; got an array`],
    [
      "with a field that nobody knows",
      exited(0, { ...answering(event, context), foo: 1 }),
      "failed",
      `${invalid}\nunknown field \`foo\``,
    ],
    [
      "without the name of its event",
      exited(0, { hookSpecificOutput: context }),
      "failed",
      `${invalid}\nmissing field \`hookSpecificOutput.hookEventName\``,
    ],
    [
      "with the name of another event",
      exited(0, answering("Stop", context)),
      "completed",
      "context: know this",
      '> tell "know this"',
    ],
  ]);
}

outcomes("SessionStart", [
  [
    "that stops",
    exited(0, { ...answering("SessionStart", context), ...stopping, systemMessage: "hello" }),
    "stopped",
    "warning: hello",
    "context: know this",
    "stop: enough",
    '> tell "know this"',
    '> stop "enough"',
  ],
  ["that stops without a reason", exited(0, { continue: false }), "stopped", "> stop null"],
]);

outcomes("SubagentStart", [["that would stop", exited(0, stopping), "completed"]]);

outcomes("UserPromptSubmit", [
  ...failures,
  ...codes,
  ["with text", exited(0, "plain\n"), "completed", "context: plain", '> tell "plain"'],
  ["that ends with 2 and words", exited(2, "x", " no \n"), "blocked", "feedback: no", '> block "no"'],
  [
    "that blocks",
    exited(0, { decision: "block", reason: "no", ...answering("UserPromptSubmit", context) }),
    "blocked",
    "context: know this",
    "feedback: no",
    '> tell "know this"',
    '> block "no"',
  ],
  ["that stops", exited(0, stopping), "stopped", "stop: enough", '> stop "enough"'],
  ["that stops without a reason", exited(0, { continue: false }), "stopped", "> stop null"],
  ["with a reason for nothing", exited(0, { reason: "x" }), "completed"],
  [
    "that blocks with more than words",
    exited(0, { decision: "block", reason: " no " }),
    "blocked",
    "feedback:  no ",
    '> block " no "',
  ],
  [
    "that blocks behind a byte order mark",
    exited(0, '\uFEFF{"decision":"block","reason":"no"}'),
    "blocked",
    "feedback: no",
    '> block "no"',
  ],
  [
    "with the name of an event that has no answers",
    exited(0, answering("SessionEnd", context)),
    "failed",
    "error: hook returned invalid user prompt submit JSON output\n" +
      '`hookSpecificOutput.hookEventName`: expected "UserPromptSubmit"; got "SessionEnd"',
  ],
  [
    "with more text than may be",
    { kind: "exited", exitCode: 0, stdout: "plain", stderr: "", isCut: true },
    "completed",
    "warning: the hook's output was cut: it was longer than may be",
    "context: plain",
    '> tell "plain"',
  ],
  [
    "with more JSON than may be",
    { kind: "exited", exitCode: 0, stdout: '{"decision": "bl', stderr: "", isCut: true },
    "failed",
    "error: hook returned invalid user prompt submit JSON output\n" +
      "it is not complete: it was longer than may be, and was cut",
  ],
  [
    "with the wrong type",
    exited(0, { systemMessage: 123 }),
    "failed",
    "error: hook returned invalid user prompt submit JSON output\n`systemMessage`: expected a string; got 123",
  ],
]);

outcomes("PermissionRequest", [
  ...failures,
  ...codes,
  ["with text", exited(0, "plain"), "completed"],
  ["that ends with 2 and words", exited(2, "", " no \n"), "blocked", "feedback: no", '> block "no"'],
  [
    "that allows",
    exited(0, answering("PermissionRequest", { decision: { behavior: "allow" } })),
    "completed",
    "> allow null",
  ],
  [
    "that denies",
    exited(0, answering("PermissionRequest", { decision: { behavior: "deny", message: " no " } })),
    "blocked",
    "feedback: no",
    '> block "no"',
  ],
  [
    "that denies without a message",
    exited(0, answering("PermissionRequest", { decision: { behavior: "deny" } })),
    "blocked",
    "feedback: PermissionRequest hook denied approval",
    '> block "PermissionRequest hook denied approval"',
  ],
  ...(
    [
      [{ updatedInput: {} }, "updatedInput"],
      [{ updatedPermissions: [] }, "updatedPermissions"],
      [{ interrupt: true }, "interrupt:true"],
    ] as const
  ).map(
    ([members, words]): Row => [
      `that allows with ${words}`,
      exited(0, answering("PermissionRequest", { decision: { behavior: "allow", ...members } })),
      "failed",
      `error: PermissionRequest hook returned unsupported ${words}`,
    ],
  ),
  [
    "with stopReason",
    exited(0, { stopReason: "x" }),
    "failed",
    "error: PermissionRequest hook returned unsupported stopReason",
  ],
  [
    "with suppressOutput",
    exited(0, { suppressOutput: true }),
    "failed",
    "error: PermissionRequest hook returned unsupported suppressOutput",
  ],
]);

outcomes("PostToolUse", [
  ...failures,
  ...codes,
  ["with text", exited(0, "plain"), "completed"],
  ["that ends with 2 and words", exited(2, "", " no \n"), "blocked", "feedback: no", '> block "no"'],
  [
    "that blocks",
    exited(0, { decision: "block", reason: " no ", ...answering("PostToolUse", context) }),
    "blocked",
    "context: know this",
    "feedback:  no ",
    '> tell "know this"',
    '> block " no "',
  ],
  ["that stops", exited(0, stopping), "stopped", "stop: enough", '> block "enough"'],
  [
    "that stops without words",
    exited(0, { continue: false }),
    "stopped",
    "stop: PostToolUse hook stopped execution",
    '> block "PostToolUse hook stopped execution"',
  ],
  [
    "that stops with a reason",
    exited(0, { ...stopping, reason: " r " }),
    "stopped",
    "stop: enough",
    '> block "r"',
  ],
  [
    "with another output",
    exited(0, answering("PostToolUse", { updatedOutput: { a: 1 } })),
    "completed",
    '> output {"a":1}',
  ],
  [
    "with another output in the older words",
    exited(0, answering("PostToolUse", { updatedMCPToolOutput: {}, ...context })),
    "failed",
    "error: PostToolUse hook returned unsupported updatedMCPToolOutput",
  ],
  [
    "with suppressOutput",
    exited(0, { suppressOutput: true, systemMessage: "hello" }),
    "failed",
    "warning: hello",
    "error: PostToolUse hook returned unsupported suppressOutput",
  ],
  [
    "with a reason for nothing",
    exited(0, { reason: "x" }),
    "failed",
    "error: PostToolUse hook returned reason without decision",
  ],
]);

for (const event of ["PreCompact", "PostCompact"] as const) {
  outcomes(event, [
    ...failures,
    ["with text", exited(0, "plain"), "completed"],
    ["with a message", exited(0, { systemMessage: "hello" }), "completed", "warning: hello"],
    ["that ends with 2 and words", exited(2, "", " why \n"), "failed", "error: why"],
    ["that ends with 2 and no words", exited(2), "failed", "error: hook exited with code 2"],
    ["that fails", exited(7, "", "why"), "failed", "error: why"],
    ["that was killed", exited(null), "failed", "error: hook process terminated without an exit code"],
    ["that stops", exited(0, stopping), "stopped", "stop: enough", '> stop "enough"'],
    [
      "that stops without a reason",
      exited(0, { continue: false }),
      "stopped",
      `stop: ${event} hook stopped execution`,
      `> stop "${event} hook stopped execution"`,
    ],
    [
      "that blocks",
      exited(0, { decision: "block", reason: "no" }),
      "failed",
      `error: hook returned invalid ${event} hook JSON output\nunknown field \`decision\`\nunknown field \`reason\``,
    ],
  ]);
}

for (const [event, words] of [
  ["Stop", "stop"],
  ["SubagentStop", "subagent stop"],
] as const) {
  const invalid = `error: hook returned invalid ${words} hook JSON output`;
  outcomes(event, [
    ...failures,
    ...codes,
    ["with text", exited(0, "plain"), "failed", `${invalid}\nexpected a JSON object; got text`],
    [
      "that ends with 2 and words",
      exited(2, "", " go on \n"),
      "blocked",
      "feedback: go on",
      '> block "go on"',
    ],
    [
      "that ends with 2 and no words",
      exited(2),
      "failed",
      `error: ${event} hook exited with code 2 but did not write a continuation prompt to stderr`,
    ],
    [
      "that blocks",
      exited(0, { decision: "block", reason: " go on " }),
      "blocked",
      "feedback: go on",
      '> block "go on"',
    ],
    [
      "that blocks without a reason",
      exited(0, { decision: "block", reason: " " }),
      "failed",
      `error: ${event} hook returned decision:block without a non-empty reason`,
    ],
    [
      "that stops",
      exited(0, { ...stopping, decision: "block" }),
      "stopped",
      "stop: enough",
      '> stop "enough"',
    ],
    ["that stops without a reason", exited(0, { continue: false }), "stopped", "> stop null"],
    [
      "with context",
      exited(0, answering(event, context)),
      "failed",
      `${invalid}\nunknown field \`hookSpecificOutput\``,
    ],
  ]);
}

outcomes("Interrupt", [
  ...failures,
  ...codes,
  ...plainTwo,
  ["with a message", exited(0, { systemMessage: "bye" }), "completed", "warning: bye"],
  [
    "with text",
    exited(0, "plain"),
    "failed",
    "error: Interrupt hook returned non-JSON stdout\nexpected a JSON object; got text",
  ],
  [
    "that would stop",
    exited(0, { continue: false }),
    "failed",
    "error: hook returned invalid interrupt hook JSON output\nunknown field `continue`",
  ],
]);

outcomes("SessionEnd", [
  ...failures,
  ["with an answer", exited(0, { systemMessage: "bye", foo: 1 }), "completed"],
  ["with half of JSON", exited(0, "{"), "completed"],
  ["that ends with 2 and words", exited(2, "", " why \n"), "failed", "error: why"],
  ["that ends with 2 and no words", exited(2), "failed", "error: hook exited with code 2"],
  ["that was killed", exited(null), "failed", "error: hook process terminated without an exit code"],
]);

for (const event of ["PreModelRequest", "PostModelRequest"] as const) {
  outcomes(event, [
    ...failures,
    ["with an answer", exited(0, { systemMessage: "bye", decision: "block" }), "completed"],
    ["with half of JSON", exited(0, "{"), "completed"],
    ["that ends with 2 and words", exited(2, "", " why \n"), "failed", "error: why"],
    ["that ends with 2 and no words", exited(2), "failed"],
    ["that was killed", exited(null), "failed"],
    ["that fails", exited(7, "", "why"), "failed", "error: why"],
  ]);
}
