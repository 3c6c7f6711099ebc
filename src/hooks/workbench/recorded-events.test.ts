import { describe, expect, test } from "vitest";
import type { HookRunSummary } from "../../protocol/generated/types.ts";
import { failClosed } from "../events/fail-closed.ts";
import { hookEventOf } from "../events/index.ts";
import { NO_EFFECT } from "../outcome.ts";
import { differencesOf } from "./recorded-differences.ts";
import { type ReplayTurn, rebuildEvents } from "./recorded-events.ts";

function run(
  eventName: HookRunSummary["eventName"],
  status: HookRunSummary["status"],
  { suffix = "", entries = [] as HookRunSummary["entries"] } = {},
): HookRunSummary {
  return {
    id: `${eventName}:0:/hooks.json${suffix}`,
    runId: "r",
    eventName,
    handlerType: "command",
    executionMode: "sync",
    scope: "turn",
    sourcePath: "/hooks.json",
    source: "user",
    displayOrder: 0,
    status,
    statusMessage: null,
    startedAt: 0,
    completedAt: 0,
    durationMs: 0,
    entries,
  };
}

const call = (callId: string, response: unknown) => ({
  callId,
  name: "Bash",
  aliases: [],
  input: { command: "true" },
  response,
  asked: null,
});
const turn = (more: Partial<ReplayTurn>): ReplayTurn => ({
  id: "u",
  status: "completed",
  error: null,
  settings: {},
  items: [],
  calls: [],
  requests: [],
  runs: [],
  ...more,
});
const shown = (recorded: ReplayTurn) =>
  rebuildEvents([recorded])
    .filter(({ event }) => event !== "SessionStart" && event !== "SessionEnd")
    .map(({ event, about, recorded: runs }) => [event, about, runs.length]);

describe("the events of a turn", () => {
  test("are its prompts, calls and ends, each with its own runs", () => {
    const recorded = turn({
      items: [
        { kind: "prompt", text: "one" },
        { kind: "prompt", text: "two" },
        { kind: "answer", text: "half" },
        { kind: "continuation" },
        { kind: "answer", text: "done" },
      ],
      calls: [call("a", "out"), call("b", null)],
      runs: [
        run("userPromptSubmit", "completed"),
        run("preToolUse", "completed", { suffix: ":a" }),
        run("postToolUse", "completed", { suffix: ":a" }),
        run("stop", "blocked"),
        run("stop", "completed"),
      ],
    });
    const bash = 'Bash {"command":"true"}';
    expect(shown(recorded)).toEqual([
      ["UserPromptSubmit", "one", 1],
      ["UserPromptSubmit", "two", 0],
      ["PreToolUse", bash, 1],
      ["PostToolUse", bash, 1],
      ["PreToolUse", bash, 0],
      ["Stop", "half", 1],
      ["Stop", "done", 1],
    ]);
    expect(rebuildEvents([recorded]).at(-2)?.members).toEqual({
      stop_hook_active: true,
      stop_hook_continuations: 1,
      last_assistant_message: "done",
    });
  });

  test("omit the runs of a blocked prompt, and the events after a blocked call", () => {
    const recorded = turn({
      status: "inProgress",
      items: [{ kind: "prompt", text: "two" }],
      calls: [call("a", "blocked by a hook")],
      runs: [
        run("userPromptSubmit", "blocked"),
        run("userPromptSubmit", "completed"),
        run("preToolUse", "blocked", { suffix: ":a" }),
      ],
    });
    expect(rebuildEvents([recorded]).map(({ event, recorded: [first] }) => [event, first?.status])).toEqual([
      ["SessionStart", undefined],
      ["UserPromptSubmit", "completed"],
      ["PreToolUse", "blocked"],
      ["SessionEnd", undefined],
    ]);
  });

  const prompt = { kind: "prompt", text: "p" } as const;
  const compaction = { kind: "compaction" } as const;
  const usage = { total_tokens: 3 };
  const asked = { input: { command: "true", description: "why" }, isAllowedByHook: true };
  test.each<[string, ReplayTurn[], unknown[]]>([
    [
      "a compaction of its own, and the session that begins anew",
      [turn({ items: [prompt] }), turn({ items: [compaction] }), turn({ items: [prompt] })],
      ["SessionStart startup", "PreCompact manual", "PostCompact manual", "SessionStart compact"],
    ],
    [
      "a compaction within a turn",
      [turn({ items: [prompt, compaction] })],
      ["SessionStart startup", "SessionStart compact", "PreCompact auto", "PostCompact auto"],
    ],
    [
      "a compaction that a hook stopped, whose turn nobody interrupted",
      [turn({ status: "interrupted", runs: [run("preCompact", "stopped")] })],
      ["PreCompact manual"],
    ],
    [
      "a session that was resumed, where hooks have run",
      [turn({ items: [prompt] }), turn({ items: [prompt], runs: [run("sessionStart", "completed")] })],
      ["SessionStart startup", "SessionStart resume"],
    ],
    ["an interruption", [turn({ status: "interrupted" })], ["Interrupt "]],
    [
      "requests to the model",
      [turn({ items: [prompt], requests: [usage] })],
      ["SessionStart startup", "PreModelRequest request 1", "PostModelRequest request 1"],
    ],
    [
      "a request that failed",
      [turn({ status: "failed", error: "no", items: [prompt] })],
      ["SessionStart startup", "PreModelRequest request 1", "PostModelRequest request 1"],
    ],
    [
      "a call that somebody was asked about",
      [turn({ calls: [{ ...call("a", null), asked }], items: [prompt] })],
      [
        "SessionStart startup",
        'PreToolUse Bash {"command":"true"}',
        'PermissionRequest Bash {"command":"true"}',
      ],
    ],
  ])("are those of %s", (_name, turns, expected) => {
    const others = rebuildEvents(turns).filter(
      ({ event }) => event !== "UserPromptSubmit" && event !== "SessionEnd" && event !== "Stop",
    );
    expect(others.map(({ event, about }) => `${event} ${about}`)).toEqual(expected);
  });

  test("contain the recorded model requests and permission requests", () => {
    const recorded = turn({
      status: "failed",
      error: "too much",
      items: [prompt],
      requests: [usage],
      calls: [{ ...call("a", null), asked }],
      runs: [run("permissionRequest", "completed", { suffix: ":a:retry" })],
    });
    const events = rebuildEvents([recorded], { isFork: true });
    expect(events[0]?.members).toEqual({ source: "fork" });
    const members = events.filter(({ event }) => event === "PostModelRequest").map((event) => event.members);
    expect(members).toEqual([
      { status: "completed", error: null, token_usage: usage },
      { status: "failed", error: "too much", token_usage: null },
    ]);
    expect(events.find(({ event }) => event === "PermissionRequest")).toMatchObject({
      members: { tool_input: asked.input },
      wasAllowed: true,
      recorded: [{ status: "completed" }],
    });
  });
});

