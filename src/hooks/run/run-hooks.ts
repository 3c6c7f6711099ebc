/**
 * Runs the hooks of one event, all at the same time. Clients know of each as it begins and as it ends; every run that
 * has begun ends, also when the turn is interrupted.
 */
import { type Clock, startStopwatch } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import { createSliceQueue, createTimeSlices, SHORT_SLICES, type SliceQueue } from "../../base/time-slices.ts";
import type { HookRunSummary, HookScope } from "../../protocol/generated/types.ts";
import type { ConfiguredHook, HookHandler } from "../configured-hook.ts";
import { type HookEventName, kebabNameOf, wireNameOf } from "../hook-event.ts";
import type { HandlerResult, HookOutcome } from "../outcome.ts";

/** Runs one handler to its end. Whatever goes wrong is a result. */
export type RunHandler = (hook: ConfiguredHook, call: HandlerCall) => Promise<HandlerResult>;

export interface HandlerCall {
  readonly cwd: string;
  /** What the event tells every hook. */
  readonly input: Readonly<Record<string, unknown>>;
  /** The same as JSON, which is made once for all of them. */
  readonly inputText: string;
  readonly signal: AbortSignal;
}

export interface HookReport {
  started(run: HookRunSummary): void;
  completed(run: HookRunSummary): void;
}

export interface EventCall extends HandlerCall {
  readonly event: HookEventName;
  readonly scope: HookScope;
  /** What tells runs of one hook in a turn apart, such as the id of a tool call. */
  readonly suffix: string | null;
  /** Why the hook says no without being asked; absent where it is asked. */
  readonly refusal?: string;
}

export interface FinishedRun {
  readonly hook: ConfiguredHook;
  readonly run: HookRunSummary;
  readonly outcome: HookOutcome;
}

export interface RunHooksOptions {
  readonly clock: Clock;
  readonly createId: () => string;
  readonly runHandler: RunHandler;
  /** What the answer of a handler means at this event. */
  readonly readOutcome: (hook: ConfiguredHook, result: HandlerResult) => HookOutcome;
  readonly report: HookReport;
}

/** The runs in display order, whichever has ended first. */
export async function runHooks(
  planned: readonly { readonly hook: ConfiguredHook; readonly call: EventCall }[],
  options: RunHooksOptions,
): Promise<readonly FinishedRun[]> {
  const slices = createTimeSlices(options.clock.monotonic, SHORT_SLICES);
  const begun: ReturnType<typeof beginRun>[] = [];
  for (const { hook, call } of planned) {
    begun.push(beginRun(hook, call, options));
    await slices.pause();
  }
  // One hook alone has nobody to take turns with.
  const lane: SliceQueue = planned.length > 1 ? createSliceQueue(slices) : async (step) => step();
  return Promise.all(begun.map((finish) => finish(lane)));
}

/** All are shown as running before the first of them starts. */
function beginRun(
  hook: ConfiguredHook,
  call: EventCall,
  { clock, createId, runHandler, readOutcome, report }: RunHooksOptions,
): (lane: SliceQueue) => Promise<FinishedRun> {
  const stopwatch = startStopwatch(clock);
  const running: HookRunSummary = {
    id: runIdOf(hook, call),
    runId: createId(),
    eventName: wireNameOf(call.event),
    handlerType: wireTypeOf(hook.handler),
    executionMode: hook.isAsync ? "async" : "sync",
    scope: call.scope,
    sourcePath: hook.sourcePath,
    source: hook.source,
    displayOrder: hook.displayOrder,
    status: "running",
    statusMessage: hook.statusMessage,
    startedAt: toSeconds(stopwatch.startedAtMs),
    completedAt: null,
    durationMs: null,
    entries: [],
  };
  report.started(running);
  return async (lane) => {
    const result = await lane(() => resultOf(hook, call, runHandler));
    const [completedAt, durationMs] = [toSeconds(stopwatch.nowMs()), stopwatch.elapsedMs()];
    return lane(() => {
      const outcome = outcomeOf(hook, result, readOutcome);
      const entries = [...outcome.entries];
      const run: HookRunSummary = { ...running, status: outcome.status, completedAt, durationMs, entries };
      report.completed(run);
      return { hook, run, outcome };
    });
  };
}

async function resultOf(
  hook: ConfiguredHook,
  call: EventCall,
  runHandler: RunHandler,
): Promise<HandlerResult> {
  const { refusal } = call;
  if (refusal !== undefined) return sayingNo(refusal);
  try {
    return await runHandler(hook, call);
  } catch (error) {
    return { kind: "failed", message: `hook could not be run: ${messageOf(error)}` };
  }
}

function outcomeOf(
  hook: ConfiguredHook,
  result: HandlerResult,
  readOutcome: RunHooksOptions["readOutcome"],
): HookOutcome {
  try {
    return readOutcome(hook, result);
  } catch (error) {
    return readOutcome(hook, {
      kind: "failed",
      message: `what the hook said could not be read: ${messageOf(error)}`,
    });
  }
}

function sayingNo(reason: string): HandlerResult {
  return { kind: "exited", exitCode: 2, stdout: "", stderr: reason, isCut: false };
}

/** The peer's id, which its clients know a run by: the same for each run of a hook, but for the suffix. */
function runIdOf({ displayOrder, sourcePath }: ConfiguredHook, { event, suffix }: EventCall): string {
  const id = `${kebabNameOf(event)}:${displayOrder}:${sourcePath}`;
  return suffix === null ? id : `${id}:${suffix}`;
}

/** Clients know no other kinds; what the peer does not have runs in place of a command. */
function wireTypeOf({ type }: HookHandler): HookRunSummary["handlerType"] {
  if (type === "mcp_tool") return "mcpTool";
  return type === "prompt" ? "prompt" : "command";
}

function toSeconds(ms: number): number {
  return Math.floor(ms / 1000);
}
