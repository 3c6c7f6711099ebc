/** One model request, and the effects of its response on history, files and token usage. */
import type { Awaitable } from "../../base/awaitable.ts";
import { wait } from "../../base/clock.ts";
import type { ModelInfo } from "../../model/catalog/model-info.ts";
import type { ModelRequest } from "../../model/model.ts";
import type { RateLimitSnapshot, ThreadItem } from "../../protocol/generated/types.ts";
import type { Tool } from "../../tools/tool.ts";
import { usageLines } from "../history/turn-lines.ts";
import type { OwnInput } from "../hooks/hook-input.ts";
import { type FailedTurn, type TurnOutcome, toFailedTurn } from "../state/turn-state.ts";
import type { ActiveTurn } from "./active-turn.ts";
import type { ContinuedCalls } from "./call-batch.ts";
import { callsIn, withoutRepeats } from "./call-items.ts";
import { shrinkHistory } from "./compact.ts";
import { instrumentResponse } from "./instrument-response.ts";
import { createLimitWaits, type HeldWait } from "./limit-wait.ts";
import { remindOfTime } from "./model-context.ts";
import { toModelRequest } from "./model-request.ts";
import { createModelRoutes, type ModelRoute } from "./model-route.ts";
import { createProviderNotices, reportLimits, reportUsage } from "./provider-reports.ts";
import { type FailedSample, type Sample, type SampleOptions, sample } from "./sample.ts";
import { createStepCalls } from "./step-calls.ts";
import type { TurnOptions } from "./submission.ts";
import { describeTurn } from "./suspended-turn.ts";
import type { ThreadCore } from "./thread-core.ts";
import { createDiffReport } from "./tool-context.ts";
import type { TurnSetup } from "./turn-setup.ts";

type Answered = Extract<Sample, { kind: "answered" | "broken" }>;

/** The result of one model request. */
export type StepAnswer =
  | (Answered & { readonly tools: readonly Tool[] })
  /** The user has aborted the response; none of it enters the history. */
  | { readonly kind: "aborted" }
  /** The request exceeds the context window; it is sent again after the history has been shortened. */
  | { readonly kind: "overflow" }
  /** The turn ends with this outcome. */
  | { readonly kind: "stopped"; readonly outcome: TurnOutcome };

/** The steps of one turn. */
export interface ModelSteps {
  /** Sends a request with the current history. */
  ask(): Promise<StepAnswer>;
  /** Records the answer and runs its calls; true when there is new output for the model. */
  runCalls(answer: Answered & { readonly tools: readonly Tool[] }): Promise<boolean>;
  /** Ends the calls that an earlier process has begun. */
  continueCalls(continued: ContinuedCalls): Promise<void>;
  /** Records the usage; after a broken stream, waits for the retry delay. A non-null outcome ends the turn. */
  account(answer: Answered): Promise<TurnOutcome | null>;
  /**
   * Continues the turn after a failure, with another model or at the end of a usage limit; the caller then repeats the
   * failed step. Null if the turn ends.
   */
  recover(failed: FailedTurn): Promise<"rerouted" | "waited" | null>;
  /** Continues the wait of an earlier process. False if it was aborted. */
  resume(held: HeldWait): Promise<boolean>;
  /** The model that the next request goes to, with the settings for it. */
  route(): ModelRoute;
  /** The last message that answers the user. */
  lastMessage(): ThreadItem | null;
}

