// Computes the goal of a thread after a client's change.

import { numberMember, textMember } from "../../base/json-members.ts";
import type { JsonObject } from "../../base/json-object.ts";
import type { ThreadGoal, ThreadGoalSetParams, ThreadGoalStatus } from "../../protocol/generated/types.ts";

export const MAX_OBJECTIVE_CHARACTERS = 4000;

export type GoalChange = Pick<ThreadGoalSetParams, "threadId" | "objective" | "status" | "tokenBudget">;

export type GoalOutcome =
  | { readonly kind: "goal"; readonly goal: ThreadGoal }
  | { readonly kind: "wrong"; readonly message: string };

/** The maximum budget of a goal, which is also the default; null for no limit. */
export interface GoalBounds {
  readonly maxTokenBudget: number | null;
}

export function changeGoal(
  current: ThreadGoal | null,
  change: GoalChange,
  nowSeconds: number,
  { maxTokenBudget }: GoalBounds,
): GoalOutcome {
  const objective = change.objective?.trim() ?? null;
  const fault = faultOf(objective, change, maxTokenBudget);
  if (fault !== null) return { kind: "wrong", message: fault };
  const before = current ?? newGoal(change.threadId, objective, nowSeconds, maxTokenBudget);
  if (before === null) {
    const message = `cannot update goal for thread ${change.threadId}: no goal exists`;
    return { kind: "wrong", message };
  }
  // Absent keeps the current budget; null sets it to the maximum, or to none without a maximum.
  const tokenBudget =
    change.tokenBudget === undefined ? before.tokenBudget : (change.tokenBudget ?? maxTokenBudget);
  const isUsedUp = tokenBudget !== null && before.tokensUsed >= tokenBudget;
  const status = nextStatus(before.status, change.status ?? null, isUsedUp);
  const goal = {
    ...before,
    objective: objective ?? before.objective,
    status,
    tokenBudget,
    updatedAt: nowSeconds,
  };
  return { kind: "goal", goal };
}

function newGoal(
  threadId: string,
  objective: string | null,
  nowSeconds: number,
  tokenBudget: number | null,
): ThreadGoal | null {
  if (objective === null) return null;
  const times = { createdAt: nowSeconds, updatedAt: nowSeconds };
  return { threadId, objective, status: "active", tokenBudget, tokensUsed: 0, timeUsedSeconds: 0, ...times };
}

function faultOf(objective: string | null, { tokenBudget }: GoalChange, most: number | null): string | null {
  if (objective === "") return "goal objective must not be empty";
  if (objective !== null && Array.from(objective).length > MAX_OBJECTIVE_CHARACTERS) {
    return `goal objective must be at most ${MAX_OBJECTIVE_CHARACTERS} characters`;
  }
  if (tokenBudget == null) return null;
  if (tokenBudget <= 0) return "goal budgets must be positive when provided";
  if (most !== null && tokenBudget > most) {
    return `goal token budget ${tokenBudget} exceeds the maximum allowed goal token budget of ${most}`;
  }
  return null;
}

/** A goal that has exhausted its budget is not active, whatever status is requested. */
function nextStatus(
  current: ThreadGoalStatus,
  wanted: ThreadGoalStatus | null,
  isUsedUp: boolean,
): ThreadGoalStatus {
  if (current === "budgetLimited" && (wanted === "paused" || wanted === "blocked")) return current;
  const next = wanted ?? current;
  return next === "active" && isUsedUp ? "budgetLimited" : next;
}

const STATUSES: readonly ThreadGoalStatus[] = [
  "active",
  "paused",
  "blocked",
  "usageLimited",
  "budgetLimited",
  "complete",
];

/** Parses a stored goal; missing members get their initial values. */
export function readGoal(threadId: string, stored: JsonObject | null): ThreadGoal | null {
  const objective = stored === null ? null : textMember(stored, "objective");
  if (stored === null || objective === null) return null;
  const status = textMember(stored, "status");
  return {
    threadId,
    objective,
    status: STATUSES.find((each) => each === status) ?? "active",
    tokenBudget: numberMember(stored, "tokenBudget"),
    tokensUsed: numberMember(stored, "tokensUsed") ?? 0,
    timeUsedSeconds: numberMember(stored, "timeUsedSeconds") ?? 0,
    createdAt: numberMember(stored, "createdAt") ?? 0,
    updatedAt: numberMember(stored, "updatedAt") ?? 0,
  };
}
