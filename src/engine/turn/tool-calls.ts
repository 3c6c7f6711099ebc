import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { createDeferred } from "../../base/tasks.ts";
import { createTimeSlices, STREAMING_SLICES } from "../../base/time-slices.ts";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import type { PresetPermission } from "../../tools/permission.ts";
import {
  type CallDescription,
  describeFunctionCall,
  refuseCall,
  type Tool,
  type ToolCall,
  type ToolContext,
  type ToolResult,
} from "../../tools/tool.ts";
import type { DescribedCall, ToolHooks } from "../hooks/tool-hooks.ts";
import { emptySearch } from "../items/prompt-items.ts";
import { faultOfInput } from "../items/safe-item.ts";
import type { OnThreadEvent } from "../state/events.ts";

type ToolCallItem = Extract<ResponseItem, { type: "function_call" | "custom_tool_call" }>;
type SearchItem = Extract<ResponseItem, { type: "tool_search_call" }> & { readonly call_id: string };
type CallItem = ToolCallItem | SearchItem;

/** The calls among the items of a response, in order. */
export function callsIn(items: readonly ResponseItem[]): CallItem[] {
  return items.filter(isCall);
}

function isCall(item: ResponseItem): item is CallItem {
  if (item.type === "tool_search_call") return item.execution === "client" && item.call_id != null;
  return item.type === "function_call" || item.type === "custom_tool_call";
}

/** Drops calls that repeat an earlier call id, because a call id has one output. */
export function withoutRepeats(items: readonly ResponseItem[]): ResponseItem[] {
  const seen = new Set<string>();
  return items.filter((item) => {
    if (!isCall(item)) return true;
    if (seen.has(item.call_id)) return false;
    seen.add(item.call_id);
    return true;
  });
}

export interface ToolSet {
  readonly tools: readonly Tool[];
  readonly hooks: ToolHooks;
  readonly log: Logger;
  readonly clock: Clock;
  readonly onEvent: OnThreadEvent;
}

/**
 * Runs the calls of a response; nothing else runs a model's calls. Calls of parallel tools run concurrently; any other
 * call runs alone, after those before it and before those behind it. Outputs are in call order. When the turn is
 * aborted, the promise resolves at once with abort outputs.
 */
