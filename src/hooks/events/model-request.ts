/** A model is about to be asked, or has answered or failed. Nothing that a hook answers is read. */
import { choice, integer, nullable, object, required, text } from "../schema/shape.ts";
import { decideNothing, defineEvent, NO_STATUS_CODE, type Reading } from "./event.ts";
import { model, place, turn } from "./input-members.ts";
import { completed } from "./meaning.ts";

const reading: Reading = {
  output: null,
  invalid: "",
  plainText: "ignored",
  exitTwo: null,
  exitError: "stderr alone",
  killed: NO_STATUS_CODE,
};

export const preModelRequest = defineEvent({
  name: "PreModelRequest",
  scope: "turn",
  input: object({ ...place("PreModelRequest"), ...model, ...turn }),
  subjectsOf: null,
  isGuard: false,
  reading: { codex: reading, claude: reading },
  interpret: () => completed(),
  fold: decideNothing,
});

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
  scope: "turn",
  input: object({
    ...place("PostModelRequest"),
    ...model,
    ...turn,
    status: required(choice(["completed", "failed"])),
    error: required(nullable(text), "Why it failed."),
    token_usage: required(nullable(tokenUsage), "What it took."),
  }),
  subjectsOf: null,
  isGuard: false,
  reading: { codex: reading, claude: reading },
  interpret: () => completed(),
  fold: decideNothing,
});
