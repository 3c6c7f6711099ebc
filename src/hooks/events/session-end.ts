/** A thread is archived, deleted or unloaded, or the server ends. Nothing that a hook answers is read. */
import { constant, object, required } from "../schema/shape.ts";
import { WATCH } from "./coverage.ts";
import { describeWatched } from "./decision-words.ts";
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
  description: "When a thread ends.",
  scope: "thread",
  input: object({
    ...place("SessionEnd"),
    reason: required(constant("other"), "Why it ends."),
  }),
  subjectsOf: ({ reason }) => [reason],
  isGuard: false,
  endsSession: true,
  timeouts: { codex: { default: 1, max: 3 }, claude: { default: 1.5, max: 3 } },
  reading: { codex: reading, claude: reading },
  claude: {
    members: (_known, { lastTurnId }) => (lastTurnId === undefined ? {} : { prompt_id: lastTurnId }),
  },
  lifecycle: "session.ended",
  coverage: {
    of: "neither",
    when: "when a thread is archived, deleted or unloaded, or the server ends",
    cell: WATCH,
  },
  interpret: () => completed(),
  fold: decideNothing,
  describe: describeWatched,
});