export function createModelSteps(
  core: ThreadCore,
  turn: ActiveTurn,
  setup: TurnSetup,
  options: TurnOptions,
): ModelSteps {
  const { history, clock } = core;
  const recovery = createRecovery(core, turn, setup, options);
  let sampling = sampleOptions(recovery.route(), turn);
  const diff = openDiff(core, turn, setup);
  const usage = createUsageRecord(core, turn, recovery.route);
  const calls = createStepCalls(core, turn, setup, { options, diff, onWait: usage.record });
  let lastMessage: ThreadItem | null = null;
  let retriesUsed = 0;
  const failures = createFailures(core, recovery.route);

  return {
    lastMessage: () => lastMessage,

    async continueCalls(continued) {
      await calls.continue(continued, await setup.tools());
    },

    async ask() {
      const reminded = remindOfTime(core, turn, setup);
      const stopped = reminded === null ? null : await reminded;
      if (stopped !== null) return { kind: "stopped", outcome: stopped };
      const tools = await setup.tools();
      const request = requestOf(recovery.route(), turn, options, tools);
      // Everything that is sent is in the journal, a message at least as submitted, unless an append fails.
      const flushed = history.commits.flushGroup();
      if (flushed !== null) await flushed;
      const before = core.hooks.run("PreModelRequest", {}, { turn });
      if (before instanceof Promise) await before;
      const answer = await withAbortOnSteer(turn, (aborted) =>
        sample({ ...request, retriesUsed }, aborted, sampling),
      );
      const after = answer.kind === "aborted" ? null : runPostModelRequest(core, turn, answer);
      if (after instanceof Promise) await after;
      if (answer.kind === "failed") return failures.toAnswer(answer);
      return answer.kind === "aborted" ? answer : { ...answer, tools };
    },

    async runCalls(answer) {
      failures.shown(answer);
      const answered = recovery.answered();
      if (answered !== null) await answered;
      const { requestState } = turn;
      requestState.providerState = answer.turnState ?? requestState.providerState;
      const items = withoutRepeats(answer.items);
      history.record(turn.id, items);
      if (answer.kind === "answered") {
        usage.answered(answer);
      }
      lastMessage = answer.lastMessage ?? lastMessage;
      const called = callsIn(items);
      if (called.length > 0) calls.end(await calls.run(called, answer.tools));
      const hasHookOutput = core.hooks.flushAsyncOutput(turn);
      return called.length > 0 || hasHookOutput;
    },

    async account(answer) {
      if (answer.kind === "broken") {
        retriesUsed = answer.retry.attempt;
        await wait(clock, answer.retry.delayMs, turn.abort.signal);
        return turn.abort.signal.aborted ? { kind: "interrupted" } : null;
      }
      retriesUsed = 0;
      failures.reset();
      usage.record();
      report(core, turn, recovery.route().setup, answer.rateLimits);
      if (turn.abort.signal.aborted) return { kind: "interrupted" };
      diff.repeat();
      return null;
    },

    route: recovery.route,
    resume: recovery.resume,

    async recover(failed) {
      const recovered = await recovery.recover(failed);
      retriesUsed = 0;
      sampling = sampleOptions(recovery.route(), turn);
      return recovered;
    },
  };
}

function openDiff({ id: threadId, emit }: ThreadCore, { id: turnId }: ActiveTurn, setup: TurnSetup) {
  return createDiffReport({ threadId, turnId, root: setup.diffRoot, emit });
}

/** The ways in which a turn continues after a failed request. */
function createRecovery(core: ThreadCore, turn: ActiveTurn, setup: TurnSetup, options: TurnOptions) {
  const routes = createModelRoutes(core, turn, setup);
  const { hold, resume, answered } = createLimitWaits(core, turn, setup, () =>
    describeTurn(turn, options, core.clock.now()),
  );
  return {
    route: routes.current,
    resume,
    answered,
    async recover(failed: FailedTurn): Promise<"rerouted" | "waited" | null> {
      if (await hold(failed)) return "waited";
      return (await routes.reroute(failed)) ? "rerouted" : null;
    },
  };
}

function requestOf(
  { core, setup, isFallback }: ModelRoute,
  turn: ActiveTurn,
  options: TurnOptions,
  tools: readonly Tool[],
): ModelRequest {
  return toModelRequest(core, core.history.items, core.origin(turn), {
    ...options,
    // The turn was started with a tier of another model.
    ...(isFallback && { serviceTier: null }),
    info: setup.info(),
    tools,
    hostedTools: setup.hostedTools,
    kind: turn.kind === "review" ? "review" : "turn",
  });
}

type Ended = Exclude<Sample, { kind: "aborted" }>;

function runPostModelRequest({ hooks }: ThreadCore, turn: ActiveTurn, answer: Ended): Awaitable<unknown> {
  return hooks.run("PostModelRequest", describeAnswer(answer), { turn });
}

/** The input of PostModelRequest hooks. */
function describeAnswer(answer: Ended): OwnInput<"PostModelRequest"> {
  if (answer.kind === "failed") return { status: "failed", error: answer.error.message, token_usage: null };
  const usage = answer.kind === "answered" ? answer.completed.usage : null;
  return {
    status: answer.kind === "answered" ? "completed" : "failed",
    error: answer.kind === "answered" ? null : answer.retry.error.message,
    token_usage:
      usage === null
        ? null
        : {
            input_tokens: usage.inputTokens,
            cached_input_tokens: usage.cachedInputTokens,
            cache_write_input_tokens: usage.cacheWriteInputTokens,
            output_tokens: usage.outputTokens,
            reasoning_output_tokens: usage.reasoningOutputTokens,
            total_tokens: usage.totalTokens,
          },
  };
}

