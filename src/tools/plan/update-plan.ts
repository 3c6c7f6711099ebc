/** The tool `update_plan`: publishes the steps of a task and their status. */
import { choice, decodeArguments, list, maybe, struct, text } from "../arguments/decode-arguments.ts";
import { describeFunctionCall, refuseCall, type Tool, type ToolContext } from "../tool.ts";

const SPEC = {
  type: "function",
  name: "update_plan",
  description:
    "Tells the user the steps of the task and how far each of them is. Give all steps with every call; no more than one may be in_progress.",
  strict: false,
  parameters: {
    type: "object",
    properties: {
      explanation: { type: "string", description: "Why the plan has changed." },
      plan: {
        type: "array",
        description: "All steps, in their order.",
        items: {
          type: "object",
          properties: {
            status: {
              type: "string",
              description: "How far it is.",
              enum: ["pending", "in_progress", "completed"],
            },
            step: { type: "string", description: "What is to be done." },
          },
          required: ["step", "status"],
          additionalProperties: false,
        },
      },
    },
    required: ["plan"],
    additionalProperties: false,
  },
};

const CLOSED = { isClosed: true };
const ARGUMENTS = struct(
  "UpdatePlanArgs",
  {
    explanation: maybe(text),
    plan: list(
      struct("PlanItemArg", { step: text, status: choice("pending", "in_progress", "completed") }, CLOSED),
    ),
  },
  CLOSED,
);

const STATUS = { pending: "pending", in_progress: "inProgress", completed: "completed" } as const;

export interface UpdatePlanPorts {
  /** In Plan mode the plan is the result of the turn, not a checklist. */
  readonly isPlanMode: (context: ToolContext) => boolean;
}

export function createUpdatePlan({ isPlanMode }: UpdatePlanPorts): Tool {
  return {
    name: SPEC.name,
    spec: SPEC,
    parallel: false,
    describeCall: describeFunctionCall,
    async run({ input }, context) {
      if (isPlanMode(context)) {
        return refuseCall("update_plan is a TODO/checklist tool and is not allowed in Plan mode");
      }
      const decoded = decodeArguments(input, ARGUMENTS);
      if (decoded.kind === "wrong") return refuseCall(decoded.message);
      const { plan, explanation } = decoded.value;
      context.plan(
        plan.map(({ step, status }) => ({ step, status: STATUS[status] })),
        explanation,
      );
      return { output: "Plan updated", success: true, value: { kind: "data", data: { plan, explanation } } };
    },
  };
}
