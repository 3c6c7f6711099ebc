import { describe, expect, test } from "vitest";
import { parseCondition } from "../config/condition.ts";
import { parseMatcher } from "../config/matcher.ts";
import type { ConfiguredHook } from "../configured-hook.ts";
import type { FinishedRun } from "../events/finished-run.ts";
import { decide } from "../events/index.ts";
import { CLAUDE, exited } from "../events/outcome-summary.fixture.ts";
import { readOutcome } from "../events/read-outcome.ts";
import { fakeHooks } from "../hooks.fixture.ts";
import { type CallFacts, MAX_PATCH_FILES, toClaudeCalls } from "./claude-calls.ts";
import { planRuns, withoutPartialAllowance } from "./plan-runs.ts";

async function hookOf(matcher: string | null, condition?: string): Promise<ConfiguredHook> {
  const matched = parseMatcher("PreToolUse", matcher, "claude");
  const parsed = condition === undefined ? null : parseCondition(condition);
  if (!matched.ok || parsed?.ok === false) throw new Error("the hook is wrong");
  const { hooks } = await fakeHooks([
    {
      event: "PreToolUse",
      dialect: "claude",
      matches: matched.matches,
      ...(parsed !== null && { condition: parsed.condition }),
      run: () => exited(0),
    },
  ]).configured();
  const [hook] = hooks;
  if (hook === undefined) throw new Error("there is no hook");
  return hook;
}

interface Call {
  readonly name: string;
  readonly input: unknown;
  readonly facts?: Partial<CallFacts>;
}

function plan(hook: ConfiguredHook, { name, input, facts = {} }: Call) {
  const available = { tool_name: name, tool_input: input, cwd: "/w", turn_id: "t" };
  return planRuns([hook], {
    call: {
      event: "PreToolUse",
      scope: "turn",
      suffix: "call",
      cwd: "/w",
      input: available,
      inputText: JSON.stringify(available),
      signal: new AbortController().signal,
    },
    subjects: [name],
    claudeCalls: () =>
      toClaudeCalls("PreToolUse", available, [name], {
        aliases: [],
        files: null,
        hasFailed: false,
        ...facts,
      }),
  }).map(({ call }) => call);
}

const added = (count: number): CallFacts["files"] =>
  Array.from({ length: count }, (_, index) => ({ kind: "add", path: `/w/${index}`, text: "" }));
const patch = (count: number, aliases: readonly string[] = []): Call => ({
  name: "apply_patch",
  input: { command: "patch" },
  facts: { files: added(count), aliases },
});

describe("a hook of Claude Code", () => {
  test.each(["Edit", "Write", "MultiEdit", null])(
    "that matches %s is called for each file",
    async (matcher) => {
      const calls = plan(await hookOf(matcher), patch(3));
      expect(calls.map(({ suffix }) => suffix)).toEqual(["call", "call:2", "call:3"]);
      expect(calls.map(({ inputText }) => (JSON.parse(inputText) as Told).tool_input.file_path)).toEqual([
        "/w/0",
        "/w/1",
        "/w/2",
      ]);
    },
  );

  test("receives a patch in a command as a command, if it matches nothing else", async () => {
    const names = async (matcher: string | null) =>
      plan(await hookOf(matcher), patch(1, ["Bash"])).map(({ input }) => input["tool_name"]);
    expect([await names("Bash"), await names(null), await names("Read")]).toEqual([["Bash"], ["Write"], []]);
  });

  test("that would be called for too many files denies", async () => {
    const hook = await hookOf("Write");
    expect(plan(hook, patch(MAX_PATCH_FILES)).filter(({ refusal }) => refusal !== undefined)).toEqual([]);
    expect(plan(hook, patch(MAX_PATCH_FILES + 1))).toMatchObject([
      { refusal: expect.stringContaining("make smaller patches") },
    ]);
    // Calls that no hook needs are not computed.
    const { cwd, ...facts } = { cwd: "/w", files: added(100_000), aliases: [], hasFailed: false };
    const available = { tool_name: "apply_patch", tool_input: {}, cwd };
    expect(toClaudeCalls("PreToolUse", available, [], facts)).toHaveLength(MAX_PATCH_FILES + 1);
  });

  test("runs only for the calls that its condition is about", async () => {
    const hook = await hookOf("Bash", "Bash(git push *)");
    const runs = (command: string) => plan(hook, { name: "Bash", input: { command } }).length;
    expect([runs("git push origin"), runs("git pull"), runs("cd x && git push")]).toEqual([1, 0, 1]);
  });

  test("allows a patch only if it allows every file", () => {
    const allow = exited(0, {
      hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" },
    });
    const run = (key: string, result: ReturnType<typeof exited>): FinishedRun => ({
      runId: key,
      hook: { key, displayOrder: 0, dialect: "claude", additionalContextLimit: null },
      outcome: readOutcome("PreToolUse", result, CLAUDE),
    });
    const permission = (...runs: readonly FinishedRun[]) => {
      const { verdict } = decide("PreToolUse", withoutPartialAllowance(runs));
      return verdict.kind === "proceed" ? verdict.permission : verdict.kind;
    };
    expect(permission(run("a", allow), run("a", allow))).toBe("allow");
    expect(permission(run("a", allow), run("a", exited(0)))).toBeNull();
    expect(permission(run("a", allow), run("a", exited(1)))).toBeNull();
    expect(permission(run("a", allow), run("b", exited(0)))).toBe("allow");
  });
});

interface Told {
  readonly tool_input: { readonly file_path: string };
}
