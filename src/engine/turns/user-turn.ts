import type { TurnSetup } from "../turn-setup.ts";
import type { ActiveTurn, Message, TurnOptions } from "./active-turn.ts";
import { keepWords, readWords, showWords, type Words } from "./hear-message.ts";
import { tellContext } from "./tell-context.ts";
import type { ThreadCore } from "./thread-core.ts";
import { isFull, makeRoom, runLoop } from "./turn-loop.ts";
import type { TurnOutcome } from "./turn-outcome.ts";

/** A turn that is accepted: what the user said is kept, and all that is left is to work on it. */
export interface PreparedTurn {
  readonly core: ThreadCore;
  readonly words: Words;
  readonly options: TurnOptions;
  /** The history is too long, and the model has to hear of the words after it was made shorter. */
  readonly needsRoom: boolean;
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
  if (!needsRoom) await tellContextOf({ core, options }, turn, setup);
  const words = keepWords(core, turn.id, said);
  if (!needsRoom) core.remember(turn, words.items);
  return { core, words, options, needsRoom };
}

/** Tells the model what the user says, and works until it has nothing more to do. */
export async function runUserTurn(prepared: PreparedTurn, turn: ActiveTurn): Promise<TurnOutcome> {
  const { core, words, options, needsRoom } = prepared;
  const setup = await core.setup(core.settings);
  const room = needsRoom ? await makeRoom(core, turn, setup) : null;
  if (needsRoom && room === null) {
    await tellContextOf(prepared, turn, setup);
    // What the file had of the words was replaced together with what came before them.
    core.record(turn, words.items);
  }
  // Without room the model hears of them in the next turn.
  if (room !== null) core.remember(turn, words.items);
  showWords(core, turn, words);
  return room ?? runLoop(core, turn, setup, options);
}

async function tellContextOf(
  { core, options }: Pick<PreparedTurn, "core" | "options">,
  turn: ActiveTurn,
  setup: TurnSetup,
): Promise<void> {
  await tellContext(core, turn, setup);
  core.record(turn, core.context.add(options.additionalContext));
}