export async function runCalls(
  calls: readonly CallItem[],
  toolSet: ToolSet,
  context: ToolContext,
): Promise<ResponseItem[]> {
  const { clock } = toolSet;
  const { signal } = context;
  const startedAt = clock.monotonic();
  const aborted = createDeferred<ResponseItem[]>();
  const stop = () =>
    aborted.resolve(calls.map((item) => toOutput(item, abortedAfter(item, clock.monotonic() - startedAt))));
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([aborted.promise, runInOrder(calls, toolSet, context)]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/** Every call needs an output, or the provider rejects later requests. */
function abortedAfter(item: CallItem, ms: number): ToolResult {
  const seconds = (ms / 1000).toFixed(1);
  const isCommand = item.type === "function_call" && item.name === "exec_command" && item.namespace == null;
  const output = isCommand
    ? `Wall time: ${seconds} seconds\naborted by user`
    : `aborted by user after ${seconds}s`;
  return refuseCall(output);
}

async function runInOrder(
  calls: readonly CallItem[],
  { tools, ...rest }: ToolSet,
  context: ToolContext,
): Promise<ResponseItem[]> {
  const { clock } = rest;
  const find = createToolLookup(tools);
  const slices = createTimeSlices(() => clock.monotonic(), STREAMING_SLICES);
  const outputs: ResponseItem[] = [];
  /** The concurrent calls, whose outputs follow those in `outputs`. */
  let running: Promise<ResponseItem>[] = [];
  const flushRunning = async (): Promise<void> => {
    for (const output of await Promise.all(running)) outputs.push(output);
    running = [];
  };
  for (const item of calls) {
    const tool = find(item);
    const isExclusive = tool?.parallel !== true;
    if (isExclusive) await flushRunning();
    if (slices.isOver()) await slices.next();
    // A call that has not started must not start after the turn is aborted.
    if (context.signal.aborted) break;
    running.push(runCall(item, tool, { context, ...rest }));
    if (isExclusive) await flushRunning();
  }
  await flushRunning();
  return outputs;
}

/** Looks up the tool of a call; of several tools with one name, the first is used. */
function createToolLookup(tools: readonly Tool[]): (item: CallItem) => Tool | undefined {
  const byName = new Map<string, Tool>();
  const key = (name: string, namespace: string | null | undefined): string =>
    JSON.stringify([namespace ?? null, name]);
  for (const tool of tools.toReversed()) byName.set(key(tool.name, tool.namespace?.name), tool);
  return (item) =>
    item.type === "tool_search_call" ? undefined : byName.get(key(item.name, item.namespace));
}

/** The dependencies of every call in a turn. */
export interface CallPorts {
  readonly context: ToolContext;
  readonly hooks: ToolHooks;
  readonly log: Logger;
  readonly clock: Pick<Clock, "monotonic">;
}

type ReportedCallPorts = CallPorts & Pick<ToolSet, "onEvent">;

async function runCall(
  item: CallItem,
  tool: Tool | undefined,
  ports: ReportedCallPorts,
): Promise<ResponseItem> {
  if (item.type === "tool_search_call") return emptySearch(item.call_id);
  const call = toCall(item);
  if (tool === undefined) {
    const kind = item.type === "function_call" ? "call" : "custom tool call";
    const name = `${call.namespace ?? ""}${call.name}`;
    return toOutput(item, refuseCall(`unsupported ${kind}: ${name}`));
  }
  const fault = item.type === "function_call" ? faultOfInput(call.input) : null;
  if (fault !== null) return toOutput(item, refuseCall(fault));
  const { result } = await callAndReport(call, tool, ports);
  return toOutput(item, result);
}

/** External tool names are unbounded, so metrics label such tools by kind. */
const EXTERNAL_TOOL_LABELS: Partial<Record<CallDescription["kind"], string>> = {
  mcpTool: "mcp",
  dynamicTool: "dynamic",
};

/** The log fields have the peer's names, because log collectors match on them. */
async function callAndReport(call: ToolCall, tool: Tool, ports: ReportedCallPorts): Promise<CompletedCall> {
  const { callId, name } = call;
  const { context, log, clock, onEvent } = ports;
  const { threadId, turnId } = context;
  const startedAt = clock.monotonic();
  onEvent({ type: "callBegun", turnId, callId });
  const completed = await callTool(tool, call, ports);
  const { description, result, ranMs } = completed;
  const label = EXTERNAL_TOOL_LABELS[description.kind] ?? tool.name;
  onEvent({ type: "callEnded", turnId, callId, tool: label, isDone: result.success, ranMs });
  const total = Math.round(clock.monotonic() - startedAt);
  const handler = Math.round(ranMs ?? 0);
  log.info("tool call completed", {
    "event.name": "codex.tool_call",
    "conversation.id": threadId,
    turn_id: turnId,
    call_id: callId,
    tool_name: name,
    tool_source: "direct",
    execution_started: ranMs !== null,
    dispatch_duration_ms: total - handler,
    handler_duration_ms: handler,
    total_duration_ms: total,
  });
  return completed;
}

/** A completed call: its description and its result. */
export interface CompletedCall {
  readonly description: CallDescription;
  readonly result: ToolResult;
  /** The run time of the tool itself; null where it did not start. */
  readonly ranMs: number | null;
}

/**
 * Runs one call. Every tool describes a call before it runs, in the same terms: PreToolUse hooks decide on the
 * description, and PostToolUse hooks on the output that the model receives.
 */
export async function callTool(named: Tool, given: ToolCall, ports: CallPorts): Promise<CompletedCall> {
  const { context, hooks, log, clock } = ports;
  let description: CallDescription | null = null;
  let beganAt: number | null = null;
  try {
    const requested = describe(named, given, context);
    ({ description } = requested);
    const before = await hooks.before(requested);
    if (before.kind === "refused") return { description, result: before.result, ranMs: null };
    if (context.signal.aborted) return { description, result: refuseCall("aborted by user"), ranMs: null };
    const executed =
      before.call === requested.call ? requested : describe(requested.tool, before.call, context);
    ({ description } = executed);
    beganAt = clock.monotonic();
    const result = await executed.tool.run(executed.call, withPreset(context, before.permission));
    const ranMs = clock.monotonic() - beganAt;
    return { description, result: await hooks.after(executed, result, ranMs), ranMs };
  } catch (error) {
    log.error("a tool failed unexpectedly", { tool: given.name, error: messageOf(error) });
    const result = refuseCall(`${given.name} failed: ${messageOf(error)}`);
    const ranMs = beganAt === null ? null : clock.monotonic() - beganAt;
    return { description: description ?? describeFunctionCall(given), result, ranMs };
  }
}

/** Unwraps and describes a call; a call that a hook has rewritten may also hide a patch in a shell command. */
function describe(named: Tool, given: ToolCall, context: ToolContext): DescribedCall {
  const { tool, call } = named.unwrapCall?.(given, context) ?? { tool: named, call: given };
  return { tool, call, description: tool.describeCall(call) };
}

function withPreset(context: ToolContext, preset: PresetPermission | null): ToolContext {
  return preset === null ? context : { ...context, permissions: context.permissions.under(preset) };
}

function toCall(item: ToolCallItem): ToolCall {
  const input = item.type === "function_call" ? item.arguments : item.input;
  const { call_id: callId, name, namespace } = item;
  return { callId, name, input, ...(namespace == null ? {} : { namespace }) };
}

function toOutput(item: CallItem, { output }: ToolResult): ResponseItem {
  switch (item.type) {
    case "function_call":
      return { type: "function_call_output", call_id: item.call_id, output };
    case "custom_tool_call":
      return { type: "custom_tool_call_output", call_id: item.call_id, output };
    case "tool_search_call":
      return emptySearch(item.call_id);
  }
}
