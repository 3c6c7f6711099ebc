import type { Lanes } from "../../base/lanes.ts";
import { createDeferred } from "../../base/tasks.ts";

/** The key of the lane in which everything that is done to one thread waits. */
export function threadLane(threadId: string): string {
  return `thread:${threadId}`;
}

/** Runs work for a thread behind the requests that came before it, and not beside anything else for that thread. */
export function inThreadLane<T>(lanes: Lanes, threadId: string, work: () => Promise<T>): Promise<T> {
  const outcome = createDeferred<T>();
  lanes.run(threadLane(threadId), "exclusive", () => work().then(outcome.resolve, outcome.reject));
  return outcome.promise;
}
