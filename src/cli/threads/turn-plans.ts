/** Reads a plan of steps from the call of `update_plan` that published it, because it is no item. */
import { isObject, type JsonObject } from "../../base/json-object.ts";
import type { TurnPlanStep } from "../../protocol/generated/types.ts";

const STATUS: Readonly<Record<string, TurnPlanStep["status"]>> = {
  pending: "pending",
  in_progress: "inProgress",
  completed: "completed",
};

/** Null for any other item of the model. What is no step of a plan is left out. */
export function readPlanCall(item: JsonObject): readonly TurnPlanStep[] | null {
  const { name, arguments: text } = item;
  if (name !== "update_plan" || typeof text !== "string") return null;
  try {
    const call = JSON.parse(text) as unknown;
    const steps = isObject(call) ? call["plan"] : null;
    return Array.isArray(steps) ? steps.flatMap(readStep) : [];
  } catch {
    return [];
  }
}

function readStep(value: unknown): TurnPlanStep[] {
  if (!isObject(value)) return [];
  const { step, status } = value;
  const known = typeof status === "string" ? STATUS[status] : undefined;
  return typeof step === "string" && known !== undefined ? [{ step, status: known }] : [];
}
