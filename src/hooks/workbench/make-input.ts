/** The input of an event, from what somebody says about it; what is not said has a likely value. */
import type { JsonObject } from "../configured-hook.ts";
import { hookEventOf } from "../events/index.ts";
import type { HookEventName } from "../hook-event.ts";
import { checkShape } from "../schema/check-shape.ts";

export interface InputPlace {
  readonly cwd: string;
  readonly model: string;
  readonly threadId: string;
  readonly turnId: string;
  readonly transcriptPath: string | null;
  /** Whether anybody is asked; the usual one unless given. */
  readonly permissionMode?: "default" | "bypassPermissions";
}

export type MadeInput =
  | { readonly ok: true; readonly input: JsonObject }
  | { readonly ok: false; readonly faults: readonly string[] };

/** What was said is taken as it is and checked; it may say more than the event tells. */
export function makeInput(event: HookEventName, said: JsonObject, place: InputPlace): MadeInput {
  const given: JsonObject = { ...said, hook_event_name: event };
  const known = likely(place);
  const shape = hookEventOf(event).input;
  const input: Record<string, unknown> = {};
  for (const [name, { isRequired }] of Object.entries(shape.members)) {
    if (Object.hasOwn(given, name)) input[name] = given[name];
    else if (isRequired && Object.hasOwn(known, name)) input[name] = known[name];
  }
  const checked = checkShape(shape, input, { unknownMembers: "ignored" });
  return checked.isValid ? { ok: true, input } : { ok: false, faults: checked.faults };
}

/** Members that `said` has and the event does not tell. */
export function untoldMembers(event: HookEventName, said: JsonObject): string[] {
  const { members } = hookEventOf(event).input;
  return Object.keys(said).filter((name) => !Object.hasOwn(members, name));
}

function likely(place: InputPlace): JsonObject {
  const { cwd, model, threadId, turnId, transcriptPath, permissionMode = "default" } = place;
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
