/** Tools that a client provides and runs itself: the server forwards calls and returns the answers. */
import { type Clock, startStopwatch } from "../../base/clock.ts";
import type {
  DynamicToolCallOutputContentItem,
  DynamicToolNamespaceTool,
  DynamicToolSpec,
  FunctionCallOutputContentItem,
  ThreadItem,
} from "../../protocol/generated/types.ts";
import { anyJson, decodeArguments } from "../arguments/decode-arguments.ts";
import {
  type Answer,
  describeFunctionCall,
  refuseCall,
  type Tool,
  type ToolCall,
  type ToolContext,
  type ToolNamespace,
  type ToolResult,
} from "../tool.ts";
import { readInputSchema } from "./input-schema.ts";

export interface DynamicTools {
  readonly offered: readonly Tool[];
  /** Callable, but offered to the model only through tool search. */
  readonly deferred: readonly Tool[];
}

export function createDynamicTools(specs: readonly DynamicToolSpec[], clock: Clock): DynamicTools {
  const all = specs.flatMap((spec) =>
    spec.type === "function"
      ? [{ isDeferred: false, tool: createTool(spec, null, clock) }]
      : spec.tools.map((tool) => ({
          isDeferred: tool.deferLoading === true,
          tool: createTool(tool, toNamespace(spec), clock),
        })),
  );
  const those = (isDeferred: boolean) =>
    all.filter((each) => each.isDeferred === isDeferred).map(({ tool }) => tool);
  return { offered: those(false), deferred: those(true) };
}

function toNamespace({ name, description }: { name: string; description: string }): ToolNamespace {
  return { name, description: description.trim() === "" ? `Tools in the ${name} namespace.` : description };
}

function createTool(
  { name, description, inputSchema }: DynamicToolNamespaceTool,
  namespace: ToolNamespace | null,
  clock: Clock,
): Tool {
  const read = readInputSchema(inputSchema);
  const parameters = read.kind === "schema" ? read.schema : { type: "object", properties: {} };
  return {
    name,
    ...(namespace === null ? {} : { namespace }),
    spec: { type: "function", name, description, strict: false, parameters },
    parallel: true,
    describeCall: (call) => describeFunctionCall(call, "dynamicTool"),
    run: (call, context) => runTool(call, { name, namespace: namespace?.name ?? null }, context, clock),
  };
}

interface ToolName {
  readonly name: string;
  readonly namespace: string | null;
}

async function runTool(
  { callId, input }: ToolCall,
  { name: tool, namespace }: ToolName,
  context: ToolContext,
  clock: Clock,
): Promise<ToolResult> {
  const decoded = decodeArguments(input, anyJson);
  if (decoded.kind === "wrong") return refuseCall(decoded.message);
  const call = { namespace, tool, arguments: decoded.value };
  const item = { type: "dynamicToolCall", id: callId, ...call } as const;
  const stopwatch = startStopwatch(clock);
  context.items.begin({ ...item, status: "inProgress", contentItems: null, success: null, durationMs: null });
  const { threadId, turnId } = context;
  const answer = await context.ask("item/tool/call", { threadId, turnId, callId, ...call });
  const complete = (outcome: Outcome): void =>
    context.items.complete(toEnded(item, outcome, stopwatch.elapsedMs()));
  if (answer.kind === "abandoned") {
    complete({ contentItems: [], success: false });
    return refuseCall("dynamic tool call was cancelled before receiving a response");
  }
  const outcome = answer.kind === "answered" ? checked(answer.result) : failed(whyUnanswered(answer));
  complete(outcome);
  return {
    output: toOutput(outcome.contentItems),
    success: outcome.success,
    value: { kind: "data", data: outcome },
  };
}

interface Outcome {
  readonly contentItems: DynamicToolCallOutputContentItem[];
  readonly success: boolean;
}

type DynamicItem = Extract<ThreadItem, { type: "dynamicToolCall" }>;

function toEnded(
  item: Pick<DynamicItem, "type" | "id" | "namespace" | "tool" | "arguments">,
  outcome: Outcome,
  durationMs: number,
): ThreadItem {
  return { ...item, status: outcome.success ? "completed" : "failed", ...outcome, durationMs };
}

/** Providers do not fetch remote content for a tool result. */
function checked(result: Outcome): Outcome {
  for (const item of result.contentItems) {
    if (item.type === "inputImage" && /^https?:/i.test(item.imageUrl)) {
      return failed("remote image URLs are not supported; use an inline data URL instead");
    }
    if (item.type === "inputAudio" && !/^data:/i.test(item.audioUrl)) {
      return failed("audio URLs must use an inline data URL");
    }
  }
  return { contentItems: result.contentItems, success: result.success };
}

function failed(text: string): Outcome {
  return { contentItems: [{ type: "inputText", text }], success: false };
}

/** A single text item is the output itself. */
function toOutput(items: readonly DynamicToolCallOutputContentItem[]): ToolResult["output"] {
  const [first, ...more] = items;
  if (first?.type === "inputText" && more.length === 0) return first.text;
  return items.map(toContent);
}

function toContent(item: DynamicToolCallOutputContentItem): FunctionCallOutputContentItem {
  switch (item.type) {
    case "inputText":
      return { type: "input_text", text: item.text };
    case "inputImage":
      return { type: "input_image", image_url: item.imageUrl, detail: "high" };
    default:
      return { type: "input_audio", audio_url: item.audioUrl };
  }
}

function whyUnanswered({ cause }: Extract<Answer<unknown>, { kind: "unanswered" }>): string {
  return cause === "nonsense" ? "dynamic tool response was invalid" : "dynamic tool request failed";
}
