import type { LifecycleResult } from "../vocabulary/result.ts";
import type { CallbackRequest } from "../wire/request.ts";
import type { Warning } from "../wire/response.ts";

/** The default limit of continuations per frame, because some harnesses have none. */
export const MOST_CONTINUATIONS = 5;

/** Counts the continuations of frames. */
export interface ContinuationCounter {
  /** The number of continuations so far. */
  count(frame: string): number | Promise<number>;
  /** Records one more continuation. */
  add(frame: string): void | Promise<void>;
  /** Resets the count of a frame that has started anew. */
  reset(frame: string): void | Promise<void>;
}

export function createContinuationCounter(mostFrames = 1000): ContinuationCounter {
  const counts = new Map<string, number>();
  return {
    count: (frame) => counts.get(frame) ?? 0,
    add(frame) {
      const count = (counts.get(frame) ?? 0) + 1;
      counts.delete(frame);
      counts.set(frame, count);
      const [oldest] = counts.keys();
      if (counts.size > mostFrames && oldest !== undefined) counts.delete(oldest);
    },
    reset: (frame) => void counts.delete(frame),
  };
}

export interface ContinuationLimits {
  readonly most: number;
  /** Absent for a hook that runs as a new process for each event. */
  readonly counter?: ContinuationCounter | undefined;
}

/**
 * Removes a continuation beyond the limit and returns a warning. The greater of the harness's count and ours applies.
 * Where there is no count and the harness only reports an earlier continuation, no further one is allowed.
 */
export async function guardContinuation(
  result: LifecycleResult,
  request: CallbackRequest,
  limits: ContinuationLimits,
): Promise<{ readonly result: LifecycleResult; readonly warning: Warning | null }> {
  if (result.decision?.kind !== "continue_with") return { result, warning: null };
  const reason = await reasonToEnd(request, limits);
  if (reason === null) return { result, warning: null };
  const { decision: _, ...rest } = result;
  return { result: rest, warning: { code: "continuation_limit", message: `the frame ends: ${reason}` } };
}

async function reasonToEnd(
  request: CallbackRequest,
  { most, counter }: ContinuationLimits,
): Promise<string | null> {
  const frame = frameOf(request);
  const hasContinued = request.metadata?.["stop_hook_active"];
  try {
    if (hasContinued === false) await counter?.reset(frame);
    const counts = [await counter?.count(frame), request.metadata?.["continuations"]];
    const known = counts.filter((count): count is number => Number.isFinite(count));
    if (hasContinued === true && known.length === 0)
      return "it was continued before, and the number of continuations is unknown";
    const before = Math.max(hasContinued === true ? 1 : 0, ...known);
    if (before >= most) return `it was continued ${before} times, and the limit is ${most}`;
    await counter?.add(frame);
    return null;
  } catch {
    return "its continuations could not be counted";
  }
}

/** Without a task id, the whole session counts as one frame. */
function frameOf({ adapter_id, harness_session_id, harness_task_id }: CallbackRequest): string {
  return JSON.stringify([adapter_id, harness_session_id ?? null, harness_task_id ?? null]);
}
