import type { CompletedEvent } from "../../model/model.ts";
import { wait } from "../../model/retry/wait.ts";
import type { RateLimitSnapshot, ThreadItem } from "../../protocol/generated/types.ts";
import { compact } from "../compaction/compact.ts";
import { createDiffReport } from "../diff-report.ts";
import { usageLines } from "../history/turn-lines.ts";
import { toModelRequest } from "../model-request.ts";
import { callsIn, runCalls, withoutRepeats } from "../tool-calls.ts";
import type { TurnSetup } from "../turn-setup.ts";
import type { ActiveTurn, Message, TurnOptions } from "./active-turn.ts";
import { hearPending, readWords, showWords, type Words } from "./hear-message.ts";
import { createProviderNotices } from "./provider-notices.ts";
import { reportLimits, reportUsage } from "./report-usage.ts";
import { type Sample, type SampleOptions, sample } from "./sample.ts";
import { tellContext } from "./tell-context.ts";
import type { ThreadCore } from "./thread-core.ts";
import { createToolContext } from "./tool-context.ts";
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
  const words = await readWords(core, message);
  const needsRoom = isFull(core, setup);
  if (needsRoom) core.keep(words.items);
  else await tellWords({ core, words, options, needsRoom }, turn, setup);
  return { core, words, options, needsRoom };
}

/** Tells the model what the user says, and works until it has nothing more to do. */
export async function runUserTurn(prepared: PreparedTurn, turn: ActiveTurn): Promise<TurnOutcome> {
  const { core, words, options, needsRoom } = prepared;
  const setup = await core.setup(core.settings);
  const room = needsRoom ? await makeRoom(core, turn, setup) : null;
  if (needsRoom && room === null) await tellWords(prepared, turn, setup);
  // The file has them; without room the model hears of them in the next turn.
  if (room !== null) core.remember(turn, words.items);
  showWords(core, turn, words);
  return room ?? runLoop(core, turn, setup, options);
}

async function tellWords(
  { core, words, options }: PreparedTurn,
  turn: ActiveTurn,
  setup: TurnSetup,
): Promise<void> {
  await tellContext(core, turn, setup);
  core.record(turn, core.context.add(options.additionalContext));
  core.record(turn, words.items);
}

function isFull({ usage }: ThreadCore, { info }: TurnSetup): boolean {
  return usage.lastTokens >= info.autoCompactTokenLimit;
}

/** Compacts the history where it has become too long. Null: there is room now. */
async function makeRoom(core: ThreadCore, turn: ActiveTurn, setup: TurnSetup): Promise<TurnOutcome | null> {
  if (!isFull(core, setup)) return null;
  const outcome = await compact(core, turn, setup);
  return outcome.kind === "compacted" ? null : outcome;
}

/** Asks the model, does what it asks for, and asks again, until it asks for nothing more. */
async function runLoop(
  core: ThreadCore,
  turn: ActiveTurn,
  setup: TurnSetup,
  options: TurnOptions,
): Promise<TurnOutcome> {
  const { signal } = turn.abort;
  const ids = { threadId: core.id, turnId: turn.id };
  const sampling = sampleOptions(core, turn, setup);
  const diff = createDiffReport({ ...ids, root: setup.diffRoot, emit: core.emit });
  const toolContext = createToolContext(core, turn, setup, diff);
  let lastMessage: ThreadItem | null = null;
  let retriesUsed = 0;
  for (;;) {
    const tools = await setup.tools();
    const request = toModelRequest(core.settings, core.history, core.origin(turn), {
      ...options,
      info: setup.info,
      tools,
      hostedTools: setup.hostedTools,
      kind: turn.kind === "review" ? "review" : "turn",
    });
    const answer = await sample({ ...request, retriesUsed }, sampleSignal(turn), sampling);
    turn.sampling = null;
    if (answer.kind === "failed") return fail(core, setup, answer);
    if (answer.kind === "cut") {
      if (!signal.aborted && hearPending(core, turn)) continue;
      return { kind: "interrupted" };
    }
    turn.providerState = answer.turnState ?? turn.providerState;
    const items = withoutRepeats(answer.items);
    core.record(turn, items);
    lastMessage = answer.lastMessage ?? lastMessage;
    const calls = callsIn(items);
    core.record(turn, await runCalls(calls, { tools, log: core.log, clock: core.clock }, toolContext));
    if (answer.kind === "broken") {
      retriesUsed = answer.retry.attempt;
      await wait(core.clock, answer.retry.delayMs, signal);
      if (signal.aborted) return { kind: "interrupted" };
      continue;
    }
    retriesUsed = 0;
    countUsage(core, turn, setup, answer.completed);
    report(core, turn, setup, answer.rateLimits);
    if (signal.aborted) return { kind: "interrupted" };
    diff.repeat();
    const heard = hearPending(core, turn);
    if (!heard && calls.length === 0 && answer.completed.endTurn !== false) {
      return { kind: "completed", lastMessage };
    }
    const room = await makeRoom(core, turn, setup);
    if (room !== null) return room;
  }
}

function sampleOptions(core: ThreadCore, turn: ActiveTurn, setup: TurnSetup): SampleOptions {
  const { id: threadId, settings, emit, clock, createId, log } = core;
  const ids = { threadId, turnId: turn.id };
  return {
    ...ids,
    emit,
    now: () => clock.now(),
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
  return AbortSignal.any([turn.abort.signal, turn.sampling.signal]);
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

function countUsage(
  { id, usage, recorder }: ThreadCore,
  turn: ActiveTurn,
  { info }: TurnSetup,
  completed: CompletedEvent,
): void {
  if (completed.usage !== null) usage.add(completed.usage);
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
