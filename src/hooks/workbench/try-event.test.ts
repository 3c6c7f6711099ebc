import { describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { parseMatcher } from "../config/matcher.ts";
import type { HookEventName } from "../hook-event.ts";
import { answers, exits, type FakeHook, fakeHooks } from "../hooks.fixture.ts";
import type { HandlerResult } from "../outcome.ts";
import { buildInput } from "./build-input.ts";
import { describeMismatch } from "./match-hooks.ts";
import { timeHooks } from "./time-hooks.ts";
import { type TriedEvent, tryEvent } from "./try-event.ts";

const PLACE = { cwd: "/w", model: "m", threadId: "t", turnId: "u", transcriptPath: null };

function inputOf(event: HookEventName, said: object = {}) {
  const made = buildInput(event, { ...said }, PLACE);
  if (!made.ok) throw new Error(made.faults.join("; "));
  return made.input;
}

async function open(fakes: readonly FakeHook[]) {
  const { configured, runHandler } = fakeHooks(fakes);
  const { signal } = new AbortController();
  return { set: await configured(), ports: { clock: systemClock, createId: () => "id", runHandler, signal } };
}

async function attempt(fakes: readonly FakeHook[], tried: Partial<TriedEvent> & Pick<TriedEvent, "event">) {
  const { set, ports } = await open(fakes);
  return tryEvent(set, { input: inputOf(tried.event), cwd: "/w", ...tried }, ports);
}

const about = (written: string) => {
  const parsed = parseMatcher("PreToolUse", written);
  if (!parsed.ok) throw new Error(parsed.reason);
  return { matcher: parsed.matcher, matches: parsed.matches };
};
const silent = () => exits(0);

describe("which hooks match", () => {
  const event = "PreToolUse";
  const untrusted = { trustStatus: "untrusted" } as const;
  test.each<[string, FakeHook, string | null, string | null]>([
    ["trusted", { event, run: silent }, null, null],
    ["of another event", { event: "Stop", run: silent }, "it is about Stop", "it is about Stop"],
    [
      "of another tool",
      { event, run: silent, ...about("apply_patch") },
      'its matcher "apply_patch" does not match Bash',
      'its matcher "apply_patch" does not match Bash',
    ],
    ["switched off", { event, run: silent, enabled: false }, "it is switched off", "it is switched off"],
    ["untrusted", { event, run: silent, ...untrusted }, "it is not trusted", null],
    [
      "changed",
      { event, run: silent, trustStatus: "modified" },
      "its definition in /hooks.json has changed since it was trusted",
      null,
    ],
    [
      "refused",
      { event, run: silent, refusal: { kind: "unpinnable", message: "x.sh may run anything" } },
      "x.sh may run anything",
      null,
    ],
    ["managed", { event, run: silent, isManaged: true, trustStatus: "managed" }, null, null],
  ])("%s", async (_name, fake, whyNot, whyNotUntrusted) => {
    for (const [runsUntrusted, why] of [
      [false, whyNot],
      [true, whyNotUntrusted],
    ] as const) {
      const { matches, runs } = await attempt([fake], { event, runsUntrusted });
      expect(matches.map(describeMismatch)).toEqual([why]);
      expect(runs).toHaveLength(why === null ? 1 : 0);
    }
  });

  test("by another name of the tool", async () => {
    const fake: FakeHook = { event, run: silent, ...about("Edit") };
    expect((await attempt([fake], { event, aliases: ["Edit"] })).runs).toHaveLength(1);
  });
});

describe("the summary of a decision", () => {
  const hso = (hookEventName: string, more: object) =>
    answers({ hookSpecificOutput: { hookEventName, ...more } });
  test.each<[HookEventName, HandlerResult, boolean, readonly string[]]>([
    ["PreToolUse", exits(0), false, ["nothing would change"]],
    ["PreToolUse", exits(2, { stderr: "no" }), true, ["the call would be blocked: no"]],
    [
      "PreToolUse",
      hso("PreToolUse", {
        permissionDecision: "allow",
        updatedInput: { command: "x" },
        additionalContext: "c",
      }),
      false,
      [
        'the call would be made with {"command":"x"}',
        "no approval would be requested",
        "the model would receive: c",
      ],
    ],
    [
      "PreToolUse",
      hso("PreToolUse", { permissionDecision: "ask", permissionDecisionReason: "look" }),
      false,
      ["approval would be requested: look"],
    ],
    ["PermissionRequest", exits(0), false, ["the user would be asked"]],
    ["PermissionRequest", exits(2, { stderr: "no" }), true, ["permission would be denied: no"]],
    [
      "PermissionRequest",
      hso("PermissionRequest", { decision: { behavior: "allow" } }),
      false,
      ["permission would be given"],
    ],
    ["PostToolUse", exits(2, { stderr: "no" }), true, ["the model would receive, instead of the result: no"]],
    ["UserPromptSubmit", exits(0, { stdout: "c" }), false, ["the model would receive: c"]],
    ["UserPromptSubmit", exits(2, { stderr: "no" }), true, ["the prompt would be blocked: no"]],
    [
      "SessionStart",
      answers({ continue: false, stopReason: "no" }),
      true,
      ["the turn would end before the model is asked: no"],
    ],
    [
      "Stop",
      exits(2, { stderr: "more" }),
      true,
      ["the turn would continue", "the model would receive: more"],
    ],
    ["Stop", answers({ continue: false, stopReason: "ok" }), false, ["the turn would end: ok"]],
    ["Interrupt", exits(0), false, ["nothing would change: hooks only watch this event"]],
  ])("%s %j", async (event, result, isBlocked, lines) => {
    const { would } = await attempt([{ event, run: () => result }], { event });
    expect(would).toEqual({ isBlocked, lines });
  });

  test("reports a blocked compaction", async () => {
    const run = () => answers({ continue: false, stopReason: "no" });
    const { would } = await attempt([{ event: "PreCompact", run }], { event: "PreCompact" });
    expect(would.isBlocked).toBe(true);
    expect(would.lines[0]).toContain("the history would not be compacted");
  });

  test("async hooks are reported and decide nothing", async () => {
    const event = "PreToolUse";
    const late: FakeHook = { event, isAsync: true, run: () => exits(2, { stderr: "no" }) };
    const { would, runs } = await attempt([late], { event });
    expect([would.isBlocked, runs.length]).toEqual([false, 1]);
  });

  test("a hook that could not be run does not count as an approval", async () => {
    const event = "PreToolUse";
    const gone: FakeHook = { event, run: () => Promise.reject(new Error("gone")) };
    const report = await attempt([{ ...gone, onFailure: "closed" }], { event });
    expect(report).toMatchObject({
      runs: [],
      notRun: [{ reason: "gone" }],
      would: {
        isBlocked: false,
        lines: ["what would come of it is not known: a hook could not be run"],
      },
    });
    const guard: FakeHook = { event, run: () => exits(2, { stderr: "no" }) };
    const { would, runs, notRun } = await attempt([gone, guard], { event });
    expect([would.lines, runs.length, notRun.length]).toEqual([["the call would be blocked: no"], 1, 1]);
  });
});

describe("the input", () => {
  test("has the members that every event declares, and no others", () => {
    expect(inputOf("UserPromptSubmit", { prompt: "hi" })).toMatchObject({ prompt: "hi", cwd: "/w" });
    expect(inputOf("UserPromptSubmit")).not.toHaveProperty("tool_name");
  });

  test("that does not match the shape is reported field by field", () => {
    const made = buildInput("UserPromptSubmit", { prompt: 1 }, PLACE);
    expect(made).toEqual({ ok: false, faults: ["`prompt`: expected a string; got 1"] });
  });
});

test("the time of hooks is that of each and of all, with those that fail", async () => {
  const event = "Stop";
  const { set, ports } = await open([
    { event, run: silent },
    { event, run: () => exits(1) },
    { event: "Interrupt", run: silent },
  ]);
  const timed = await timeHooks(set, { event, input: inputOf(event), cwd: "/w" }, 3, ports);
  const time = expect.any(Number);
  expect([...timed.each]).toEqual([
    ["/hooks.json:0", { medianMs: time, p95Ms: time, failures: 0 }],
    ["/hooks.json:1", { medianMs: time, p95Ms: time, failures: 3 }],
  ]);
  expect(timed.together.failures).toBe(3);
});
