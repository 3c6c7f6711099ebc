import { DEFAULT_RETRY, type FailureClass, type RetryClass } from "../vocabulary/failures.ts";
import { type DispatchEnvelope } from "../wire/request.ts";
import { type CallbackResponse, parseResponse } from "../wire/response.ts";
import { WIRE_VERSION, wireErrorText } from "../wire/wire-error.ts";
import { type Ended, type LifecycleClock, pause, withDeadline } from "./clock.ts";

/** Whoever is told of events. It answers with a `CallbackResponse`; what else it answers is a failure. */
export type LifecycleClient = (
  envelope: DispatchEnvelope,
  context: { readonly signal: AbortSignal; readonly attempt: number },
) => Promise<unknown>;

export interface CallLimits {
  readonly clock: LifecycleClock;
  /** From 0 to 1, so that those who were refused together do not come back together. */
  readonly random: () => number;
  /** For one attempt. */
  readonly deadlineMs: number;
  readonly mostAttempts: number;
  /** Before the second attempt; twice as long before each one after it. */
  readonly backoffMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** The longest pause between two attempts. */
const LONGEST_PAUSE_MS = 30_000;

/** Calls a client until it has answered, or to try again would be of no use. There is always a response. */
export async function callClient(
  client: LifecycleClient,
  envelope: DispatchEnvelope,
  limits: CallLimits,
): Promise<{ readonly response: CallbackResponse; readonly attempts: number }> {
  for (let attempt = 1; ; attempt += 1) {
    const ended = await withDeadline((signal) => client(envelope, { signal, attempt }), limits);
    const response = responseOf(ended, limits.deadlineMs);
    const mayRetry = response.status === "failed" && response.retry_class === "safe_retry";
    if (!mayRetry || attempt >= limits.mostAttempts || isCancelled(limits))
      return { response, attempts: attempt };
    await pause(limits.clock, pauseBefore(attempt + 1, limits), limits.signal);
    if (isCancelled(limits)) return { response, attempts: attempt };
  }
}

function isCancelled({ signal }: CallLimits): boolean {
  return signal?.aborted === true;
}

function pauseBefore(attempt: number, { backoffMs, random }: CallLimits): number {
  const longest = Math.min(backoffMs * 2 ** (attempt - 2), LONGEST_PAUSE_MS);
  return longest * (0.5 + random() / 2);
}

/** The longest time that all attempts can take. */
export function longestCall({ deadlineMs, mostAttempts, backoffMs }: CallLimits): number {
  const pauses = Math.min(backoffMs * 2 ** Math.max(0, mostAttempts - 1), LONGEST_PAUSE_MS * mostAttempts);
  return deadlineMs * mostAttempts + pauses;
}

function responseOf(ended: Ended<unknown>, deadlineMs: number): CallbackResponse {
  switch (ended.kind) {
    case "timed_out":
      return failed("timeout", "client_timed_out", `the client has not answered within ${deadlineMs} ms`);
    case "cancelled":
      return failed("transport_error", "cancelled", "the call was cancelled", "do_not_retry");
    case "threw":
      return failed("transport_error", "client_failed", `the client has failed: ${textOf(ended.error)}`);
    case "done": {
      const parsed = parseResponse(ended.value);
      return parsed.ok
        ? parsed.value
        : failed(
            "invalid_request",
            "client_answer_invalid",
            `the answer is refused: ${wireErrorText(parsed.error)}`,
          );
    }
  }
}

function failed(
  failureClass: FailureClass,
  code: string,
  message: string,
  retryClass: RetryClass = DEFAULT_RETRY[failureClass],
): CallbackResponse {
  return {
    schema_version: WIRE_VERSION,
    status: "failed",
    failure_class: failureClass,
    retry_class: retryClass,
    warnings: [{ code, message }],
  };
}

/** What is thrown may be anything, and its text may throw, too. */
function textOf(error: unknown): string {
  try {
    const text = error instanceof Error ? error.message : String(error);
    return text === "" ? "it says nothing" : text.slice(0, 500);
  } catch {
    return "it does not say why";
  }
}
