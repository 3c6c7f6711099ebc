import { createItemLog } from "../item-log.ts";
import { toModelMessage } from "../user-message.ts";
import type { ActiveTurn } from "./active-turn.ts";
import type { ThreadCore } from "./thread-core.ts";
import type { TurnOutcome } from "./turn-outcome.ts";

/** Runs what the user typed as a command, and tells the model what came of it. */
export async function runShellCommand(
  core: ThreadCore,
  turn: ActiveTurn,
  command: string,
): Promise<TurnOutcome> {
  const { id: threadId, settings, emit, clock, createId } = core;
  const { signal } = turn.abort;
  const { runUserShell } = await core.setup();
  const outcome = await runUserShell({
    itemId: createId(),
    threadId,
    command,
    cwd: settings.cwd,
    items: createItemLog({ threadId, turnId: turn.id, emit, clock }),
    signal,
  });
  core.record(turn, [toModelMessage([{ type: "text", text: outcome.record }])]);
  return signal.aborted ? { kind: "interrupted" } : { kind: "completed", lastMessage: null };
}
