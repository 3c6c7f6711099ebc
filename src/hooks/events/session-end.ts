/** A thread is archived, deleted or unloaded, or the server ends. Nothing that a hook answers is read. */
import { constant, object, required } from "../schema/shape.ts";
import { decideNothing, defineEvent, NO_EXIT_CODE, type Reading } from "./event.ts";
import { place } from "./input-members.ts";
import { completed } from "./meaning.ts";

const reading: Reading = {
  output: null,
  invalid: "",
  plainText: "ignored",
  exitTwo: null,
  exitError: "stderr",
  killed: NO_EXIT_CODE,
};

export const sessionEnd = defineEvent({
  name: "SessionEnd",
  scope: "thread",
  input: object({
    ...place("SessionEnd"),
    reason: required(constant("other"), "Why it ends."),
  }),
  subjectsOf: ({ reason }) => [reason],
  isGuard: false,
  reading: { codex: reading, claude: reading },
  interpret: () => completed(),
  fold: decideNothing,
});
