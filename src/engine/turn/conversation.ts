/**
 * A turn that talks with the model, in its order: the hooks of the session's beginning, the hooks of the prompt, the
 * prompt; then steps, each of which asks the model and does what it asks for, with the hooks of each call and of each
 * permission; in the end the hooks of the stop, which may make it go on.
 */
import type { ThreadItem } from "../../protocol/generated/types.ts";
import { startSession } from "../hooks/session-hooks.ts";
import type { TurnOutcome } from "../state/turn-state.ts";
import type { ActiveTurn } from "./active-turn.ts";
import { compactIfNeeded } from "./compact.ts";
import { updateContext } from "./model-context.ts";
import { createModelSteps, type ModelSteps } from "./model-step.ts";
import { createStopHooks, type StopHooks } from "./stop-hooks.ts";
import { applyDeferredInput, applyPendingInput, enterMessage } from "./submission.ts";
import type { ThreadCore } from "./thread-core.ts";
import type { TurnSetup } from "./turn-setup.ts";
import type { Conversation } from "./turn-work.ts";

/** Talks with the model until it asks for nothing more, and hooks have nothing more to say. */
export async function converse(conversation: Conversation, turn: ActiveTurn): Promise<TurnOutcome> {
  const { core, options } = conversation;
  const setup = await core.setup(core.settings);
  core.hooks.flushAsyncOutput(turn);
  const refused = await enterPrompt(conversation, turn, setup);
  if (refused !== null) return refused;
  const steps = createModelSteps(core, turn, setup, options);
  const stopHooks = createStopHooks(core, turn, setup.maxContinuations);
  for (;;) {
    const outcome =
      (await takeStep(core, turn, steps, stopHooks)) ?? (await compactIfNeeded(core, turn, setup));
    if (outcome !== null) return outcome;
    if (!(await startSession(core, turn))) return ended(turn, steps.lastMessage);
  }
}

/** Tells the model of the place, and then of the prompt where no hook objects. Anything but null ends the turn. */
async function enterPrompt(
  { core, submission, options }: Conversation,
  turn: ActiveTurn,
  setup: TurnSetup,
): Promise<TurnOutcome | null> {
  const stopped =
    (await compactIfNeeded(core, turn, setup)) ?? (await updateContext(core, turn, setup, options));
  if (stopped === null && !(await startSession(core, turn))) {
    core.history.drop(submission);
    return ended(turn, null);
  }
  // Also of a turn that has no more to do: the model then knows of it in the next one.
  await applyDeferredInput(core, turn);
  const hasEntered = await enterMessage(core, turn, submission);
  if (stopped !== null) return stopped;
  return hasEntered || (await applyPendingInput(core, turn)) ? null : ended(turn, null);
}

/** Asks the model, and does what it asks for. Null where it is to be asked again. */
async function takeStep(
  core: ThreadCore,
  turn: ActiveTurn,
  steps: ModelSteps,
  stopHooks: StopHooks,
): Promise<TurnOutcome | null> {
  const answer = await steps.ask();
  if (answer.kind === "stopped") return answer.outcome;
  if (answer.kind === "full") return null;
  if (answer.kind === "cut") {
    if (turn.abort.signal.aborted || turn.pending.isEmpty) return { kind: "interrupted" };
    // Where hooks block all that cut the model off, it is asked once more.
    await applyPendingInput(core, turn);
    return null;
  }
  const hasCalled = await steps.runCalls(answer);
  const outcome = await steps.account(answer);
  if (outcome !== null) return outcome;
  if (turn.state.isStopping) return ended(turn, steps.lastMessage);
  if (answer.kind === "broken") return null;
  const shouldContinue =
    (await applyPendingInput(core, turn)) ||
    hasCalled ||
    answer.completed.endTurn === false ||
    (await stopHooks.shouldContinue(steps.lastMessage));
  return shouldContinue ? null : ended(turn, steps.lastMessage);
}

/** A turn that is interrupted while its last hooks run is interrupted. */
function ended({ abort }: ActiveTurn, lastMessage: ThreadItem | null): TurnOutcome {
  return abort.signal.aborted ? { kind: "interrupted" } : { kind: "completed", lastMessage };
}
