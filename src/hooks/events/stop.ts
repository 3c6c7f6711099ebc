/** `Stop`: fires when the model is done and the turn is about to end. */
import type { HookDialect } from "../configured-hook.ts";
import { object } from "../schema/shape.ts";
import { withTurn } from "./claude-event.ts";
import { coverPrompts } from "./coverage.ts";
import { defineEvent } from "./event.ts";
import { model, permissionMode, sessionMembers, turn } from "./input-members.ts";
import {
  continuation,
  describeStopping,
  foldStops,
  interpretStopping,
  type StopAnswer,
  stopReading,
} from "./stopping.ts";

export const stop = defineEvent({
  name: "Stop",
  description: "When a turn would end.",
  scope: "turn",
  input: object({ ...sessionMembers("Stop"), ...model, ...turn, ...permissionMode, ...continuation }),
  subjectsOf: null,
  isGuard: false,
  reading: stopReading("Stop", "hook returned invalid stop hook JSON output"),
  claude: { members: withTurn },
  lifecycle: "frame.ending",
  coverage: coverPrompts(
    { can: ["make it continue", "end the turn"] },
    { review: { silent: "the reviewer's end is not the thread's" } },
  ),
  interpret: (answer: StopAnswer, dialect: HookDialect) => interpretStopping("Stop", answer, dialect),
  fold: foldStops,
  describe: describeStopping,
});
