/** The tool with which a model lets time pass; new input of the user wakes it. */
import type { Clock } from "../../base/clock.ts";
import { count, decodeArguments, struct } from "../arguments/decode-arguments.ts";
import type { Tool, ToolCall, ToolContext, ToolResult } from "../tool.ts";
import { CLOCK } from "./clock-namespace.ts";

const MAX_SLEEP_MS = 12 * 60 * 60 * 1000;

export interface SleepPorts {
  readonly clock: Clock;
  /** Calls back once when the user has said something to the turn; at once where it already has. The result ends that. */
  readonly onInput: (context: ToolContext, heard: () => void) => () => void;
}

export function createSleep(ports: SleepPorts): Tool {
  return {
    name: "sleep",
    namespace: CLOCK,
    spec: SPEC,
    parallel: false,
    run: (call, context) => sleep(call, context, ports),
  };
}

const ARGUMENTS = struct("SleepArgs", { duration_ms: count }, { isClosed: true });

async function sleep(
  { callId, input }: ToolCall,
  context: ToolContext,
  { clock, onInput }: SleepPorts,
): Promise<ToolResult> {
  const decoded = decodeArguments(input, ARGUMENTS);
  if (decoded.kind === "wrong") return { output: decoded.message, success: false };
  const { duration_ms: durationMs } = decoded.value;
  if (durationMs < 1 || durationMs > MAX_SLEEP_MS) {
    return { output: `duration_ms must be between 1 and ${MAX_SLEEP_MS}`, success: false };
  }
  const item = { type: "sleep", id: callId, durationMs } as const;
  const startedAt = clock.now();
  context.items.begin(item);
  const end = await new Promise<"completed" | "interrupted by new input">((resolve) => {
    const stopTimer = clock.after(durationMs, () => wake("completed"));
    const stopListening = onInput(context, () => wake("interrupted by new input"));
    const onAbort = (): void => wake("completed");
    context.signal.addEventListener("abort", onAbort, { once: true });
    if (context.signal.aborted) onAbort();
    function wake(reason: "completed" | "interrupted by new input"): void {
      // The first reason counts; what comes first may come before the others are even waited for.
      queueMicrotask(() => {
        stopTimer();
        stopListening();
        context.signal.removeEventListener("abort", onAbort);
      });
      resolve(reason);
    }
  });
  context.items.complete(item);
  const seconds = ((clock.now() - startedAt) / 1000).toFixed(4);
  return { output: `Wall time: ${seconds} seconds\nSleep ${end}.`, success: true };
}

const SPEC = {
  type: "function",
  name: "sleep",
  description: "Waits for some time, or until the user says something. Tells how long it was.",
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
