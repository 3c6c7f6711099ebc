/** Builds the input of an event from the members that the user gave; all others get plausible defaults. */
import type { JsonObject } from "../../base/json-object.ts";
import { hookEventOf } from "../events/index.ts";
import type { HookEventName } from "../hook-event.ts";
import { checkShape } from "../schema/check-shape.ts";

export interface InputDefaults {
  readonly cwd: string;
  readonly model: string;
  readonly threadId: string;
  readonly turnId: string;
  readonly transcriptPath: string | null;
  /** Defaults to `default`. */
  readonly permissionMode?: "default" | "bypassPermissions";
}

export type BuiltInput =
  | { readonly ok: true; readonly input: JsonObject }
  | { readonly ok: false; readonly faults: readonly string[] };

/**
 * The given members are validated and used as they are; members that the event does not declare are allowed.
 */
export function buildInput(event: HookEventName, members: JsonObject, defaults: InputDefaults): BuiltInput {
  const given: JsonObject = { ...members, hook_event_name: event };
  const fallback = defaultMembers(defaults);
  const shape = hookEventOf(event).input;
  const input: Record<string, unknown> = {};
  for (const [name, { isRequired }] of Object.entries(shape.members)) {
    if (Object.hasOwn(given, name)) input[name] = given[name];
    else if (isRequired && Object.hasOwn(fallback, name)) input[name] = fallback[name];
  }
  const checked = checkShape(shape, input, { unknownMembers: "ignored" });
  return checked.isValid ? { ok: true, input } : { ok: false, faults: checked.faults };
}

/** Members of `given` that the event does not declare. */
export function undeclaredMembers(event: HookEventName, given: JsonObject): string[] {
  const { members } = hookEventOf(event).input;
  return Object.keys(given).filter((name) => !Object.hasOwn(members, name));
}

function defaultMembers(defaults: InputDefaults): JsonObject {
  const { cwd, model, threadId, turnId, transcriptPath, permissionMode = "default" } = defaults;
  return {
    session_id: threadId,
    transcript_path: transcriptPath,
    cwd,
    model,
    turn_id: turnId,
    permission_mode: permissionMode,
    prompt: "",
    source: "startup",
    reason: "other",
    trigger: "manual",
    tool_name: "Bash",
    tool_input: { command: "true" },
    tool_response: "",
    tool_use_id: "call_1",
    stop_hook_active: false,
    stop_hook_continuations: 0,
    last_assistant_message: null,
    status: "completed",
    error: null,
    token_usage: null,
    agent_id: "agent",
    agent_type: "default",
    agent_transcript_path: null,
  };
}
