/** Output members shared by several events. */
import { hookEventRows } from "../../protocol/generated/hook-events.ts";
import type { HookEventName } from "../hook-event.ts";
import { choice, constant, flag, maybe, optional, required, text } from "../schema/shape.ts";

const VISIBILITIES = ["user", "model", "both"] as const;

export type Visibility = (typeof VISIBILITIES)[number];

export const systemMessage = { systemMessage: maybe(text, "Shown to the user as a warning.") };

/** Accepted from every hook whose answer is read. */
export const universal = {
  continue: optional(flag, "False to stop processing; true by default."),
  stopReason: maybe(text, "Why processing stops."),
  suppressOutput: optional(flag, "Without effect."),
  ...systemMessage,
};

/**
 * The same for decision events, where nothing but the action in question can be stopped and which have
 * members of their own for that.
 */
export const universalOfDecisions = {
  continue: optional(flag, "Rejected if false, which still counts as a denial."),
  stopReason: maybe(text, "Rejected."),
  suppressOutput: optional(flag, "Rejected if true."),
  ...systemMessage,
};

/** For events that can send text to the model. */
export const messageVisibility = {
  systemMessageVisibility: maybe(choice(VISIBILITIES), "Who receives `systemMessage`; the user by default."),
};

export const block = {
  decision: maybe(choice(["block"]), "The only decision."),
  reason: maybe(text, "The reason; required for a block."),
};

/** The Claude Code form, in which hooks of all events may also approve. */
export const claudeBlock = {
  ...block,
  decision: maybe(choice(["approve", "block"]), "`approve` has no effect."),
};

const ANSWERED = hookEventRows.flatMap(({ name, isAnswered }) => (isAnswered ? [name] : []));

/** The peer accepts the name of any event that has answers and ignores which it is. */
export function specific<E extends HookEventName>(event: E) {
  return { hookEventName: required(constant(event, ANSWERED), "The event of this answer.") };
}

export const additionalContext = {
  additionalContext: maybe(text, "A message for the model."),
  additionalContextVisibility: maybe(
    choice(VISIBILITIES),
    "Who receives `additionalContext`; both by default.",
  ),
};
