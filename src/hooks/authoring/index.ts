/** Types for hook authors: the input of each event, and the answers that it accepts. */
import type { HookInput, HookOutput } from "../events/index.ts";
import type { HookEventName } from "../hook-event.ts";

export type { HookInput, HookOutput } from "../events/index.ts";
export { HOOK_EVENTS, type HookEventName } from "../hook-event.ts";

/**
 * The default export of a hook module. A string is used as the raw output; null and undefined are no answer.
 */
export type HookModule<E extends HookEventName> = (
  input: HookInput<E>,
  context: { readonly signal: AbortSignal },
) => Answer<E> | Promise<Answer<E>>;

type Answer<E extends HookEventName> = HookOutput<E> | string | null | undefined;
