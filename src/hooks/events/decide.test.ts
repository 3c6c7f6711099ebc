import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { processorTime } from "../../base/processor-time.fixture.ts";
import type { HookDialect } from "../configured-hook.ts";
import { HOOK_EVENTS } from "../hook-event.ts";
import { type HandlerResult, type HookEffect, NO_EFFECT } from "../outcome.ts";
import type { FinishedRun } from "./finished-run.ts";
import { decide, subjectsOf } from "./index.ts";
import { readOutcome } from "./read-outcome.ts";

function run(
  displayOrder: number,
  effect: Partial<HookEffect>,
  { dialect = "codex", limit = null }: { dialect?: HookDialect; limit?: number | null } = {},
): FinishedRun {
  return {
    runId: `run-${displayOrder}`,
    hook: { key: `hook-${displayOrder}`, displayOrder, dialect, additionalContextLimit: limit },
    outcome: { status: "completed", entries: [], effect: { ...NO_EFFECT, ...effect } },
  };
}

const proceed = { kind: "proceed", updatedInput: undefined, permission: null, reason: null, conflicts: [] };

describe("PreToolUse", () => {
  const verdictOf = (...runs: FinishedRun[]) => decide("PreToolUse", runs).verdict;

  test("proceeds where no hook objects", () => {
    expect(decide("PreToolUse", [])).toStrictEqual({ contexts: [], verdict: proceed, stop: null });
  });

  test("is blocked by any, for the reason of the first that is listed", () => {
    const allow = { permission: { behavior: "allow" as const, reason: null }, updatedInput: {} };
    expect(verdictOf(run(3, { block: "c" }), run(1, allow), run(2, { block: "b" }))).toStrictEqual({
      kind: "block",
      reason: "b",
    });
  });

  test("uses the input of the last hook in display order and reports the overridden ones", () => {
    expect(
      verdictOf(run(3, { updatedInput: 3 }), run(1, { updatedInput: 1 }), run(2, { updatedInput: 2 })),
    ).toStrictEqual({
      ...proceed,
      updatedInput: 3,
      conflicts: [
        "hook hook-1's updatedInput was replaced by hook hook-3's",
        "hook hook-2's updatedInput was replaced by hook hook-3's",
      ],
    });
  });

  test("asks if one hook asks, however many allow", () => {
    const allow = run(1, { permission: { behavior: "allow", reason: "fine" } });
    const ask = run(2, { permission: { behavior: "ask", reason: "look" } });
    expect(verdictOf(allow)).toStrictEqual({ ...proceed, permission: "allow", reason: "fine" });
    expect(verdictOf(allow, ask)).toStrictEqual({ ...proceed, permission: "ask", reason: "look" });
  });

  test("is blocked by a permission that is denied", () => {
    const deny = run(1, { permission: { behavior: "deny", reason: "no" } });
    expect(verdictOf(deny)).toStrictEqual({ kind: "block", reason: "no" });
  });

  test("is blocked where the turn ends", () => {
    expect(decide("PreToolUse", [run(1, { stop: { reason: null } })])).toStrictEqual({
      contexts: [],
      verdict: { kind: "block", reason: "PreToolUse hook stopped execution" },
      stop: { reason: null },
    });
  });
});

describe("PermissionRequest", () => {
  const allow = { permission: { behavior: "allow" as const, reason: null } };
  test.each([
    [[], null],
    [[run(1, {})], null],
    [[run(2, {}), run(1, allow)], { behavior: "allow" }],
    [[run(3, { block: "c" }), run(1, allow), run(2, { block: "b" })], { behavior: "deny", message: "b" }],
    [[run(1, allow), run(2, { stop: { reason: "end" } })], { behavior: "deny", message: "end" }],
  ])("of case %#", (runs, verdict) => {
    expect(decide("PermissionRequest", runs).verdict).toStrictEqual(verdict);
  });
});

describe("PostToolUse", () => {
  const nothing = {
    contexts: [],
    replacement: null,
    updatedOutput: undefined,
    addition: null,
    conflicts: [],
    stop: null,
  };

  test("joins the replacements of the output, and the additions to it", () => {
    const runs = [
      run(4, { block: "d" }),
      run(1, { block: "a" }),
      run(3, { block: "c" }, { dialect: "claude" }),
      run(2, { block: "b" }, { dialect: "claude" }),
    ];
    expect(decide("PostToolUse", runs)).toStrictEqual({
      ...nothing,
      replacement: "a\n\nd",
      addition: "b\n\nc",
    });
  });

  test("has the last output that is listed, unless all of it is replaced", () => {
    const runs = [run(2, { updatedOutput: 2 }), run(1, { updatedOutput: 1 })];
    const conflicts = ["hook hook-1's updatedOutput was replaced by hook hook-2's"];
    expect(decide("PostToolUse", runs)).toStrictEqual({ ...nothing, updatedOutput: 2, conflicts });
    expect(decide("PostToolUse", [...runs, run(3, { block: "no" })])).toMatchObject({
      replacement: "no",
      updatedOutput: undefined,
    });
  });

  test("is hidden by a failed hook of any dialect", () => {
    const { outcome, ...rest } = run(1, { block: "hook timed out after 5s" }, { dialect: "claude" });
    const failed: FinishedRun = { ...rest, outcome: { ...outcome, status: "failed" } };
    expect(decide("PostToolUse", [failed])).toStrictEqual({
      ...nothing,
      replacement: "hook timed out after 5s",
    });
  });

  test("ends the turn if one hook stops it", () => {
    const runs = [run(1, { block: "no" }), run(2, { stop: { reason: "end" } })];
    expect(decide("PostToolUse", runs)).toMatchObject({ replacement: "no", stop: { reason: "end" } });
  });
});

