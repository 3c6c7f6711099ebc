/** The user has interrupted a turn. */
import { object } from "../schema/shape.ts";
import { coverPrompts, WATCH } from "./coverage.ts";
import { describeWatched } from "./decision-words.ts";
import { decideNothing, defineEvent, NO_STATUS_CODE, type Reading } from "./event.ts";
import { model, permissionMode, place, turn } from "./input-members.ts";
import { completed } from "./meaning.ts";
import { systemMessage } from "./output-members.ts";

const output = object(systemMessage);

const reading: Reading = {
  output,
  invalid: "hook returned invalid interrupt hook JSON output",
  plainText: { error: "Interrupt hook returned non-JSON stdout" },
  exitTwo: null,
  exitError: "code",
  killed: NO_STATUS_CODE,
};

export const interrupt = defineEvent({
  name: "Interrupt",
  description: "When a turn is interrupted.",
  scope: "turn",
  input: object({ ...place("Interrupt"), ...model, ...turn, ...permissionMode }),
  subjectsOf: null,
  isGuard: false,
  timeouts: { codex: { default: 1, max: 3 } },
  reading: { codex: reading, claude: reading },
  claude: null,
  lifecycle: "interrupt.requested",
  coverage: coverPrompts(WATCH, { compaction: WATCH }),
  interpret: () => completed(),
  fold: decideNothing,
  describe: describeWatched,
});
