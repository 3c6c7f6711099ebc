/** What is told of a moment of a turn: the same to hooks and to those who only watch. */
import { type HookInput, hookEventOf } from "../../hooks/events/index.ts";
import type { HookEventName } from "../../hooks/hook-event.ts";
import type { ThreadSettings } from "../state/settings.ts";

/** What an event tells beyond what many events tell. */
export type OwnInput<E extends HookEventName> = Omit<HookInput<E>, keyof SharedInput>;

/** The thread that hooks run in, as far as they are told of it. */
export interface HookedPlace {
  readonly threadId: string;
  readonly settings: () => ThreadSettings;
  readonly transcriptPath: () => string | null;
}

interface SharedInput {
  readonly session_id: string;
  readonly transcript_path: string | null;
  readonly cwd: string;
  readonly hook_event_name: HookEventName;
  readonly model: string;
  readonly permission_mode: string;
  readonly turn_id: string;
  /** How hard the model thinks; null where that is left to it. */
  readonly effort: string | null;
}

/** Everything that is known, whether or not the event tells it. */
export function hookInputFields<E extends HookEventName>(
  event: E,
  own: OwnInput<E>,
  turnId: string,
  { threadId, settings, transcriptPath }: HookedPlace,
): SharedInput & OwnInput<E> {
  const { cwd, model, approvalPolicy, effort } = settings();
  return {
    session_id: threadId,
    transcript_path: transcriptPath(),
    cwd,
    hook_event_name: event,
    model,
    permission_mode: approvalPolicy === "never" ? "bypassPermissions" : "default",
    turn_id: turnId,
    effort,
    ...own,
  };
}

/** Each event leaves out what it does not tell. */
export function toInput<E extends HookEventName>(
  event: E,
  known: Readonly<Record<string, unknown>>,
): HookInput<E> & Readonly<Record<string, unknown>> {
  const told = Object.keys(hookEventOf(event).input.members).filter((name) => name in known);
  return Object.fromEntries(told.map((name) => [name, known[name]])) as HookInput<E> &
    Readonly<Record<string, unknown>>;
}