describe("contexts", () => {
  test.each(["SessionStart", "UserPromptSubmit", "PreToolUse", "PostToolUse", "SubagentStart"] as const)(
    "of %s are all retained, in the order of the hooks",
    (event) => {
      const runs = [
        run(2, { contexts: ["c"], block: "no" }, { limit: 0 }),
        run(1, { contexts: ["a", ""] }, { limit: 7 }),
        run(3, { contexts: ["d"] }),
      ];
      expect(decide(event, runs).contexts).toStrictEqual([
        { text: "a", limit: 7 },
        { text: "", limit: 7 },
        { text: "c", limit: 0 },
        { text: "d", limit: 2500 },
      ]);
    },
  );
});

describe("a stop", () => {
  test.each([
    [
      "SessionStart",
      [run(2, { stop: { reason: "b" } }), run(1, { stop: { reason: null } })],
      { reason: "b" },
    ],
    ["SessionStart", [run(1, {})], null],
    ["UserPromptSubmit", [run(1, { block: "no" })], { reason: "no" }],
    ["UserPromptSubmit", [run(2, { stop: { reason: "b" } }), run(1, { block: "a" })], { reason: "a" }],
    ["UserPromptSubmit", [run(1, { stop: { reason: null } })], { reason: null }],
    ["PreCompact", [run(1, { stop: { reason: "enough" } })], "enough"],
    ["PreCompact", [run(1, { block: "no" })], "no"],
    ["PreCompact", [run(1, {})], null],
    ["PostCompact", [run(1, { stop: { reason: null } })], "PostCompact hook stopped execution"],
  ] as const)("of %s, case %#", (event, runs, stop) => {
    expect(decide(event, runs).stop).toStrictEqual(stop);
  });
});

describe.each(["Stop", "SubagentStop"] as const)("%s", (event) => {
  test("ends where no hook objects", () => {
    expect(decide(event, [run(1, {})])).toStrictEqual({ kind: "end" });
  });

  test("continues with the reasons of all hooks, one prompt each", () => {
    const runs = [run(3, { contexts: ["soft"] }), run(1, { block: "a" }), run(2, { contexts: [" "] })];
    expect(decide(event, runs)).toStrictEqual({
      kind: "continue",
      prompts: [
        { runId: "run-1", text: "a" },
        { runId: "run-3", text: "soft" },
      ],
    });
  });

  test("ends if one hook stops it, whatever the others answer", () => {
    const runs = [run(1, { block: "a" }), run(2, { stop: { reason: "enough" } })];
    expect(decide(event, runs)).toStrictEqual({ kind: "stop", reason: "enough" });
  });
});

test.each(["SessionEnd", "Interrupt", "PreModelRequest", "PostModelRequest"] as const)(
  "%s decides nothing",
  (event) => {
    expect(decide(event, [run(1, { block: "no", stop: { reason: null }, contexts: ["a"] })])).toStrictEqual(
      {},
    );
  },
);

describe("the subjects that a matcher tests", () => {
  const place = { session_id: "s", transcript_path: null, cwd: "/", model: "m", turn_id: "t" };
  const tool = (tool_name: string) =>
    ({
      ...place,
      hook_event_name: "PermissionRequest",
      permission_mode: "default",
      tool_name,
      tool_input: {},
    }) as const;
  test.each([
    ["Bash", ["Bash"]],
    ["apply_patch", ["apply_patch", "Write", "Edit"]],
    ["spawn_agent", ["spawn_agent", "Agent"]],
    ["constructor", ["constructor"]],
  ])("of the tool %s", (name, subjects) => {
    expect(subjectsOf("PermissionRequest", tool(name))).toStrictEqual(subjects);
  });

  test("of other events", () => {
    const compaction = { ...place, hook_event_name: "PreCompact", trigger: "auto" } as const;
    expect(subjectsOf("PreCompact", compaction)).toStrictEqual(["auto"]);
    expect(subjectsOf("PreModelRequest", { ...place, hook_event_name: "PreModelRequest" })).toStrictEqual([]);
  });
});

