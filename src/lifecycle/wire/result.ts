import { DECISION_KINDS, type Decision, invalidResult, type LifecycleResult } from "../vocabulary/result.ts";
import * as shape from "./shape.ts";
import { broken, checked, type Parsed, type WireError } from "./wire-error.ts";

/** A result as it is on the wire. Which text goes with which decision is a rule, not a shape. */
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

export function parseResult(value: unknown): Parsed<LifecycleResult> {
  return checked(shape.readShape<LifecycleResult>(LIFECYCLE_RESULT, value, "result"), resultRules);
}

export function resultRules(result: LifecycleResult): WireError | null {
  const strange = result.decision === undefined ? null : strangeText(result.decision);
  const problem = strange ?? invalidResult(result);
  return problem === null ? null : broken("invalid_response", problem);
}

function strangeText(decision: Decision & { reason?: string; prompt?: string }): string | null {
  if (decision.kind === "continue_with") {
    if (decision.prompt === undefined) return "continue_with needs a prompt";
    return decision.reason === undefined ? null : "continue_with has a prompt and no reason";
  }
  if (decision.prompt !== undefined) return `${decision.kind} has no prompt; only continue_with has one`;
  return decision.kind === "deny" && decision.reason === undefined ? "a denial needs a reason" : null;
}
