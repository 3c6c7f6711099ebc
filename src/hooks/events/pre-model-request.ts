/** A model is about to be asked. Nothing that a hook answers is read. */
import { object } from "../schema/shape.ts";
import { coverPrompts, WATCH } from "./coverage.ts";
import { describeWatched } from "./decision-words.ts";
import { decideNothing, defineEvent, NO_STATUS_CODE, type Reading } from "./event.ts";
import { model, place, turn } from "./input-members.ts";
import { completed } from "./meaning.ts";

/** Of both events of a request. */
export const requestReading: Reading = {
  output: null,
  invalid: "",
  plainText: "ignored",
  exitTwo: null,
  exitError: "stderr alone",
  killed: NO_STATUS_CODE,
};

export const preModelRequest = defineEvent({
  name: "PreModelRequest",
  description: "Before a request to the model.",
  scope: "turn",
  input: object({ ...place("PreModelRequest"), ...model, ...turn }),
  subjectsOf: null,
  isGuard: false,
  firesInReviews: true,
  reading: { codex: requestReading, claude: requestReading },
  claude: null,
  lifecycle: "model.requested",
  coverage: coverPrompts(WATCH),
  interpret: () => completed(),
  fold: decideNothing,
  describe: describeWatched,
});
