/** `PostModelRequest`: fires after a response or failure of the model. The hook's answer is ignored. */
import { choice, integer, nullable, object, required, text } from "../schema/shape.ts";
import { coverPrompts, WATCH } from "./coverage.ts";
import { describeWatched } from "./decision-summary.ts";
import { decideNothing, defineEvent } from "./event.ts";
import { model, sessionMembers, turn } from "./input-members.ts";
import { completed } from "./meaning.ts";
import { requestReading } from "./pre-model-request.ts";

const tokenUsage = object({
  input_tokens: required(integer),
  cached_input_tokens: required(integer),
  cache_write_input_tokens: required(integer),
  output_tokens: required(integer),
  reasoning_output_tokens: required(integer),
  total_tokens: required(integer),
});

export const postModelRequest = defineEvent({
  name: "PostModelRequest",
  description: "After one.",
  scope: "turn",
  input: object({
    ...sessionMembers("PostModelRequest"),
    ...model,
    ...turn,
    status: required(choice(["completed", "failed"])),
    error: required(nullable(text), "Why it failed."),
    token_usage: required(nullable(tokenUsage), "What it took."),
  }),
  subjectsOf: null,
  isGuard: false,
  firesInReviews: true,
  reading: { codex: requestReading, claude: requestReading },
  claude: null,
  lifecycle: "model.responded",
  coverage: coverPrompts(WATCH),
  interpret: () => completed(),
  fold: decideNothing,
  describe: describeWatched,
});
