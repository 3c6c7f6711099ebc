import { createItemReporter } from "../items/item-reporter.ts";
import { textMessage } from "../items/text-message.ts";
import type { TurnOutcome } from "../state/turn-state.ts";
import type { ActiveTurn } from "./active-turn.ts";
import type { ThreadCore } from "./thread-core.ts";

export interface ShellCommand {
  readonly command: string;
  readonly timeoutMs: number | null;
}

/** Runs a command of the user, and records its result for the model. */
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
    items: createItemReporter({ threadId, turnId: turn.id, emit, clock }),
    signal,
    ...(timeoutMs === null ? {} : { timeoutMs }),
  });
  const record = [textMessage("user", outcome.record)];
  if (turn.kind === "user") turn.pending.add(core.history.submit(core.history.prepare(record)));
  else core.history.record(turn.id, record);
  return signal.aborted ? { kind: "interrupted" } : { kind: "completed", lastMessage: null };
}
