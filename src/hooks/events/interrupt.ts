/** `Interrupt`: fires when the user interrupts a turn. */
import { object } from "../schema/shape.ts";
import { coverPrompts, WATCH } from "./coverage.ts";
import { describeWatched } from "./decision-summary.ts";
import { decideNothing, defineEvent, NO_STATUS_CODE, type OutputReading } from "./event.ts";
import { model, permissionMode, sessionMembers, turn } from "./input-members.ts";
import { completed } from "./meaning.ts";
import { systemMessage } from "./output-members.ts";

const output = object(systemMessage);

const reading: OutputReading = {
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
  input: object({ ...sessionMembers("Interrupt"), ...model, ...turn, ...permissionMode }),
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