describe("differences from the recording", () => {
  const no = (text: string) => run("stop", "blocked", { entries: [{ kind: "feedback", text }] });
  const says = (text: string) => run("stop", "completed", { entries: [{ kind: "context", text }] });
  const quiet = run("stop", "completed");
  const { entries } = failClosed(
    hookEventOf("PreToolUse"),
    {
      status: "failed",
      entries: [{ kind: "error", text: "exit code 3" }],
      effect: NO_EFFECT,
      rawJson: undefined,
      denial: null,
      isInconclusive: false,
    },
    { onFailure: "closed", isAsync: false },
  );
  const closed = run("preToolUse", "failed", { entries: [...entries] });
  const closedText = entries[0]?.text ?? "";
  test.each<[string, HookRunSummary[], HookRunSummary[], string[]]>([
    ["nothing", [], [], []],
    ["a hook that says nothing", [], [quiet], []],
    ["a block more", [quiet], [no("x")], ["was not blocked, would be: x"]],
    ["a block less", [no("x")], [], ["was blocked (x), would not be"]],
    ["another reason", [no("x")], [no("y")], ["would be blocked for another reason: y"]],
    ["the same reason", [no("x")], [no("x")], []],
    ["another context", [says("x")], [says("y")], ["context: x -> y"]],
    ["a failure", [quiet], [run("stop", "failed")], ["hooks that fail: 0 -> 1"]],
    [
      "a failure that blocked",
      [closed],
      [quiet],
      [`was blocked (${closedText}), would not be`, "hooks that fail: 1 -> 0"],
    ],
    ["a failure that blocks again", [closed], [closed], []],
    [
      "a failure that would block",
      [quiet],
      [closed],
      [`was not blocked, would be: ${closedText}`, "hooks that fail: 0 -> 1"],
    ],
  ])("%s", (_name, recorded, current, differences) => {
    expect(differencesOf(recorded, current)).toEqual(differences);
  });
});