function sampleOptions({ core, setup }: ModelRoute, turn: ActiveTurn): SampleOptions {
  const { id: threadId, settings, emit, pace, clock, createId, log } = core;
  const ids = { threadId, turnId: turn.id };
  return {
    threadId,
    turnId: turn.id,
    emit,
    pace,
    clock,
    createId,
    isPlanMode: settings.mode === "plan",
    warn: (kind) => log.warn("the model sent an item of an unknown kind", { ...ids, kind }),
    model: setup.model,
    notices: createProviderNotices({ ...ids, emit, requestedModel: settings.model }),
    instrument: (read) => instrumentResponse(core, turn.id, read),
    onIncomplete: (limits) => report(core, turn, setup, limits),
  };
}

/** Runs a task with a signal that aborts when the turn is aborted or the user submits an urgent message. */
async function withAbortOnSteer<T>(
  { abort, pending }: ActiveTurn,
  task: (aborted: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  const stop = () => controller.abort();
  if (abort.signal.aborted) stop();
  const releaseAbort = abort.onAbort(stop);
  const releaseMessages = pending.onMessage(({ isUrgent }) => {
    if (isUrgent) stop();
  });
  try {
    return await task(controller.signal);
  } finally {
    releaseMessages();
    releaseAbort();
  }
}

/**
 * Handles failed requests. A history that overflows the context window is compacted; if it still overflows, it is
 * shortened until it fits or nothing more can be dropped.
 */
function createFailures(core: ThreadCore, route: () => ModelRoute) {
  const { id: threadId, history, notify } = core;
  let overflows = 0;
  /** Whether clients have seen a part of the response that is not complete yet. */
  let hasShown = false;
  return {
    /** The finished items of a broken response stay, so that what follows is the same response to a reader. */
    shown({ kind }: Answered): void {
      hasShown = kind === "broken";
    },
    toAnswer(answer: FailedSample): StepAnswer {
      if (answer.error.codexErrorInfo !== "contextWindowExceeded")
        return { kind: "stopped", outcome: toOutcome(answer, hasShown) };
      overflows += 1;
      if (overflows > 1 && shrinkHistory(core)) {
        if (overflows === 2) notify("warning", { threadId, message: STILL_TOO_LONG });
        return { kind: "overflow" };
      }
      // A full window makes the next request, of this turn or a later one, start with a compaction.
      const { info } = route().setup;
      history.usage.estimate(info().contextWindow);
      if (overflows > 1) return { kind: "stopped", outcome: toOutcome(answer, hasShown) };
      notify("warning", { threadId, message: overflowWarning(info()) });
      return { kind: "overflow" };
    },
    /** Called after a successful response. */
    reset(): void {
      overflows = 0;
    },
  };
}

/** A response that was shown in part is not repeated by another model, which could contradict it. */
function toOutcome({ error, cause, hasOutput }: FailedSample, hasShown: boolean): FailedTurn {
  return toFailedTurn(hasOutput || hasShown || cause === undefined ? { error } : { error, cause });
}

const STILL_TOO_LONG =
  "the provider refused the compacted conversation as too long as well: the oldest of it is left out until it fits; set `model_context_window` lower so that less is kept";

function overflowWarning({ contextWindow }: ModelInfo): string {
  return (
    `the provider refused a request that is longer than the model's context window, which is taken to have ${contextWindow} tokens: ` +
    "the conversation is compacted and the turn goes on; set `model_context_window` so that this happens in time"
  );
}

/** Writes the usage of each response once: when it is accounted for, or before the process may be left. */
function createUsageRecord(core: ThreadCore, turn: ActiveTurn, route: () => ModelRoute) {
  let unrecorded: Extract<Sample, { kind: "answered" }> | null = null;
  return {
    answered(answer: Extract<Sample, { kind: "answered" }>): void {
      const { completed } = answer;
      if (completed.usage !== null) core.history.usage.add(completed.usage);
      core.history.raw.answered(turn.id, completed);
      unrecorded = answer;
    },
    record(): void {
      if (unrecorded !== null) recordUsage(core, turn, route().setup, unrecorded);
      unrecorded = null;
    },
  };
}

function recordUsage(
  core: ThreadCore,
  turn: ActiveTurn,
  setup: TurnSetup,
  { completed }: Extract<Sample, { kind: "answered" }>,
): void {
  const { id: threadId, history } = core;
  history.usage.belongsTo(turn.id);
  const counter = { counter: history.usage, modelContextWindow: setup.info().usableContextWindow };
  history.commits.append(...usageLines({ threadId, sessionId: core.sessionId }, turn, completed, counter));
}

function report(
  core: ThreadCore,
  turn: ActiveTurn,
  { info }: TurnSetup,
  limits: readonly RateLimitSnapshot[],
): void {
  if (core.history.usage.isKnown) reportUsage(core, turn.id, info().usableContextWindow);
  reportLimits(core, limits);
}
