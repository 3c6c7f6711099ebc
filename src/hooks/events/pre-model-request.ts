/** `PreModelRequest`: fires before a request to the model. The hook's answer is ignored. */
import { object } from "../schema/shape.ts";
import { coverPrompts, WATCH } from "./coverage.ts";
import { describeWatched } from "./decision-summary.ts";
import { decideNothing, defineEvent, NO_STATUS_CODE, type OutputReading } from "./event.ts";
import { model, sessionMembers, turn } from "./input-members.ts";
import { completed } from "./meaning.ts";

/** Used by both events of a request. */
export const requestReading: OutputReading = {
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
  input: object({ ...sessionMembers("PreModelRequest"), ...model, ...turn }),
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
