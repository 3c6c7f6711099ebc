import type { ToolContext } from "../../tools/tool.ts";
import type { DiffReport } from "../diff-report.ts";
import { createItemLog } from "../item-log.ts";
import type { TurnSetup } from "../turn-setup.ts";
import type { ActiveTurn } from "./active-turn.ts";
import type { ThreadCore } from "./thread-core.ts";

/** What the tools of a turn know of it, and how they show their work. */
export function createToolContext(
  { id: threadId, settings, questions, emit, clock }: ThreadCore,
  turn: ActiveTurn,
  { approve }: TurnSetup,
  diff: DiffReport,
): ToolContext {
  const { signal } = turn.abort;
  const ids = { threadId, turnId: turn.id };
  return {
    ...ids,
    cwd: settings.cwd,
    sandbox: settings.sandbox,
    signal,
    items: createItemLog({ ...ids, emit, clock }),
    edited: diff.record,
    approve,
    ask: (method, params) => questions.ask(method, params, signal),
    plan: (plan, explanation) => emit("turn/plan/updated", { ...ids, explanation, plan: [...plan] }),
  };
}
