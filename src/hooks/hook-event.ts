/** The events at which hooks run, and their names in each place. */
import { hookEventRows } from "../protocol/generated/hook-events.ts";

/** As files of hooks and their input name them. */
export type HookEventName = (typeof hookEventRows)[number]["name"];

/** In the order in which lists of hooks have them. */
export const HOOK_EVENTS: readonly HookEventName[] = hookEventRows.map(({ name }) => name);

/** `preToolUse`, in the protocol. */
export function wireNameOf<E extends HookEventName>(event: E): Uncapitalize<E> {
  return `${event.charAt(0).toLowerCase()}${event.slice(1)}` as Uncapitalize<E>;
}

/** `pre_tool_use`, in keys of trust. */
export function snakeNameOf(event: HookEventName): string {
  return event.replace(/(?!^)[A-Z]/gu, "_$&").toLowerCase();
}

/** `pre-tool-use`, in ids of runs and names of schema files. */
export function kebabNameOf(event: HookEventName): string {
  return snakeNameOf(event).replaceAll("_", "-");
}
