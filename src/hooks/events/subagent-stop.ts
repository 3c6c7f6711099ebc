/** `SubagentStop`: fires when a subagent is about to end. */
import type { HookDialect } from "../configured-hook.ts";
import { nullable, object, required, text } from "../schema/shape.ts";
import { withTurn } from "./claude-event.ts";
import { NO_AGENTS } from "./coverage.ts";
import { defineEvent } from "./event.ts";
import { agent, model, permissionMode, sessionMembers, turn } from "./input-members.ts";
import {
  continuation,
  describeStopping,
  foldStops,
  interpretStopping,
  type StopAnswer,
  stopReading,
} from "./stopping.ts";

export const subagentStop = defineEvent({
  name: "SubagentStop",
  description: "When another agent stops.",
  scope: "turn",
  input: object({
    ...sessionMembers("SubagentStop"),
    agent_transcript_path: required(nullable(text), "The file with the agent's own history."),
    ...model,
    ...turn,
    ...permissionMode,
    ...agent,
    ...continuation,
  }),
  subjectsOf: ({ agent_type }) => [agent_type],
  isGuard: false,
  reading: stopReading("SubagentStop", "hook returned invalid subagent stop hook JSON output"),
  claude: { members: withTurn },
  lifecycle: null,
  coverage: NO_AGENTS,
  interpret: (answer: StopAnswer, dialect: HookDialect) => interpretStopping("SubagentStop", answer, dialect),
  fold: foldStops,
  describe: describeStopping,
});
