/** The tool that returns the current time, with the feature `current_time_reminder`. */
import type { Clock } from "../../base/clock.ts";
import {
  describeFunctionCall,
  refuseCall,
  type Tool,
  type ToolContext,
  type ToolNamespace,
} from "../tool.ts";

/** The namespace of the time tools. */
export const CLOCK: ToolNamespace = {
  name: "clock",
  description: "Tools for reading and waiting on time.",
};

/**
 * The clock of a thread: this machine's, or the client's, which may have another time. Milliseconds since the
 * Unix epoch; null where the client does not answer.
 */
export type TimeSource = (context: Pick<ToolContext, "threadId" | "ask">) => Promise<number | null>;

export function machineTime(clock: Clock): TimeSource {
  return async () => clock.now();
}

export const clientTime: TimeSource = async ({ threadId, ask }) => {
  const answer = await ask("currentTime/read", { threadId });
  return answer.kind === "answered" ? answer.result.currentTimeAt * 1000 : null;
};

const SPEC = {
  type: "function",
  name: "curr_time",
  description: "Tells the time in UTC.",
  strict: false,
  parameters: { type: "object", properties: {}, additionalProperties: false },
};

export function createCurrentTime(time: TimeSource): Tool {
  return {
    name: SPEC.name,
    namespace: CLOCK,
    spec: SPEC,
    parallel: false,
    describeCall: describeFunctionCall,
    async run(_, context) {
      const nowMs = await time(context);
      if (nowMs === null) return refuseCall("failed to read current time");
      return { output: describeTime(nowMs), success: true, value: { kind: "data", data: { nowMs } } };
    },
  };
}

/** The reminder of the current time that is sent as a developer message before each model request. */
export function currentTimeReminder(nowMs: number): string {
  return `<current_time_reminder>${describeTime(nowMs)}</current_time_reminder>`;
}

function describeTime(nowMs: number): string {
  const [date = "", time = ""] = new Date(nowMs).toISOString().split(/[T.]/);
  return `It is ${date} ${time} UTC.`;
}
