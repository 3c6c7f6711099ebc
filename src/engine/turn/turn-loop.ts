import { wait } from "../../base/wait.ts";
import type { CompletedEvent, RetryingEvent } from "../../model/model.ts";
import type { RateLimitSnapshot, ThreadItem } from "../../protocol/generated/types.ts";
import type { Tool, ToolContext } from "../../tools/tool.ts";
import { usageLines } from "../history/turn-lines.ts";
import type { ActiveTurn, TurnOptions } from "./active-turn.ts";
import { compact } from "./compaction/compact.ts";
import { createDiffReport } from "./diff-report.ts";
import { hearPending } from "./hear-message.ts";
import { toModelRequest } from "./model-request.ts";
import { createProviderNotices } from "./provider-notices.ts";
import { remindOfTime } from "./remind-of-time.ts";
import { reportLimits, reportUsage } from "./report-usage.ts";
import { type Sample, type SampleOptions, sample } from "./sample.ts";
import type { ThreadCore } from "./thread-core.ts";
import { callsIn, runCalls, withoutRepeats } from "./tool-calls.ts";
import { createToolContext } from "./tool-context.ts";
import type { TurnOutcome } from "./turn-outcome.ts";
import type { TurnSetup } from "./turn-setup.ts";

/** Asks the model, does what it asks for, and asks again, until it asks for nothing more. */
export async function runLoop(
  core: ThreadCore,
  turn: ActiveTurn,
  setup: TurnSetup,
  options: TurnOptions,
): Promise<TurnOutcome> {
  const step = createStep(core, turn, setup, options);
  for (;;) {
    const outcome = await step();
    if (outcome !== null) return outcome;
    const room = await makeRoom(core, turn, setup);
    if (room !== null) return room;
  }
}

/** Compacts the history where it has become too long. Null: there is room now. */
export async function makeRoom(
  core: ThreadCore,
  turn: ActiveTurn,
  setup: TurnSetup,
): Promise<TurnOutcome | null> {
  if (!isFull(core, setup)) return null;
  const outcome = await compact(core, turn, setup);
  return outcome.kind === "compacted" ? null : outcome;
}

export function isFull({ usage }: ThreadCore, { info }: TurnSetup): boolean {
  return usage.lastTokens >= info.autoCompactTokenLimit;
}

type Answered = Extract<Sample, { kind: "answered" | "broken" }>;

/** One question to the model and what follows from its answer. Null: it has to be asked again. */
function createStep(core: ThreadCore, turn: ActiveTurn, setup: TurnSetup, options: TurnOptions) {
  const { signal } = turn.abort;
  const sampling = sampleOptions(core, turn, setup);
  const ids = { threadId: core.id, turnId: turn.id };
  const diff = createDiffReport({ ...ids, root: setup.diffRoot, emit: core.emit });
  let toolContext: ToolContext | null = null;
  let lastMessage: ThreadItem | null = null;
  let retriesUsed = 0;

  /** Takes the answer into the history and does what it asks for; true when it asked for anything. */
  async function take(answer: Answered, tools: readonly Tool[]): Promise<boolean> {
    turn.providerState = answer.turnState ?? turn.providerState;
    const items = withoutRepeats(answer.items);
    core.record(turn, items);
    if (answer.kind === "answered") {
      const { usage } = answer.completed;
      if (usage !== null) core.usage.add(usage);
      core.raw.answered(turn, answer.completed);
    }
    lastMessage = answer.lastMessage ?? lastMessage;
    const calls = callsIn(items);
    if (calls.length === 0) return false;
    toolContext ??= createToolContext(core, turn, setup, diff);
    core.record(turn, await runCalls(calls, { tools, log: core.log, clock: core.clock }, toolContext));
    return true;
  }

  async function retry({ attempt, delayMs }: RetryingEvent): Promise<TurnOutcome | null> {
    retriesUsed = attempt;
    await wait(core.clock, delayMs, signal);
    return signal.aborted ? { kind: "interrupted" } : null;
  }

  function conclude(answer: Extract<Sample, { kind: "answered" }>, called: boolean): TurnOutcome | null {
    retriesUsed = 0;
    keepUsage(core, turn, setup, answer.completed);
    report(core, turn, setup, answer.rateLimits);
    if (signal.aborted) return { kind: "interrupted" };
    diff.repeat();
    const goesOn = hearPending(core, turn) || called || answer.completed.endTurn === false;
    return goesOn ? null : { kind: "completed", lastMessage };
  }

  return async (): Promise<TurnOutcome | null> => {
    const stopped = await remindOfTime(core, turn, setup);
    if (stopped !== null) return stopped;
    const tools = await setup.tools();
    const request = toModelRequest(core.settings, core.history, core.origin(turn), {
      ...options,
      info: setup.info,
      tools,
      hostedTools: setup.hostedTools,
      kind: turn.kind === "review" ? "review" : "turn",
    });
    // What the model is told is in the file first, as far as it can be written at all.
    await core.recorder.settled();
    const answer = await sample({ ...request, retriesUsed }, sampleSignal(turn), sampling);
    turn.sampling = null;
    if (answer.kind === "failed") return fail(core, setup, answer);
    if (answer.kind === "cut") {
      return !signal.aborted && hearPending(core, turn) ? null : { kind: "interrupted" };
    }
    const called = await take(answer, tools);
    return answer.kind === "broken" ? retry(answer.retry) : conclude(answer, called);
  };
}

function sampleOptions(core: ThreadCore, turn: ActiveTurn, setup: TurnSetup): SampleOptions {
  const { id: threadId, settings, emit, pace, clock, createId, log } = core;
  const ids = { threadId, turnId: turn.id };
  return {
    ...ids,
    emit,
    pace,
    clock,
    createId,
    isPlanMode: settings.mode === "plan",
    warn: (kind) => log.warn("the model sent an item of an unknown kind", { ...ids, kind }),
    model: setup.model,
    notices: createProviderNotices({ ...ids, emit, requestedModel: settings.model }),
    onLost: (limits) => report(core, turn, setup, limits),
  };
}

/** Ends what the model is saying, either because the turn ends or because the user has said something. */
function sampleSignal(turn: ActiveTurn): AbortSignal {
  turn.sampling = new AbortController();
  if (turn.abort.signal.aborted) turn.sampling.abort();
  return turn.sampling.signal;
}

function fail(
  { usage }: ThreadCore,
  { info }: TurnSetup,
  answer: Extract<Sample, { kind: "failed" }>,
): TurnOutcome {
  // The next turn then begins with a compaction.
  if (answer.error.codexErrorInfo === "contextWindowExceeded") usage.estimate(info.contextWindow);
  return answer;
}

function keepUsage(
  { id, usage, recorder }: ThreadCore,
  turn: ActiveTurn,
  { info }: TurnSetup,
  completed: CompletedEvent,
): void {
  usage.belongsTo(turn.id);
  const counter = { counter: usage, modelContextWindow: info.usableContextWindow };
  recorder.append(...usageLines(id, turn, completed, counter));
}

function report(
  core: ThreadCore,
  turn: ActiveTurn,
  { info }: TurnSetup,
  limits: readonly RateLimitSnapshot[],
): void {
  if (core.usage.isKnown) reportUsage(core, turn.id, info.usableContextWindow);
  reportLimits(core, limits);
}
