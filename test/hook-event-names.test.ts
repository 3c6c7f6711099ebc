import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { HOOK_EVENTS, wireNameOf } from "../src/hooks/hook-event.ts";

const CALL_SITE = "the engine runs the event here";
const RECORDED = "a recorded thread is read for what the engine ran";
const EXAMPLE = "an example on a page of help";
const OTHER_HARNESS = "the hooks of another program, whatever Heddle has";

/** Files outside of `src/hooks/events` that name events, with the events that they name. The list only shrinks. */
const MAY_NAME_EVENTS: readonly {
  readonly file: string;
  readonly events: string;
  readonly because: string;
}[] = [
  { file: "runtime/workbench/replay-hooks.ts", events: "PermissionRequest", because: RECORDED },
  { file: "cli/hooks/test-hooks.ts", events: "PreToolUse UserPromptSubmit", because: EXAMPLE },
  { file: "engine/hooks/session-hooks.ts", events: "SessionEnd SessionStart", because: CALL_SITE },
  {
    file: "console/text/describe-hook.ts",
    events: "PermissionRequest PostToolUse PreToolUse UserPromptSubmit",
    because: "examples of inputs in a dialog, for events that people try",
  },
  {
    file: "engine/hooks/tool-hooks.ts",
    events: "PermissionRequest PostToolUse PreToolUse",
    because: CALL_SITE,
  },
  { file: "engine/turn/compact.ts", events: "PostCompact PreCompact", because: CALL_SITE },
  { file: "engine/turn/model-step.ts", events: "PostModelRequest PreModelRequest", because: CALL_SITE },
  { file: "engine/turn/conversation.ts", events: "Stop", because: CALL_SITE },
  { file: "engine/turn/submission.ts", events: "SessionStart UserPromptSubmit", because: CALL_SITE },
  { file: "engine/turn/turn.ts", events: "Interrupt", because: CALL_SITE },
  {
    file: "hooks/workbench/recorded-events.ts",
    events:
      "Interrupt PermissionRequest PostCompact PostModelRequest PostToolUse PreCompact PreModelRequest PreToolUse SessionEnd SessionStart Stop UserPromptSubmit",
    because: RECORDED,
  },
  {
    file: "lifecycle/adapters/claude.ts",
    events:
      "PermissionRequest PostCompact PostToolUse PreCompact PreToolUse SessionEnd SessionStart Stop SubagentStart SubagentStop UserPromptSubmit",
    because: OTHER_HARNESS,
  },
  {
    file: "lifecycle/adapters/codex.ts",
    events:
      "Interrupt PermissionRequest PostCompact PostModelRequest PostToolUse PreCompact PreModelRequest PreToolUse SessionEnd SessionStart Stop SubagentStart SubagentStop UserPromptSubmit",
    because: OTHER_HARNESS,
  },
  {
    file: "lifecycle/adapters/copilot.ts",
    events:
      "PermissionRequest PostToolUse PreCompact PreToolUse SessionEnd SessionStart Stop SubagentStart SubagentStop UserPromptSubmit",
    because: OTHER_HARNESS,
  },
  {
    file: "lifecycle/adapters/cursor.ts",
    events: "PostToolUse PreCompact PreToolUse SessionEnd SessionStart SubagentStart SubagentStop",
    because: OTHER_HARNESS,
  },
  { file: "lifecycle/adapters/gemini.ts", events: "SessionEnd SessionStart", because: OTHER_HARNESS },
];

test("an event of hooks is named in its own file, in generated files and where it is run", () => {
  const found = Object.fromEntries(
    readdirSync("src", { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts") && !isExempt(file))
      .map((file) => [file, namesIn(readFileSync(`src/${file}`, "utf8")).join(" ")] as const)
      .filter(([, names]) => names !== "")
      .sort(([one], [other]) => one.localeCompare(other)),
  );
  expect(found).toEqual(Object.fromEntries(MAY_NAME_EVENTS.map(({ file, events }) => [file, events])));
});

test("names are found as strings, keys and members and in templates, not in comments and quoted sentences", () => {
  const text = [
    "const EVENTS = [\"Stop\", 'preToolUse'];",
    "// PostCompact",
    "/** SessionEnd: */ const a = { PreCompact: 1, 'Interrupt': x.SubagentStop };",
    'const b = "Stop what PostToolUse did", stop = `PermissionRequest ${"SessionStart"}`, interrupt = "stop";',
  ].join("\n");
  expect(namesIn(text)).toEqual([
    "Interrupt",
    "PermissionRequest",
    "PreCompact",
    "PreToolUse",
    "SessionStart",
    "Stop",
    "SubagentStop",
  ]);
});

function isExempt(file: string): boolean {
  return /^hooks\/events\/|\/generated\/|\.(?:test|fixture|contract)\.ts$/.test(file);
}

/** Text of templates is read like code, so that nothing that a template holds is missed. */
const TOKEN = /\/\*[^]*?\*\/|\/\/[^\n]*|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|[A-Za-z_$][\w$]*/g;

/** What one event is called, by each of its names; a wire name of one word is a word like others. */
const EVENT_OF = new Map<string, string>(
  HOOK_EVENTS.flatMap((event) => {
    const wire = wireNameOf(event);
    return [[event, event] as const, ...(/[A-Z]/.test(wire) ? [[`"${wire}"`, event] as const] : [])];
  }),
);

function namesIn(text: string): string[] {
  const events = [...text.matchAll(TOKEN)].flatMap(([token]) => {
    const [, quoted = null] = /^["'](.*)["']$/.exec(token) ?? [];
    const event =
      quoted === null ? EVENT_OF.get(token) : (EVENT_OF.get(quoted) ?? EVENT_OF.get(`"${quoted}"`));
    return event === undefined ? [] : [event];
  });
  return [...new Set(events)].sort();
}
