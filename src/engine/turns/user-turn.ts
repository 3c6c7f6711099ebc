import type { ThreadItem } from "../../protocol/generated/types.ts";
import { compact } from "../compaction/compact.ts";
import { createDiffReport } from "../diff-report.ts";
import { toModelRequest } from "../model-request.ts";
import { callsIn, runCalls } from "../tool-calls.ts";
import type { TurnSetup } from "../turn-setup.ts";
import type { ActiveTurn, Message, TurnOptions } from "./active-turn.ts";
import { hearMessage } from "./hear-message.ts";
import { createProviderNotices } from "./provider-notices.ts";
import { reportLimits, reportUsage } from "./report-usage.ts";
import { type Sample, sample } from "./sample.ts";
import type { ThreadCore } from "./thread-core.ts";
import { createToolContext } from "./tool-context.ts";
import type { TurnOutcome } from "./turn-outcome.ts";

/** Tells the model what the user says, and works until it has nothing more to do. */
export async function runUserTurn(
  core: ThreadCore,
  turn: ActiveTurn,
  message: Message,
  options: TurnOptions,
): Promise<TurnOutcome> {
  const setup = await core.setup();
  if (isFull(core, setup)) {
    const outcome = await compact(core, turn, setup);
    if (outcome.kind !== "compacted") return outcome;
  }
  core.record(turn, core.context.update(await setup.context()));
  await hearMessage(core, turn, message);
  return runLoop(core, turn, setup, options);
}

function isFull({ usage }: ThreadCore, { info }: TurnSetup): boolean {
  return usage.lastTokens >= info.autoCompactTokenLimit;
}

/** Asks the model, does what it asks for, and asks again, until it asks for nothing more. */
async function runLoop(
  core: ThreadCore,
  turn: ActiveTurn,
  setup: TurnSetup,
  { outputSchema, serviceTier }: TurnOptions,
): Promise<TurnOutcome> {
  const { id: threadId, history, emit, clock, createId, log } = core;
  const { signal } = turn.abort;
  const ids = { threadId, turnId: turn.id };
  const report = {
    ...ids,
    emit,
    now: () => clock.now(),
    createId,
    isPlanMode: core.settings.mode === "plan",
    warn: (kind: string) => log.warn("the model sent an item of an unknown kind", { ...ids, kind }),
    model: setup.model,
    notices: createProviderNotices({ ...ids, emit, requestedModel: core.settings.model }),
  };
  const diff = createDiffReport({ ...ids, root: setup.diffRoot, emit });
  const toolContext = createToolContext(core, turn, setup, diff);
  let lastMessage: ThreadItem | null = null;
  for (;;) {
    const tools = await setup.tools();
    const request = toModelRequest(core.settings, history, core.origin(turn), {
      info: setup.info,
      tools,
      kind: turn.kind === "review" ? "review" : "turn",
      outputSchema,
      serviceTier,
    });
    const answer = await sample(request, sampleSignal(turn), report);
    turn.sampling = null;
    if (signal.aborted) return { kind: "interrupted" };
    if (answer.kind === "failed") return answer;
    if (answer.kind === "cut") {
      if (await hearPending(core, turn)) continue;
      return { kind: "interrupted" };
    }
    turn.providerState = answer.turnState ?? turn.providerState;
    core.record(turn, answer.items);
    lastMessage = answer.lastMessage ?? lastMessage;
    const calls = callsIn(answer.items);
    core.record(turn, await runCalls(calls, { tools, log }, toolContext));
    if (signal.aborted) return { kind: "interrupted" };
    reportResponse(core, turn, setup, answer);
    diff.repeat();
    const heard = await hearPending(core, turn);
    if (!heard && calls.length === 0 && answer.completed.endTurn !== false) {
      return { kind: "completed", lastMessage };
    }
    if (isFull(core, setup)) {
      const outcome = await compact(core, turn, setup);
      if (outcome.kind !== "compacted") return outcome;
    }
  }
}

/** Ends what the model is saying, either because the turn ends or because the user has said something. */
function sampleSignal(turn: ActiveTurn): AbortSignal {
  turn.sampling = new AbortController();
  return AbortSignal.any([turn.abort.signal, turn.sampling.signal]);
}

/** Takes what the user has said meanwhile into the history; false when there was nothing. */
async function hearPending(core: ThreadCore, turn: ActiveTurn): Promise<boolean> {
  const messages = turn.pending.splice(0);
  for (const message of messages) await hearMessage(core, turn, message);
  return messages.length > 0;
}

function reportResponse(
  core: ThreadCore,
  turn: ActiveTurn,
  { info }: TurnSetup,
  { completed, rateLimits }: Extract<Sample, { kind: "answered" }>,
): void {
  if (completed.usage !== null) core.usage.add(completed.usage);
  reportUsage(core, turn.id, info.usableContextWindow);
  reportLimits(core, rateLimits);
}
