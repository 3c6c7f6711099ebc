/** For those who write hooks: what each event tells them, and what they may answer. */
import type { HookInput, HookOutput } from "../events/index.ts";
import type { HookEventName } from "../hook-event.ts";

export type { HookInput, HookOutput } from "../events/index.ts";
export { HOOK_EVENTS, type HookEventName } from "../hook-event.ts";

/** The default export of a module that is a hook. Text is taken as it is, and nothing says nothing. */
export type HookModule<E extends HookEventName> = (
  input: HookInput<E>,
  context: { readonly signal: AbortSignal },
) => Answer<E> | Promise<Answer<E>>;

type Answer<E extends HookEventName> = HookOutput<E> | string | null | undefined;
