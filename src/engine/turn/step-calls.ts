/** Runs the calls of a turn's responses, and records their outputs. */
import type { ResponseItem } from "../../protocol/generated/types.ts";
import { SUSPENDED, type Tool, type ToolContext } from "../../tools/tool.ts";
import { createToolHooks } from "../hooks/tool-hooks.ts";
import type { ActiveTurn } from "./active-turn.ts";
import { CallBatch, type ContinuedCalls } from "./call-batch.ts";
import { type CallItem, callsIn } from "./call-items.ts";
import type { TurnOptions } from "./submission.ts";
import { describeTurn } from "./suspended-turn.ts";
import type { ThreadCore } from "./thread-core.ts";
import { runCalls } from "./tool-calls.ts";
import { createToolContext, type DiffReport } from "./tool-context.ts";
import type { TurnSetup } from "./turn-setup.ts";

export interface StepCalls {
  /** Returns the outputs; the caller records them with `end`. */
  run(calls: readonly CallItem[], tools: readonly Tool[]): Promise<ResponseItem[]>;
  end(outputs: readonly ResponseItem[]): void;
  /** Ends the calls that an earlier process has begun. */
  continue(continued: ContinuedCalls, tools: readonly Tool[]): Promise<void>;
}

export interface StepCallOptions {
  readonly options: TurnOptions;
  readonly diff: DiffReport;
  /** Called before the first line about calls that wait: the process may end before the response is accounted for. */
  readonly onWait: () => void;
}

export function createStepCalls(
  core: ThreadCore,
  turn: ActiveTurn,
  setup: TurnSetup,
  { options, diff, onWait }: StepCallOptions,
): StepCalls {
  const { history, log, clock, onEvent } = core;
  let toolContext: ToolContext | null = null;

  /** Not asynchronous itself, because every call of every turn comes by. */
  function run(
    calls: readonly CallItem[],
    tools: readonly Tool[],
    continued: ContinuedCalls | null,
  ): Promise<ResponseItem[]> {
    toolContext ??= createToolContext(core, turn, setup, diff);
    const keeps = setup.keepsQuestions && turn.kind === "user";
    turn.batch = keeps ? openBatch(core, turn, options, { calls, continued, onWait }) : null;
    const toolSet = { tools, hooks: createToolHooks(core, turn), log, clock, onEvent, batch: turn.batch };
    return runCalls(calls, toolSet, toolContext);
  }

  function end(outputs: readonly ResponseItem[]): void {
    history.record(turn.id, outputs);
    turn.batch = null;
  }

  return {
    run: (calls, tools) => run(calls, tools, null),
    end,
    async continue(continued, tools) {
      const items = new Map(callsIn(history.items).map((item) => [item.call_id, item]));
      const calls = [...continued.calls.keys()].flatMap((id) => items.get(id) ?? []);
      end(await run(calls, tools, continued));
      if (turn.abort.signal.reason !== SUSPENDED) await closeRest(setup, continued);
    },
  };
}

interface BatchParts extends Pick<StepCallOptions, "onWait"> {
  readonly calls: readonly CallItem[];
  readonly continued: ContinuedCalls | null;
}

function openBatch(
  { history, clock, onEvent }: ThreadCore,
  turn: ActiveTurn,
  options: TurnOptions,
  { calls, continued, onWait }: BatchParts,
): CallBatch {
  const facts = describeTurn(turn, options, clock.now());
  return new CallBatch(
    calls.map(({ call_id: id }) => id),
    {
      turn: facts,
      commits: history.commits,
      continued,
      onFirstWait: onWait,
      onWaiting: () => onEvent({ type: "turnWaiting", turnId: turn.id, reason: "question" }),
    },
  );
}

/** Denies the questions of calls that could not be made again, so that none stays open after its turn. */
async function closeRest({ decisions }: TurnSetup, { questions }: ContinuedCalls): Promise<void> {
  const denied = {
    outcome: "denied",
    by: { kind: "failure" },
    reason: "the call could not be made again",
  } as const;
  for (const question of questions.values()) await decisions.close(question, denied);
}
