import { describe, expect, test } from "vitest";
import type { HookRunSummary } from "../../protocol/generated/types.ts";
import { differencesOf, momentsOf, type RecordedTurn } from "./recorded-moments.ts";

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
});
const turn = (more: Partial<RecordedTurn>): RecordedTurn => ({
  id: "u",
  isCompleted: true,
  items: [],
  calls: [],
  runs: [],
  ...more,
});
const shown = (recorded: RecordedTurn) =>
  momentsOf(recorded).map(({ event, about, recorded: runs }) => [event, about, runs.length]);

describe("the moments of a turn", () => {
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
    expect(momentsOf(recorded).at(-1)?.said).toEqual({
      stop_hook_active: true,
      stop_hook_continuations: 1,
      last_assistant_message: "done",
    });
  });

  test("leave out the runs of a prompt that was blocked, and what follows a call that was", () => {
    const recorded = turn({
      isCompleted: false,
      items: [{ kind: "prompt", text: "two" }],
      calls: [call("a", "blocked by a hook")],
      runs: [
        run("userPromptSubmit", "blocked"),
        run("userPromptSubmit", "completed"),
        run("preToolUse", "blocked", { suffix: ":a" }),
      ],
    });
    expect(momentsOf(recorded).map(({ event, recorded: [first] }) => [event, first?.status])).toEqual([
      ["UserPromptSubmit", "completed"],
      ["PreToolUse", "blocked"],
    ]);
  });
});

describe("what differs", () => {
  const no = (text: string) => run("stop", "blocked", { entries: [{ kind: "feedback", text }] });
  const says = (text: string) => run("stop", "completed", { entries: [{ kind: "context", text }] });
  const quiet = run("stop", "completed");
  test.each<[string, HookRunSummary[], HookRunSummary[], string[]]>([
    ["nothing", [], [], []],
    ["a hook that says nothing", [], [quiet], []],
    ["a block more", [quiet], [no("x")], ["was not blocked, would be: x"]],
    ["a block less", [no("x")], [], ["was blocked (x), would not be"]],
    ["another reason", [no("x")], [no("y")], ["would be blocked for another reason: y"]],
    ["the same reason", [no("x")], [no("x")], []],
    ["another context", [says("x")], [says("y")], ["context: x -> y"]],
    ["a failure", [quiet], [run("stop", "failed")], ["hooks that fail: 0 -> 1"]],
  ])("%s", (_name, recorded, current, differences) => {
    expect(differencesOf(recorded, current)).toEqual(differences);
  });
});
