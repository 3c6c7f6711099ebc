/** Compares the input of Claude Code hooks here with input that was captured from Claude Code. */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { HOOK_EVENTS, type HookEventName } from "../hook-event.ts";
import { type CallFacts, toClaudeCalls } from "./claude-calls.ts";

type Input = Readonly<Record<string, unknown>>;

const captured: readonly { readonly hook: string; readonly input: Input }[] = JSON.parse(
  readFileSync("fixtures/lifecycle/native/claude.json", "utf8"),
);

/** Members that only one of both sends. */
const OMITTED: Readonly<Record<string, readonly string[]>> = {
  SessionStart: [
    "seconds_since_last_response",
    "context_tokens",
    "prompt_cache_likely_expired",
    "estimated_cache_write_usd",
  ],
  PermissionRequest: ["permission_suggestions"],
  PostCompact: ["compact_summary"],
  Stop: ["background_tasks", "session_crons"],
  SubagentStop: ["background_tasks", "session_crons"],
};
const TOLD_BESIDES: Readonly<Record<string, readonly string[]>> = {
  Stop: ["stop_hook_continuations"],
  SubagentStop: ["stop_hook_continuations"],
};
/** The original content is not available after the change. */
const OMITTED_IN_RESPONSE: Readonly<Record<string, readonly string[]>> = { Edit: ["originalFile"] };

const KNOWN = {
  session_id: "thread",
  transcript_path: null,
  cwd: "/w",
  permission_mode: "default",
  model: "m",
  turn_id: "turn",
  effort: "medium",
};

/** The same event in Heddle's vocabulary. */
function own({ hook, input }: { readonly hook: string; readonly input: Input }): {
  readonly input: Input;
  readonly facts: Partial<CallFacts>;
} {
  const { file_path: path = "", content: text = "" } = (input["tool_input"] ?? {}) as Record<string, string>;
  const edit = { before: "one", after: "two" };
  const diff = "@@ -1 +1 @@\n-one\n+two\n";
  const patch = { tool_name: "apply_patch", tool_input: { command: "" }, tool_response: "Success." };
  const facts = { durationMs: 1, lastTurnId: "turn" };
  switch (input["tool_name"]) {
    case undefined: {
      const { effort: _effort, prompt_id: _prompt, ...rest } = input;
      const besides = Object.fromEntries((TOLD_BESIDES[hook] ?? []).map((name) => [name, 0]));
      const untold = new Set([...Object.keys(KNOWN), "custom_instructions", ...(OMITTED[hook] ?? [])]);
      const hookInput = Object.entries(rest).filter(([name]) => !untold.has(name));
      return { input: { ...Object.fromEntries(hookInput), ...besides }, facts };
    }
    case "Edit":
      return {
        input: { ...patch, tool_use_id: "c" },
        facts: {
          ...facts,
          files: [{ kind: "update", path, ...edit }],
          changes: [{ path, kind: { type: "update", move_path: null }, diff }],
        },
      };
    case "Write":
      return {
        input: { ...patch, tool_use_id: "c" },
        facts: { ...facts, files: [{ kind: "add", path, text }] },
      };
    default:
      return {
        input: { tool_name: "Bash", tool_input: { command: "ls" }, tool_response: "hi", tool_use_id: "c" },
        facts,
      };
  }
}

function membersOf(value: unknown): string[] {
  return Object.keys(value as object).sort();
}

function toolOf({ input }: { readonly input: Input }): string {
  return typeof input["tool_name"] === "string" ? input["tool_name"] : "";
}

const moments = captured.filter(
  ({ hook, input }) =>
    (HOOK_EVENTS as readonly string[]).includes(hook) &&
    // Agents have a separate history there, and reading files is not a tool here.
    !("agent_id" in input && "tool_name" in input) &&
    input["tool_name"] !== "Read",
);

test.each(moments.map((moment) => [moment.hook, toolOf(moment), moment] as const))(
  "%s %s has the members that were captured",
  (hook, tool, moment) => {
    const event = hook as HookEventName;
    const { input, facts } = own(moment);
    // A permission request does not refer to a call by its id.
    const { tool_use_id: id, ...rest } = input;
    const available = {
      ...KNOWN,
      hook_event_name: hook,
      ...rest,
      ...(id !== undefined && "tool_use_id" in moment.input && { tool_use_id: id }),
    };
    const calls = toClaudeCalls(event, available, [], {
      aliases: [],
      files: null,
      hasFailed: false,
      ...facts,
    });
    const untold = OMITTED[hook] ?? [];
    const wanted = membersOf(moment.input).filter((name) => !untold.includes(name));
    expect(calls.map((call) => membersOf(call.input))).toEqual([
      [...wanted, ...(TOLD_BESIDES[hook] ?? [])].sort(),
    ]);
    if (!("tool_response" in moment.input)) return;
    const response = membersOf(moment.input["tool_response"]).filter(
      (name) => !(OMITTED_IN_RESPONSE[tool] ?? []).includes(name),
    );
    expect(calls.map((call) => membersOf(call.input["tool_response"]))).toEqual([response]);
  },
);
