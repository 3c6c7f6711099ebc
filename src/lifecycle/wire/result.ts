import {
  DECISION_KINDS,
  invalidResult,
  type LifecycleDecision,
  type LifecycleResult,
} from "../vocabulary/result.ts";
import * as shape from "./shape.ts";
import { checked, type ParsedMessage, violation, type WireError } from "./wire-error.ts";

/** The shape of a result. Which text belongs to which decision is checked by the rules. */
export const LIFECYCLE_RESULT = shape.members({
  decision: shape.optional(
    shape.members({
      kind: shape.required(shape.oneOf(DECISION_KINDS)),
      reason: shape.optional(shape.TEXT),
      prompt: shape.optional(shape.TEXT),
    }),
  ),
  context: shape.defaulted(shape.listOf(shape.TEXT)),
  updated_input: shape.defaulted(shape.JSON_VALUE),
  updated_output: shape.defaulted(shape.JSON_VALUE),
  user_message: shape.optional(shape.TEXT),
});

export function parseResult(value: unknown): ParsedMessage<LifecycleResult> {
  return checked(shape.readShape<LifecycleResult>(LIFECYCLE_RESULT, value, "result"), resultRules);
}

export function resultRules(result: LifecycleResult): WireError | null {
  const misplaced = result.decision === undefined ? null : misplacedText(result.decision);
  const problem = misplaced ?? invalidResult(result);
  return problem === null ? null : violation("invalid_response", problem);
}

function misplacedText(decision: LifecycleDecision & { reason?: string; prompt?: string }): string | null {
  if (decision.kind === "continue_with") {
    if (decision.prompt === undefined) return "continue_with needs a prompt";
    return decision.reason === undefined ? null : "continue_with has a prompt and no reason";
  }
  if (decision.prompt !== undefined) return `${decision.kind} has no prompt; only continue_with has one`;
  return decision.kind === "deny" && decision.reason === undefined ? "a denial needs a reason" : null;
}
