/**
 * The order of a turn that talks with the model: SessionStart hooks, UserPromptSubmit hooks, the prompt; then steps,
 * each of which sends a model request and runs its calls with their tool and permission hooks; at the end the Stop
 * hooks, which may continue the turn.
 */
import type { Awaitable } from "../../base/awaitable.ts";
import { DEFAULT_HOOK_TEXT_LIMIT } from "../../hooks/spill.ts";
import type { FailureCause } from "../../model/model.ts";
import type { ThreadItem } from "../../protocol/generated/types.ts";
import { toHookPromptMessage } from "../../store/lines/hook-prompt.ts";
import { startSession } from "../hooks/session-hooks.ts";
import { createItemReporter } from "../items/item-reporter.ts";
import { newMessageId } from "../items/response-items.ts";
import type { TurnOutcome } from "../state/turn-state.ts";
import type { ActiveTurn } from "./active-turn.ts";
import { compactIfNeeded, isFull } from "./compact.ts";
import { updateContext } from "./model-context.ts";
import { createModelSteps, type ModelSteps } from "./model-step.ts";
import { applyDeferredInput, applyPendingInput, enterMessage, type Submission } from "./submission.ts";
import type { ContinuedWork } from "./suspended-turn.ts";
import type { ThreadCore } from "./thread-core.ts";
import type { TurnSetup } from "./turn-setup.ts";
import type { Conversation } from "./turn-work.ts";

/** Runs model steps until the model makes no more calls and no Stop hook continues the turn. */
export async function converse(conversation: Conversation, turn: ActiveTurn): Promise<TurnOutcome> {
  const { core, options } = conversation;
  const known = core.setup(core.settings);
  const setup = known instanceof Promise ? await known : known;
  core.hooks.flushAsyncOutput(turn);
  const steps = createModelSteps(core, turn, setup, options);
  const { start } = conversation;
  const refused =
    "calls" in start || "held" in start
      ? await continueWork(core, turn, steps, start)
      : await enterPrompt(conversation, start, turn, { setup, steps });
  if (refused !== null) return refused;
  const stopHooks = createStopHooks(core, turn, setup.maxContinuations);
  for (;;) {
    const outcome =
      (await takeStep(core, turn, steps, stopHooks)) ?? (await makeRoom(turn, steps, EVERY_CAUSE));
    if (outcome !== null) return outcome;
    if (!(await startSession(core, turn))) return ended(turn, steps.lastMessage());
  }
}

/** Records the context, and then the prompt unless a hook blocks it. A non-null outcome ends the turn. */
async function enterPrompt(
  { core, options }: Conversation,
  submission: Submission,
  turn: ActiveTurn,
  { setup, steps }: { readonly setup: TurnSetup; readonly steps: ModelSteps },
): Promise<TurnOutcome | null> {
  // A wait would outlive the process, which the prompt does only once it is in the history.
  const stopped =
    (await makeRoom(turn, steps, ["overloaded"])) ?? (await updateContext(core, turn, setup, options));
  if (stopped === null && !(await startSession(core, turn))) {
    core.history.drop(submission);
    return ended(turn, null);
  }
  // Applied even where the turn is about to end, so that the next turn's request includes it.
  const applied = applyDeferredInput(core, turn);
  if (applied !== null) await applied;
  const hasEntered = await enterMessage(core, turn, submission);
  if (stopped !== null) return stopped;
  return hasEntered || (await applyPendingInput(core, turn)) ? null : ended(turn, null);
}

/**
 * Ends the calls of an earlier process, or its wait; then the conversation continues as after any other calls.
 */
async function continueWork(
  core: ThreadCore,
  turn: ActiveTurn,
  steps: ModelSteps,
  work: ContinuedWork,
): Promise<TurnOutcome | null> {
  await ("calls" in work ? steps.continueCalls(work.calls) : steps.resume(work.held));
  if (turn.abort.signal.aborted) return { kind: "interrupted" };
  if (turn.state.isStopping || !(await startSession(core, turn))) return ended(turn, null);
  const applied = applyDeferredInput(core, turn);
  if (applied !== null) await applied;
  await applyPendingInput(core, turn);
  return null;
}

