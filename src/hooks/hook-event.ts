/** Names of the hook events, and their spelling on the wire, in trust keys and in file names. */
import { hookEventRows } from "../protocol/generated/hook-events.ts";

/** The spelling in hook files and hook input. */
export type HookEventName = (typeof hookEventRows)[number]["name"];

/** In the order in which hooks are listed. */
export const HOOK_EVENTS: readonly HookEventName[] = hookEventRows.map(({ name }) => name);

/** `preToolUse`, the spelling on the wire. */
export function wireNameOf<E extends HookEventName>(event: E): Uncapitalize<E> {
  return `${event.charAt(0).toLowerCase()}${event.slice(1)}` as Uncapitalize<E>;
}

/** `pre_tool_use`, the spelling in trust keys. */
export function snakeNameOf(event: HookEventName): string {
  return event.replace(/(?!^)[A-Z]/gu, "_$&").toLowerCase();
}

/** `pre-tool-use`, the spelling in run ids and schema file names. */
export function kebabNameOf(event: HookEventName): string {
  return snakeNameOf(event).replaceAll("_", "-");
}
