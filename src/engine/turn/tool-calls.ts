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

/** The calls among the items of a response, in their order. */
export function callsIn(items: readonly ResponseItem[]): CallItem[] {
  return items.filter(isCall);
}

function isCall(item: ResponseItem): item is CallItem {
  if (item.type === "tool_search_call") return item.execution === "client" && item.call_id != null;
  return item.type === "function_call" || item.type === "custom_tool_call";
}

/** Without the calls that came before under the same id: a call has one output, however often it is asked for. */
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
 * The one way by which anything that the model asks for is done. Calls that bear company run side by
 * side; one that does not waits for those before it, and those behind it wait for it. The outputs are
 * in the order of the calls, and there at once when the turn is ended.
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

/** A call that was asked for must have an output, or the provider takes no further request. */
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
  const find = finderOf(tools);
  const slices = createTimeSlices(() => clock.monotonic(), STREAMING_SLICES);
  const outputs: ResponseItem[] = [];
  /** Those that run side by side, behind the outputs that there are. */
  let running: Promise<ResponseItem>[] = [];
  const settle = async (): Promise<void> => {
    for (const output of await Promise.all(running)) outputs.push(output);
    running = [];
  };
  for (const item of calls) {
    const tool = find(item);
    const isAlone = tool?.parallel !== true;
    if (isAlone) await settle();
    if (slices.isOver()) await slices.next();
    // What has not begun when the turn is ended must not begin after that.
    if (context.signal.aborted) break;
    running.push(runCall(item, tool, { context, ...rest }));
    if (isAlone) await settle();
  }
  await settle();
  return outputs;
}

/** The tool that a call is for. Of several with one name the first counts. */
function finderOf(tools: readonly Tool[]): (item: CallItem) => Tool | undefined {
  const byName = new Map<string, Tool>();
  const key = (name: string, namespace: string | null | undefined): string =>
    JSON.stringify([namespace ?? null, name]);
  for (const tool of tools.toReversed()) byName.set(key(tool.name, tool.namespace?.name), tool);
  return (item) =>
    item.type === "tool_search_call" ? undefined : byName.get(key(item.name, item.namespace));
}

/** What every call of a turn is made with. */
export interface Calling {
  readonly context: ToolContext;
  readonly hooks: ToolHooks;
  readonly log: Logger;
  readonly clock: Pick<Clock, "monotonic">;
}

type ReportedCalling = Calling & Pick<ToolSet, "onEvent">;

async function runCall(
  item: CallItem,
  tool: Tool | undefined,
  calling: ReportedCalling,
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
  const { result } = await reported(call, tool, calling);
  return toOutput(item, result);
}

/** What others call their tools is theirs to choose, and there may be any number of names. */
const FOREIGN_TOOLS: Partial<Record<CallDescription["kind"], string>> = {
  mcpTool: "mcp",
  dynamicTool: "dynamic",
};

/** The log has it in the words that collectors of such logs know from the peer. */
async function reported(call: ToolCall, tool: Tool, calling: ReportedCalling): Promise<DoneCall> {
  const { callId, name } = call;
  const { context, log, clock, onEvent } = calling;
  const { threadId, turnId } = context;
  const startedAt = clock.monotonic();
  onEvent({ type: "callBegun", turnId, callId });
  const done = await callTool(tool, call, calling);
  const { description, result, ranMs } = done;
  const known = FOREIGN_TOOLS[description.kind] ?? tool.name;
  onEvent({ type: "callEnded", turnId, callId, tool: known, isDone: result.success, ranMs });
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
  return done;
}

/** A call that was done: what it was about to do, and what came of it. */
export interface DoneCall {
  readonly description: CallDescription;
  readonly result: ToolResult;
  /** How long the tool itself has run; null where it did not begin. */
  readonly ranMs: number | null;
}

/**
 * One call. What it is about to do is known before it is done, in the same terms for every tool: hooks decide on it
 * first, and on what the model is told of it afterwards.
 */
export async function callTool(named: Tool, given: ToolCall, calling: Calling): Promise<DoneCall> {
  const { hooks, log, clock } = calling;
  let description: CallDescription | null = null;
  let beganAt: number | null = null;
  try {
    const asked = describe(named, given, calling.context);
    ({ description } = asked);
    const before = await hooks.before(asked);
    if (before.kind === "refused") return { description, result: before.result, ranMs: null };
    if (calling.context.signal.aborted)
      return { description, result: refuseCall("aborted by user"), ranMs: null };
    const done = before.call === asked.call ? asked : describe(asked.tool, before.call, calling.context);
    ({ description } = done);
    beganAt = clock.monotonic();
    const result = await done.tool.run(done.call, withPreset(calling.context, before.permission));
    const ranMs = clock.monotonic() - beganAt;
    return { description, result: await hooks.after(done, result, ranMs), ranMs };
  } catch (error) {
    log.error("a tool failed unexpectedly", { tool: given.name, error: messageOf(error) });
    const result = refuseCall(`${given.name} failed: ${messageOf(error)}`);
    const ranMs = beganAt === null ? null : clock.monotonic() - beganAt;
    return { description: description ?? describeFunctionCall(given), result, ranMs };
  }
}

/** What a call really is; also one that a hook has rewritten may be a patch in disguise. */
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
