/** The time that a handler has: it ends early with the turn, and what waits for it learns which of the two it was. */
import type { Clock } from "../../base/clock.ts";
import type { HandlerResult } from "../outcome.ts";

export interface Deadline {
  /** Aborted when the time is up, and when the turn is interrupted. */
  readonly signal: AbortSignal;
  /** Null while there is time. */
  readonly end: () => Extract<HandlerResult, { kind: "timedOut" | "interrupted" }> | null;
}

export interface HandlerTime {
  readonly clock: Clock;
  readonly timeoutSeconds: number;
  /** Ends the run at once. */
  readonly signal: AbortSignal;
}

/** What the work comes to, unless its end comes first. Work that goes on after its end is left alone. */
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
