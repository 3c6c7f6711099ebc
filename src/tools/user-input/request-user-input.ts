/** The tool `request_user_input`: asks the user questions and waits for the answers. */
import type { ModeKind } from "../../protocol/generated/types.ts";
import { decodeArguments, flag, list, maybe, struct, text } from "../arguments/decode-arguments.ts";
import {
  describeFunctionCall,
  refuseCall,
  type Tool,
  type ToolCall,
  type ToolContext,
  type ToolResult,
} from "../tool.ts";

const NAME = "request_user_input";

export interface UserInputPorts {
  /** The modes in which the model may ask; they are named in the description. */
  readonly modes: readonly ModeKind[];
  readonly modeOf: (context: ToolContext) => ModeKind;
}

/** Plan mode only, unless the feature `default_mode_request_user_input` is enabled. */
export const USUAL_MODES: readonly ModeKind[] = ["plan"];

export function createRequestUserInput({ modes, modeOf }: UserInputPorts): Tool {
  return {
    name: NAME,
    spec: describeTool(modes),
    parallel: false,
    describeCall: describeFunctionCall,
    async run(call, context) {
      const mode = modeOf(context);
      if (!modes.includes(mode)) return refuseCall(`${NAME} is unavailable in ${MODE_NAMES[mode]} mode`);
      return ask(call, context, mode);
    },
  };
}

const OPTION = struct("RequestUserInputQuestionOption", { label: text, description: text });
const QUESTION = struct("RequestUserInputQuestion", {
  id: text,
  header: text,
  question: text,
  isSecret: maybe(flag),
  options: maybe(list(OPTION)),
});
const ARGUMENTS = struct("RequestUserInputToolArgs", { questions: list(QUESTION) });

async function ask({ callId, input }: ToolCall, context: ToolContext, mode: ModeKind): Promise<ToolResult> {
  const decoded = decodeArguments(input, ARGUMENTS);
  if (decoded.kind === "wrong") return refuseCall(decoded.message);
  const { questions } = decoded.value;
  if (questions.some(({ options }) => options === null || options.length === 0)) {
    return refuseCall(`${NAME} requires non-empty options for every question`);
  }
  const { threadId, turnId } = context;
  const answer = await context.ask("item/tool/requestUserInput", {
    threadId,
    turnId,
    itemId: callId,
    questions: questions.map((question) => ({
      ...question,
      isOther: true,
      isSecret: question.isSecret ?? false,
    })),
    isBlocking: mode === "plan",
    autoResolutionMs: null,
  });
  if (answer.kind === "abandoned") return refuseCall(`${NAME} was cancelled before receiving a response`);
  // Without an answer, the choice is left to the model.
  const answers = answer.kind === "answered" ? answer.result.answers : {};
  return { output: JSON.stringify({ answers }), success: true, value: { kind: "data", data: { answers } } };
}

const MODE_NAMES: Readonly<Record<ModeKind, string>> = {
  plan: "Plan",
  default: "Default",
  code: "Code",
  custom: "Custom",
  execute: "Execute",
  pair_programming: "Pair Programming",
};

function describeModes(modes: readonly ModeKind[]): string {
  const names = modes.map((mode) => MODE_NAMES[mode]).sort();
  return names.length === 0 ? "no modes" : `${names.join(" or ")} mode`;
}

function describeTool(modes: readonly ModeKind[]) {
  return {
    type: "function",
    name: NAME,
    description: `Asks the user up to three short questions and waits for the answers. This tool is only available in ${describeModes(modes)}.`,
    strict: false,
    parameters: {
      type: "object",
      properties: { questions: QUESTIONS },
      required: ["questions"],
      additionalProperties: false,
    },
  };
}

const OPTIONS = {
  type: "array",
  description:
    'Two or three answers of which one can be chosen. The one that you advise comes first, and its label ends in "(Recommended)". Leave out "Other": the user can always answer in own words.',
  items: {
    type: "object",
    properties: {
      description: {
        type: "string",
        description: "What choosing it means, in one short sentence.",
      },
      label: { type: "string", description: "The label that the user sees, in at most five words." },
    },
    required: ["label", "description"],
    additionalProperties: false,
  },
};

const QUESTIONS = {
  type: "array",
  description: "The questions: one if that is enough, never more than three.",
  items: {
    type: "object",
    properties: {
      header: { type: "string", description: "A heading of at most 12 characters." },
      id: { type: "string", description: "A name in snake_case under which the answer comes back." },
      options: OPTIONS,
      question: { type: "string", description: "The question itself, in one sentence." },
    },
    required: ["id", "header", "question", "options"],
    additionalProperties: false,
  },
};
