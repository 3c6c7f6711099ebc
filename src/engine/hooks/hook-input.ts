/** The input of a hook event, which hooks and observers receive alike. */
import { type HookInput, hookEventOf } from "../../hooks/events/index.ts";
import type { HookEventName } from "../../hooks/hook-event.ts";
import type { ThreadSettings } from "../state/settings.ts";

/** The fields of an event that are not shared by all events. */
export type OwnInput<E extends HookEventName> = Omit<HookInput<E>, keyof SharedInput>;

/** The thread that the shared fields are read from. */
export interface HookInputSource {
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
  /** The reasoning effort; null for the model's default. */
  readonly effort: string | null;
}

/** All known fields of an event; `toInput` reduces them to those that the event declares. */
export function hookInputFields<E extends HookEventName>(
  event: E,
  own: OwnInput<E>,
  turnId: string,
  { threadId, settings, transcriptPath }: HookInputSource,
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

/** Reduces fields to those that the event declares. */
export function toInput<E extends HookEventName>(
  event: E,
  known: Readonly<Record<string, unknown>>,
): HookInput<E> & Readonly<Record<string, unknown>> {
  const names = Object.keys(hookEventOf(event).input.members).filter((name) => name in known);
  return Object.fromEntries(names.map((name) => [name, known[name]])) as HookInput<E> &
    Readonly<Record<string, unknown>>;
}
