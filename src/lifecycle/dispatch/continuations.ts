import type { LifecycleResult } from "../vocabulary/result.ts";
import type { CallbackRequest } from "../wire/request.ts";
import type { Warning } from "../wire/response.ts";

/** How often one frame may be made to go on unless told. Some harnesses have no limit of their own. */
export const MOST_CONTINUATIONS = 5;

/** Counts how often a frame was made to go on. */
export interface ContinuationCounter {
  /** How often this frame has gone on before. */
  count(frame: string): number | Promise<number>;
  /** Notes that it goes on once more. */
  add(frame: string): void | Promise<void>;
  /** Notes that it has begun anew. */
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
  /** A hook that is a new process for each event has none that lasts. */
  readonly counter?: ContinuationCounter | undefined;
}

/**
 * Lets a frame go on so many times and no more, and says so when it ends it. What the harness counts itself beats a
 * lower count of ours. Where nobody counts and the harness only says that the frame has gone on before, that was it.
 */
export async function guardContinuation(
  result: LifecycleResult,
  request: CallbackRequest,
  limits: ContinuationLimits,
): Promise<{ readonly result: LifecycleResult; readonly warning: Warning | null }> {
  if (result.decision?.kind !== "continue_with") return { result, warning: null };
  const why = await whyToEnd(request, limits);
  if (why === null) return { result, warning: null };
  const { decision: _, ...rest } = result;
  return { result: rest, warning: { code: "continuation_limit", message: `the frame ends: ${why}` } };
}

async function whyToEnd(
  request: CallbackRequest,
  { most, counter }: ContinuationLimits,
): Promise<string | null> {
  const frame = frameOf(request);
  const hasGoneOn = request.metadata?.["stop_hook_active"];
  try {
    if (hasGoneOn === false) await counter?.reset(frame);
    const counts = [await counter?.count(frame), request.metadata?.["continuations"]];
    const known = counts.filter((count): count is number => Number.isFinite(count));
    if (hasGoneOn === true && known.length === 0) return "it has gone on before, and nobody counts how often";
    const before = Math.max(hasGoneOn === true ? 1 : 0, ...known);
    if (before >= most) return `it has gone on ${before} times, and ${most} times is the limit`;
    await counter?.add(frame);
    return null;
  } catch {
    return "how often it has gone on cannot be counted";
  }
}

/** A frame that is not named is all of its session. */
function frameOf({ adapter_id, harness_session_id, harness_task_id }: CallbackRequest): string {
  return JSON.stringify([adapter_id, harness_session_id ?? null, harness_task_id ?? null]);
}
