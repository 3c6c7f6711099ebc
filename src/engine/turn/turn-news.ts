import { messageOf } from "../../base/errors.ts";
import type { ReadState } from "../state/read-state.ts";
import type { ThreadOptions } from "../thread-options.ts";
import type { ActiveTurn } from "./active-turn.ts";
import type { ThreadCore } from "./thread-core.ts";
import type { TurnOutcome } from "./turn-outcome.ts";

/** What there is to tell of a turn that has ended, besides that it has. */
export interface TurnNews {
  /** Marks the thread as unread where the turn has brought something for a user to read. */
  mark(turn: ActiveTurn, outcome: TurnOutcome): void;
  /** Lets whoever wants to know run a program. */
  announce(turn: ActiveTurn, outcome: TurnOutcome): void;
}

export function createTurnNews(options: ThreadOptions, core: ThreadCore, readState: ReadState): TurnNews {
  const { id: threadId, emit, log } = options;
  return {
    mark(turn, outcome) {
      if (!isNews(turn, outcome) || !isReadByUser(options)) return;
      emit("thread/readState/changed", { threadId, readState: readState.answered(turn.id) });
    },
    announce(turn, outcome) {
      runProgram(core, turn, outcome).catch((error: unknown) => {
        log.warn("nobody could be told of the end of a turn", { threadId, error: messageOf(error) });
      });
    },
  };
}

function isNews({ kind }: ActiveTurn, outcome: TurnOutcome): boolean {
  if (outcome.kind === "failed") return true;
  if (outcome.kind === "completed" && outcome.lastMessage !== null) return true;
  // The last words of a review come also when it is interrupted.
  return kind === "review";
}

/** Nobody reads what runs by itself, or what is not kept. */
function isReadByUser({ threadSource, ephemeral }: ThreadOptions): boolean {
  return !ephemeral && (threadSource === null || threadSource === "user");
}

async function runProgram(core: ThreadCore, turn: ActiveTurn, outcome: TurnOutcome): Promise<void> {
  if (turn.kind !== "user" || outcome.kind !== "completed") return;
  const { lastMessage } = outcome;
  const answer = lastMessage?.type === "agentMessage" ? lastMessage.text : null;
  const { notify } = await core.setup();
  notify?.({ threadId: core.id, turnId: turn.id, cwd: core.settings.cwd, said: turn.said, answer });
}
