/** Input members shared by several events. */
import type { HookEventName } from "../hook-event.ts";
import { anything, choice, constant, nullable, optional, required, text } from "../schema/shape.ts";

/** The members that every hook receives. */
export function sessionMembers<E extends HookEventName>(event: E) {
  return {
    session_id: required(text, "The thread; of an agent within it, the thread that it works for."),
    transcript_path: required(
      nullable(text),
      "The file with the history; null for a thread that keeps none.",
    ),
    cwd: required(text, "The working folder."),
    hook_event_name: required(constant(event)),
  };
}

export const model = { model: required(text, "The model that answers.") };

export const turn = { turn_id: required(text, "The turn that runs.") };

export const permissionMode = {
  permission_mode: required(
    choice(["default", "acceptEdits", "plan", "dontAsk", "bypassPermissions"]),
    "Whether anybody is asked before something dangerous is done.",
  ),
};

/** Present only within a subagent. */
export const withinAgent = {
  agent_id: optional(text, "The agent's own thread."),
  agent_type: optional(text, "The role that it was started with."),
};

export const agent = {
  agent_id: required(text, "The agent's own thread."),
  agent_type: required(text, "The role that it was started with."),
};

export const toolCall = {
  tool_name: required(text, "The tool: `Bash`, `apply_patch`, `mcp__<server>__<tool>` or its own name."),
  tool_input: required(anything, "What it is called with; `{ command }` for commands and patches."),
};

export const toolUseId = { tool_use_id: required(text, "The call.") };

/** Alternative tool names that matchers accept. */
const ALIASES: ReadonlyMap<string, readonly string[]> = new Map([
  ["apply_patch", ["Write", "Edit"]],
  ["spawn_agent", ["Agent"]],
]);

export function toolSubjects({ tool_name }: { readonly tool_name: string }): readonly string[] {
  return [tool_name, ...(ALIASES.get(tool_name) ?? [])];
}
