import type { ActiveTurn, Message, TurnOptions } from "./active-turn.ts";
import { keepWords, readWords, showWords, type Words } from "./hear-message.ts";
import { readTime } from "./read-time.ts";
import { tellContext } from "./tell-context.ts";
import type { ThreadCore } from "./thread-core.ts";
import { isFull, makeRoom, runLoop } from "./turn-loop.ts";
import type { TurnOutcome } from "./turn-outcome.ts";
import type { TurnSetup } from "./turn-setup.ts";

/** A turn that is accepted: what the user said is kept, and all that is left is to work on it. */
export interface PreparedTurn {
  readonly core: ThreadCore;
  readonly words: Words;
  readonly options: TurnOptions;
  /** The history is too long, and the model has to hear of the words after it was made shorter. */
  readonly needsRoom: boolean;
  /** What the model is to know besides them can be told only now that the turn is accepted. */
  readonly isLate: boolean;
}

/** Keeps what the user says, so that it can be answered as accepted. */
export async function prepareUserTurn(
  thread: ThreadCore,
  turn: ActiveTurn,
  message: Message,
  options: TurnOptions,
): Promise<PreparedTurn> {
  // Settings that change while the turn runs are those of the next one.
  const core = { ...thread, settings: thread.settings };
  const setup = await core.setup(core.settings);
  const said = await readWords(core, message);
  const needsRoom = isFull(core, setup);
  // A client that waits for its turn to be accepted need not be able to say what time it is.
  const isLate = needsRoom || (setup.time.isOfClient && setup.time.isInContext);
  if (!isLate) await tellContextOf({ core, options }, turn, setup, core.clock.now());
  const words = keepWords(core, turn.id, said);
  if (!isLate) core.remember(turn, words.items);
  return { core, words, options, needsRoom, isLate };
}

/** Tells the model what the user says, and works until it has nothing more to do. */
export async function runUserTurn(prepared: PreparedTurn, turn: ActiveTurn): Promise<TurnOutcome> {
  const { core, words, options, needsRoom, isLate } = prepared;
  const setup = await core.setup(core.settings);
  core.raw.release();
  const room = needsRoom ? await makeRoom(core, turn, setup) : null;
  const stopped = room ?? (isLate ? await tellLate(prepared, turn, setup) : null);
  if (needsRoom && room === null) {
    // What the file had of the words was replaced together with what came before them.
    core.record(turn, words.items);
  } else if (isLate) {
    // Also of a turn that has no more to do: the model then hears of them in the next one.
    core.remember(turn, words.items);
  }
  showWords(core, turn, words);
  return stopped ?? runLoop(core, turn, setup, options);
}

async function tellLate(
  prepared: PreparedTurn,
  turn: ActiveTurn,
  setup: TurnSetup,
): Promise<TurnOutcome | null> {
  const time = await readTime(prepared.core, turn, setup);
  if (time.kind === "unknown") return time.outcome;
  await tellContextOf(prepared, turn, setup, time.nowMs);
  return null;
}

async function tellContextOf(
  { core, options }: Pick<PreparedTurn, "core" | "options">,
  turn: ActiveTurn,
  setup: TurnSetup,
  nowMs: number,
): Promise<void> {
  await tellContext(core, turn, setup, nowMs);
  core.record(turn, core.context.add(options.additionalContext));
}
