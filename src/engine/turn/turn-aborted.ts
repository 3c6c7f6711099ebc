import { textMessage } from "../items/text-message.ts";

/** Tells the model in the next turn why its last one has no end. */
export const TURN_ABORTED = textMessage(
  "user",
  "<turn_aborted>\nThe user interrupted the turn. Commands that were running may have done part of their work.\n</turn_aborted>",
);
