/** The tool `sleep`: waits for a duration; new user input ends the wait. */
import type { Clock } from "../../base/clock.ts";
import { count, decodeArguments, struct } from "../arguments/decode-arguments.ts";
import {
  describeFunctionCall,
  refuseCall,
  type Tool,
  type ToolCall,
  type ToolContext,
  type ToolResult,
} from "../tool.ts";
import { CLOCK, clientTime } from "./current-time.ts";

const MAX_SLEEP_MS = 12 * 60 * 60 * 1000;

/** Poll interval of the client's clock. */
const POLL_MS = 1000;

export interface SleepPorts {
  readonly clock: Clock;
  /** Whether the client's clock is used instead of this machine's. */
  readonly isOfClient: boolean;
  /**
   * Calls back once on user input to the turn, immediately if there is any; returns an unsubscribe function.
   */
  readonly onInput: (context: ToolContext, listener: () => void) => () => void;
}

export function createSleep(ports: SleepPorts): Tool {
  return {
    name: "sleep",
    namespace: CLOCK,
    spec: SPEC,
    parallel: false,
    describeCall: describeFunctionCall,
    run: (call, context) => sleep(call, context, ports),
  };
}

const ARGUMENTS = struct("SleepArgs", { duration_ms: count }, { isClosed: true });

async function sleep(
  { callId, input }: ToolCall,
  context: ToolContext,
  { clock, isOfClient, onInput }: SleepPorts,
): Promise<ToolResult> {
  const decoded = decodeArguments(input, ARGUMENTS);
  if (decoded.kind === "wrong") return refuseCall(decoded.message);
  const { duration_ms: durationMs } = decoded.value;
  if (durationMs < 1 || durationMs > MAX_SLEEP_MS) {
    return refuseCall(`duration_ms must be between 1 and ${MAX_SLEEP_MS}`);
  }
  const item = { type: "sleep", id: callId, durationMs } as const;
  const startedAt = clock.monotonic();
  context.items.begin(item);
  const end = await new Promise<SleepEnd>((resolve) => {
    const done = (isOver: boolean): void => wake(isOver ? "completed" : null);
    const stopTimer = isOfClient
      ? waitForClient(durationMs, context, clock, done)
      : clock.after(durationMs, () => done(true));
    const stopListening = onInput(context, () => wake("interrupted by new input"));
    const onAbort = (): void => done(true);
    context.signal.addEventListener("abort", onAbort, { once: true });
    if (context.signal.aborted) onAbort();
    function wake(reason: SleepEnd): void {
      // The first result counts; it may arrive before the other listeners are registered.
      queueMicrotask(() => {
        stopTimer();
        stopListening();
        context.signal.removeEventListener("abort", onAbort);
      });
      resolve(reason);
    }
  });
  context.items.complete(item);
  if (end === null) return refuseCall("failed to sleep: no client provides the time");
  const sleptMs = clock.monotonic() - startedAt;
  return {
    output: `Wall time: ${(sleptMs / 1000).toFixed(4)} seconds\nSleep ${end}.`,
    success: true,
    value: { kind: "data", data: { sleptMs, end } },
  };
}

/** Null where the client's clock did not answer. */
type SleepEnd = "completed" | "interrupted by new input" | null;

/**
 * Polls the client's clock until the time has passed; `false` where it does not answer. Returns a cancel
 * function.
 */
function waitForClient(
  durationMs: number,
  context: ToolContext,
  clock: Clock,
  done: (isOver: boolean) => void,
): () => void {
  let stop = (): void => {};
  let isStopped = false;
  let wakeAt: number | null = null;
  async function poll(): Promise<void> {
    const nowMs = await clientTime(context);
    if (isStopped) return;
    if (nowMs === null) return done(false);
    wakeAt ??= nowMs + durationMs;
    if (nowMs >= wakeAt) return done(true);
    stop = clock.after(POLL_MS, () => void poll());
  }
  void poll();
  return () => {
    isStopped = true;
    stop();
  };
}

const SPEC = {
  type: "function",
  name: "sleep",
  description: "Waits for some time, or until the user sends a message. Returns how long it waited.",
  strict: false,
  parameters: {
    type: "object",
    properties: {
      duration_ms: {
        type: "number",
        description: `How long to wait, in milliseconds: from 1 to ${MAX_SLEEP_MS}.`,
      },
    },
    required: ["duration_ms"],
    additionalProperties: false,
  },
};
