/**
 * The deadline of a handler: it is aborted on timeout or interrupt, and the result says which of the two it
 * was.
 */
import type { Clock } from "../../base/clock.ts";
import type { HandlerResult } from "../outcome.ts";

export interface Deadline {
  /** Aborted on timeout and on interrupt. */
  readonly signal: AbortSignal;
  /** Null before the deadline. */
  readonly end: () => Extract<HandlerResult, { kind: "timedOut" | "interrupted" }> | null;
}

export interface HandlerTime {
  readonly clock: Clock;
  readonly timeoutSeconds: number;
  /** Aborts the run. */
  readonly signal: AbortSignal;
}

/**
 * Returns the result of the work, or that of the deadline if it comes first. Work that continues after its
 * deadline is not awaited.
 */
export async function withinDeadline(
  { clock, timeoutSeconds, signal }: HandlerTime,
  work: (deadline: Deadline) => Promise<HandlerResult>,
): Promise<HandlerResult> {
  if (signal.aborted) return { kind: "interrupted" };
  const over = new AbortController();
  let end: ReturnType<Deadline["end"]> = null;
  return new Promise((resolve, reject) => {
    const finish = (reason: NonNullable<typeof end>) => {
      end ??= reason;
      resolve(end);
      over.abort();
    };
    const interrupt = () => finish({ kind: "interrupted" });
    const cancel = clock.after(timeoutSeconds * 1000, () =>
      finish({ kind: "timedOut", seconds: timeoutSeconds }),
    );
    signal.addEventListener("abort", interrupt, { once: true });
    work({ signal: over.signal, end: () => end })
      .then(resolve, reject)
      .finally(() => {
        cancel();
        signal.removeEventListener("abort", interrupt);
      });
  });
}
