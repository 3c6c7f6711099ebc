/** Output members shared by several events. */
import { hookEventRows } from "../../protocol/generated/hook-events.ts";
import type { HookEventName } from "../hook-event.ts";
import { choice, constant, flag, maybe, optional, required, text } from "../schema/shape.ts";

const VISIBILITIES = ["user", "model", "both"] as const;

export type Visibility = (typeof VISIBILITIES)[number];

export const systemMessage = { systemMessage: maybe(text, "Shown to the user as a warning.") };

/** Accepted from every hook whose answer is read. */
export const universal = {
  continue: optional(flag, "False where nothing is to go on. True if it is missing."),
  stopReason: maybe(text, "Why nothing is to go on."),
  suppressOutput: optional(flag, "Without effect."),
  ...systemMessage,
};

/**
 * The same for decision events, where nothing but the action in question can be stopped and which have
 * members of their own for that.
 */
export const universalOfDecisions = {
  continue: optional(flag, "Refused if it is false, which is taken as a denial all the same."),
  stopReason: maybe(text, "Refused."),
  suppressOutput: optional(flag, "Refused if it is true."),
  ...systemMessage,
};

/** For events that can send text to the model. */
export const messageVisibility = {
  systemMessageVisibility: maybe(
    choice(VISIBILITIES),
    "Who is told `systemMessage`. The user if it is missing.",
  ),
};

export const block = {
  decision: maybe(choice(["block"]), "The one decision there is."),
  reason: maybe(text, "Why. Needed for a block."),
};

/** The Claude Code form, in which hooks of all events may also approve. */
export const claudeBlock = {
  ...block,
  decision: maybe(choice(["approve", "block"]), "`approve` is as good as none."),
};

const ANSWERED = hookEventRows.flatMap(({ name, isAnswered }) => (isAnswered ? [name] : []));

/** The peer accepts the name of any event that has answers and ignores which it is. */
export function specific<E extends HookEventName>(event: E) {
  return { hookEventName: required(constant(event, ANSWERED), "The event that is answered.") };
}

export const additionalContext = {
  additionalContext: maybe(text, "A message for the model."),
  additionalContextVisibility: maybe(
    choice(VISIBILITIES),
    "Who is told `additionalContext`. Both if it is missing.",
  ),
};
