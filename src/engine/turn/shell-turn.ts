import { createItemLog } from "../item-log.ts";
import { textMessage } from "../items/text-message.ts";
import type { ActiveTurn } from "./active-turn.ts";
import type { ThreadCore } from "./thread-core.ts";
import type { TurnOutcome } from "./turn-outcome.ts";

export interface ShellCommand {
  readonly command: string;
  readonly timeoutMs: number | null;
}

/** Runs what the user typed as a command, and tells the model what came of it. */
export async function runShellCommand(
  core: ThreadCore,
  turn: ActiveTurn,
  { command, timeoutMs }: ShellCommand,
): Promise<TurnOutcome> {
  const { id: threadId, settings, emit, clock, createId } = core;
  const { signal } = turn.abort;
  const setup = await core.setup();
  const outcome = await setup.runUserShell({
    itemId: createId(),
    threadId,
    command,
    cwd: settings.cwd,
    items: createItemLog({ threadId, turnId: turn.id, emit, clock }),
    signal,
    ...(timeoutMs === null ? {} : { timeoutMs }),
  });
  const record = core.name([textMessage("user", outcome.record)]);
  core.keep(record);
  if (turn.kind === "user") turn.pendingItems.push(...record);
  else core.remember(turn, record);
  return signal.aborted ? { kind: "interrupted" } : { kind: "completed", lastMessage: null };
}
