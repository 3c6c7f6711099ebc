/** What hooks of several events may answer. */
import { hookEventRows } from "../../protocol/generated/hook-events.ts";
import type { HookEventName } from "../hook-event.ts";
import { choice, constant, flag, maybe, optional, required, text } from "../schema/shape.ts";

const VISIBILITIES = ["user", "model", "both"] as const;

export type Visibility = (typeof VISIBILITIES)[number];

export const systemMessage = { systemMessage: maybe(text, "Shown to the user as a warning.") };

/** Every hook whose answer is read. */
export const universal = {
  continue: optional(flag, "False where nothing is to go on. True if it is missing."),
  stopReason: maybe(text, "Why nothing is to go on."),
  suppressOutput: optional(flag, "Without effect."),
  ...systemMessage,
};

/** The same where there is nothing to stop but what is asked about, and that has words of its own. */
export const universalOfDecisions = {
  continue: optional(flag, "Refused if it is false, which is taken as a denial all the same."),
  stopReason: maybe(text, "Refused."),
  suppressOutput: optional(flag, "Refused if it is true."),
  ...systemMessage,
};

/** Where something can be told to the model. */
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

/** The same of Claude Code, whose hooks may say that they have nothing against it: one word for all of its events. */
export const claudeBlock = {
  ...block,
  decision: maybe(choice(["approve", "block"]), "`approve` is as good as none."),
};

const ANSWERED = hookEventRows.flatMap(({ name, isAnswered }) => (isAnswered ? [name] : []));

/** The peer takes the name of any event that has answers, and means its own. */
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
