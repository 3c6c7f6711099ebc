/** Where the time of a thread comes from: this machine, or the client, whose user may live in another time. */
import type { Clock } from "../../base/clock.ts";
import type { ToolContext } from "../tool.ts";

/** Milliseconds since the Unix epoch; null when nobody could tell. */
export type TimeSource = (context: Pick<ToolContext, "threadId" | "ask">) => Promise<number | null>;

export function machineTime(clock: Clock): TimeSource {
  return async () => clock.now();
}

export const clientTime: TimeSource = async ({ threadId, ask }) => {
  const answer = await ask("currentTime/read", { threadId });
  return answer.kind === "answered" ? answer.result.currentTimeAt * 1000 : null;
};
