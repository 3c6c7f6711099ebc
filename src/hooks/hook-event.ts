/** The moments at which hooks run, and their names in each place. */
import type { HookEventName as WireEventName } from "../protocol/generated/types.ts";

/** As files of hooks and their input name them. */
export type HookEventName =
  | "SessionStart"
  | "SessionEnd"
  | "UserPromptSubmit"
  | "PreToolUse"
  | "PermissionRequest"
  | "PostToolUse"
  | "PreCompact"
  | "PostCompact"
  | "SubagentStart"
  | "SubagentStop"
  | "Stop"
  | "Interrupt"
  | "PreModelRequest"
  | "PostModelRequest";

/** In the order in which lists of hooks have them. */
export const HOOK_EVENTS: readonly HookEventName[] = [
  "PreModelRequest",
  "PostModelRequest",
  "PreToolUse",
  "PermissionRequest",
  "PostToolUse",
  "PreCompact",
  "PostCompact",
  "SessionStart",
  "SessionEnd",
  "UserPromptSubmit",
  "SubagentStart",
  "SubagentStop",
  "Stop",
  "Interrupt",
];

/** `preToolUse`, in the protocol. */
export function wireNameOf(event: HookEventName): WireEventName {
  return `${event.charAt(0).toLowerCase()}${event.slice(1)}` as WireEventName;
}

/** `pre_tool_use`, in keys of trust. */
export function snakeNameOf(event: HookEventName): string {
  return event.replace(/(?!^)[A-Z]/gu, "_$&").toLowerCase();
}

/** `pre-tool-use`, in ids of runs and names of schema files. */
export function kebabNameOf(event: HookEventName): string {
  return snakeNameOf(event).replaceAll("_", "-");
}