const words = fc.constantFrom("a", "b", "");
const reasons = fc.option(words);
const effects = fc.record({
  contexts: fc.array(words, { maxLength: 2 }),
  block: reasons,
  stop: fc.option(fc.record({ reason: reasons })),
  permission: fc.option(
    fc.record({ behavior: fc.constantFrom("allow" as const, "ask" as const), reason: reasons }),
  ),
  updatedInput: fc.option(fc.integer(), { nil: undefined }),
  updatedOutput: fc.option(fc.integer(), { nil: undefined }),
});
const runs = fc
  .array(fc.tuple(effects, fc.constantFrom("codex" as const, "claude" as const)), { maxLength: 6 })
  .map((all) => all.map(([effect, dialect], order) => run(order, effect, { dialect })));
const events = fc.constantFrom(...HOOK_EVENTS);

describe("a decision", () => {
  test("does not depend on the order in which hooks finish", () => {
    const shuffled = runs.chain((all) =>
      fc.tuple(fc.constant(all), fc.shuffledSubarray(all, { minLength: all.length })),
    );
    fc.assert(
      fc.property(events, shuffled, (event, [all, mixed]) => {
        expect(decide(event, mixed)).toStrictEqual(decide(event, all));
      }),
    );
  });

  test("keeps a block whatever other hooks answer", () => {
    fc.assert(
      fc.property(runs, fc.nat(6), words, (others, at, reason) => {
        const all = [...others, run(at - 0.5, { block: reason })];
        expect(decide("PreToolUse", all).verdict.kind).toBe("block");
        expect(decide("PermissionRequest", all).verdict?.behavior).toBe("deny");
        expect(decide("UserPromptSubmit", all).stop).not.toBeNull();
        expect(decide("PostToolUse", all).replacement).not.toBeNull();
      }),
    );
  });
});

describe("reading", () => {
  const output = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.json(),
    fc.json().map((json) => `${json}x`),
    fc
      .record(
        {
          continue: fc.oneof(fc.boolean(), fc.jsonValue()),
          decision: fc.oneof(fc.constantFrom("block", "approve", "deny"), fc.jsonValue()),
          reason: fc.oneof(words, fc.jsonValue()),
          systemMessage: fc.oneof(words, fc.jsonValue()),
          hookSpecificOutput: fc.oneof(
            fc.record(
              {
                hookEventName: fc.constantFrom(...HOOK_EVENTS, "x"),
                permissionDecision: fc.constantFrom("allow", "ask", "deny", "x", null),
                additionalContext: fc.oneof(words, fc.jsonValue()),
                updatedInput: fc.jsonValue(),
                decision: fc.oneof(fc.record({ behavior: fc.constantFrom("allow", "deny") }), fc.jsonValue()),
              },
              { requiredKeys: [] },
            ),
            fc.jsonValue(),
          ),
        },
        { requiredKeys: [] },
      )
      .map((value) => JSON.stringify(value)),
  );
  const results = fc.record({
    kind: fc.constant("exited" as const),
    exitCode: fc.constantFrom(0, 0, 0, 1, 2, null),
    stdout: output,
    stderr: words,
    isCut: fc.boolean(),
  });
  const hooks = fc.record({
    dialect: fc.constantFrom("codex" as const, "claude" as const),
    onFailure: fc.constantFrom("open" as const, "closed" as const),
    isAsync: fc.boolean(),
  });

  test("never throws, and reports every failure", () => {
    fc.assert(
      fc.property(events, results, hooks, (event, result: HandlerResult, hook) => {
        const { status, entries, effect } = readOutcome(event, result, hook);
        const isSilent = event === "PreModelRequest" || event === "PostModelRequest";
        if (status === "failed" && !isSilent) expect(entries.at(-1)?.kind).toBe("error");
        if (status === "blocked") expect(effect.block).not.toBeNull();
        if (hook.isAsync) expect({ ...effect, contexts: [] }).toStrictEqual(NO_EFFECT);
      }),
      { numRuns: 1000 },
    );
  });

  test("takes time proportional to the output size", () => {
    const hook = { dialect: "codex", onFailure: "open", isAsync: false } as const;
    const many = JSON.stringify(
      Object.fromEntries(Array.from({ length: 100_000 }, (_, at) => [`k${at}`, at])),
    );
    for (const stdout of ["[".repeat(1e6), `${" ".repeat(1e6)}x`, `{${'"a":'.repeat(2e5)}`, many]) {
      const result = { kind: "exited", exitCode: 0, stdout, stderr: "", isCut: false } as const;
      expect(processorTime(() => readOutcome("PreToolUse", result, hook), { enough: 200 })).toBeLessThan(
        1000,
      );
      expect(JSON.stringify(readOutcome("PreToolUse", result, hook).entries).length).toBeLessThan(1000);
    }
  });
});
