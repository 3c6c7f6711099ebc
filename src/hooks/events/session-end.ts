/**
 * `SessionEnd`: fires when a thread is archived, deleted or unloaded, or the server shuts down. The hook's
 * answer is ignored.
 */
import { constant, object, required } from "../schema/shape.ts";
import { WATCH } from "./coverage.ts";
import { describeWatched } from "./decision-summary.ts";
import { decideNothing, defineEvent, NO_EXIT_CODE, type OutputReading } from "./event.ts";
import { sessionMembers } from "./input-members.ts";
import { completed } from "./meaning.ts";

const reading: OutputReading = {
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
    ...sessionMembers("SessionEnd"),
    reason: required(constant("other"), "Why it ends."),
  }),
  subjectsOf: ({ reason }) => [reason],
  isGuard: false,
  endsSession: true,
  timeouts: { codex: { default: 1, max: 3 }, claude: { default: 1.5, max: 3 } },
  reading: { codex: reading, claude: reading },
  claude: {
    members: (_available, { lastTurnId }) => (lastTurnId === undefined ? {} : { prompt_id: lastTurnId }),
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