/** Sends one model request and runs its calls. Null where another request follows. */
async function takeStep(
  core: ThreadCore,
  turn: ActiveTurn,
  steps: ModelSteps,
  stopHooks: StopHooks,
): Promise<TurnOutcome | null> {
  const answer = await steps.ask();
  if (answer.kind === "stopped") return orRecover(core, turn, steps, answer.outcome);
  if (answer.kind === "overflow") return null;
  if (answer.kind === "aborted") {
    if (turn.abort.signal.aborted || turn.pending.isEmpty) return { kind: "interrupted" };
    // Where hooks block all the input that aborted the response, the request is sent again.
    await applyPendingInput(core, turn);
    return null;
  }
  const hasCalled = await steps.runCalls(answer);
  const outcome = await steps.account(answer);
  if (outcome !== null) return outcome;
  if (turn.state.isStopping) return ended(turn, steps.lastMessage());
  if (answer.kind === "broken") return null;
  const shouldContinue =
    (await applyPendingInput(core, turn)) ||
    hasCalled ||
    answer.completed.endTurn === false ||
    (await stopHooks.shouldContinue(steps.lastMessage()));
  return shouldContinue ? null : ended(turn, steps.lastMessage());
}

/** Compacts the history if it is too long for the model that the next request goes to. */
function makeRoom(
  turn: ActiveTurn,
  steps: ModelSteps,
  recoverable: readonly FailureCause["kind"][],
): Awaitable<TurnOutcome | null> {
  const { core, setup } = steps.route();
  return isFull(core, setup) ? makeRoomNow(turn, steps, recoverable) : null;
}

const EVERY_CAUSE: readonly FailureCause["kind"][] = ["overloaded", "usageLimit"];

async function makeRoomNow(
  turn: ActiveTurn,
  steps: ModelSteps,
  recoverable: readonly FailureCause["kind"][],
): Promise<TurnOutcome | null> {
  for (;;) {
    const { core, setup } = steps.route();
    const outcome = await compactIfNeeded(core, turn, setup);
    if (outcome?.kind !== "failed" || outcome.cause === undefined) return outcome;
    if (!recoverable.includes(outcome.cause.kind)) return outcome;
    const ended = await orRecover(core, turn, steps, outcome);
    if (ended !== null) return ended;
  }
}

/** Null where the turn continues after a failure. */
async function orRecover(
  core: ThreadCore,
  turn: ActiveTurn,
  steps: ModelSteps,
  outcome: TurnOutcome,
): Promise<TurnOutcome | null> {
  if (outcome.kind !== "failed") return outcome;
  const recovered = await steps.recover(outcome);
  if (recovered === null) return turn.wait !== null && isAborted(turn) ? { kind: "interrupted" } : outcome;
  // Messages of the user that have arrived during the wait belong to the next request.
  if (recovered === "waited") await applyPendingInput(core, turn);
  return null;
}

function isAborted({ abort }: ActiveTurn): boolean {
  return abort.signal.aborted;
}

/** An interrupt during the last hooks still makes the turn an interrupted one. */
function ended({ abort }: ActiveTurn, lastMessage: ThreadItem | null): TurnOutcome {
  return abort.signal.aborted ? { kind: "interrupted" } : { kind: "completed", lastMessage };
}

/** Stop hooks of one turn: their prompts continue it, as one user message. */
interface StopHooks {
  /** True where a hook continues the turn; its prompt has then been recorded. */
  shouldContinue(lastMessage: ThreadItem | null): Promise<boolean>;
}

function createStopHooks(core: ThreadCore, turn: ActiveTurn, maxContinuations: number): StopHooks {
  const { id: threadId, hooks, history, emit, clock } = core;
  let continuations = 0;

  return {
    async shouldContinue(lastMessage) {
      const decision = await hooks.run(
        "Stop",
        {
          stop_hook_active: continuations > 0,
          stop_hook_continuations: continuations,
          last_assistant_message: lastMessage?.type === "agentMessage" ? lastMessage.text : null,
        },
        { turn },
      );
      if (decision.kind !== "continue" || turn.abort.signal.aborted) return false;
      if (continuations >= maxContinuations) {
        emit("warning", { threadId, message: limitReached(maxContinuations) });
        return false;
      }
      const fragments = await Promise.all(
        decision.prompts.map(async ({ runId, text }) => ({
          text: await hooks.shorten({ text, limit: DEFAULT_HOOK_TEXT_LIMIT }),
          hookRunId: runId,
        })),
      );
      const id = newMessageId(core.createId);
      const message = toHookPromptMessage(fragments, id);
      if (message === null) return false;
      continuations += 1;
      history.record(turn.id, [message]);
      const report = createItemReporter({ threadId, turnId: turn.id, emit, clock });
      report.complete({ type: "hookPrompt", id, fragments });
      return true;
    },
  };
}

function limitReached(limit: number): string {
  return `Stop hooks have made the turn go on ${limit} times in a row, and wanted it once more: the turn ends here. hooks.max_continuations in config.toml sets how often they may.`;
}
