import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { createDeferred } from "../../base/tasks.ts";
import { createTimeSlices, STREAMING_SLICES } from "../../base/time-slices.ts";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import type { KeptCall, PresetPermission } from "../../tools/permission.ts";
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
import type { CallBatch } from "./call-batch.ts";
import { abortedAfter, type CallItem, toCall, toOutput } from "./call-items.ts";

export interface ToolSet {
  readonly tools: readonly Tool[];
  readonly hooks: ToolHooks;
  readonly log: Logger;
  readonly clock: Clock;
  readonly onEvent: OnThreadEvent;
  /** Keeps what the calls have done while one of them waits for an answer; null where questions end with the process. */
  readonly batch: CallBatch | null;
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
  const { clock, batch } = toolSet;
  const { signal } = context;
  const startedAt = clock.monotonic();
  const aborted = createDeferred<ResponseItem[]>();
  const outputOnAbort = (item: CallItem): ResponseItem =>
    batch?.outputOf(item.call_id) ?? toOutput(item, abortedAfter(item, clock.monotonic() - startedAt));
  const stop = () => aborted.resolve(calls.map(outputOnAbort));
  if (signal.aborted) stop();
  signal.addEventListener("abort", stop, { once: true });
  try {
    const running = batch?.isContinued
      ? continueInOrder(calls, batch, toolSet, context)
      : runInOrder(calls, toolSet, context);
    return await Promise.race([aborted.promise, running]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}

/**
 * Continues the calls of an earlier process: those that waited for an answer together, and then those that had not
 * started, in order.
 */
async function continueInOrder(
  calls: readonly CallItem[],
  batch: CallBatch,
  { tools, ...rest }: ToolSet,
  context: ToolContext,
): Promise<ResponseItem[]> {
  const find = createToolLookup(tools);
  const outputs = new Map<string, ResponseItem>();
  const open = calls.filter(({ call_id: id }) => batch.isOpen(id));
  const begun = calls.filter(({ call_id: id }) => !batch.isOpen(id));
  await Promise.all(
    begun.map(async (item) => {
      const { call_id: id } = item;
      const denial = batch.denialOf(id);
      const ended = denial === null ? CUT_OFF : refuseCall(`it was not run: ${denial}`);
      const known = batch.outputOf(id) ?? (batch.isWaiting(id) ? null : toOutput(item, ended));
      outputs.set(id, known ?? (await runCall(item, find(item), { context, ...rest })));
    }),
  );
  const later = await runInOrder(open, { tools, ...rest }, context);
  for (const [index, output] of later.entries()) outputs.set(open[index]?.call_id ?? "", output);
  return calls.flatMap(({ call_id: id }) => outputs.get(id) ?? []);
}

/** The result of a call that was running when its process ended. */
const CUT_OFF = refuseCall(
  "interrupted by the end of the server: it had started and may have had effects, and it was not run again",
);

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
  readonly batch?: CallBatch | null;
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
  const output = toOutput(item, result);
  ports.batch?.finish(item.call_id, output);
  return output;
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
  const { context, hooks, log, clock, batch = null } = ports;
  let description: CallDescription | null = null;
  let beganAt: number | null = null;
  try {
    const requested = describe(named, given, context);
    ({ description } = requested);
    // Its hooks have run in the process that asked about it.
    const before = batch?.continuedCall(requested.call) ?? (await hooks.before(requested));
    if (before.kind === "refused") return { description, result: before.result, ranMs: null };
    if (context.signal.aborted) return { description, result: refuseCall("aborted by user"), ranMs: null };
    const executed =
      before.call === requested.call ? requested : describe(requested.tool, before.call, context);
    ({ description } = executed);
    const begun = batch?.start(given.callId) ?? null;
    if (begun !== null) await begun;
    beganAt = clock.monotonic();
    const kept = batch?.keep(given.callId, before) ?? null;
    const result = await executed.tool.run(executed.call, withPermission(context, before.permission, kept));
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

function withPermission(
  context: ToolContext,
  preset: PresetPermission | null,
  kept: KeptCall | null,
): ToolContext {
  return preset === null && kept === null
    ? context
    : { ...context, permissions: context.permissions.under(preset, kept) };
}
