import { DEFAULT_RETRY, type FailureClass, type RetryClass } from "../vocabulary/failures.ts";
import { type DispatchEnvelope } from "../wire/request.ts";
import { type CallbackResponse, parseResponse } from "../wire/response.ts";
import { WIRE_VERSION, wireErrorText } from "../wire/wire-error.ts";
import { delay, type Ended, type LifecycleClock, withDeadline } from "./clock.ts";

/** A client that receives events. A value other than a valid `CallbackResponse` counts as a failure. */
export type LifecycleClient = (
  envelope: DispatchEnvelope,
  context: { readonly signal: AbortSignal; readonly attempt: number },
) => Promise<unknown>;

export interface CallLimits {
  readonly clock: LifecycleClock;
  /** From 0 to 1; adds jitter, so that clients that were rejected together do not retry together. */
  readonly random: () => number;
  /** The deadline of one attempt. */
  readonly deadlineMs: number;
  readonly mostAttempts: number;
  /** The delay before the second attempt; it doubles with each further one. */
  readonly backoffMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** The upper limit of the delay between two attempts. */
const MAX_DELAY_MS = 30_000;

/**
 * Calls a client until it has answered or a retry is pointless. Always returns a response: failures become failed
 * responses.
 */
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
    await delay(limits.clock, delayBefore(attempt + 1, limits), limits.signal);
    if (isCancelled(limits)) return { response, attempts: attempt };
  }
}

function isCancelled({ signal }: CallLimits): boolean {
  return signal?.aborted === true;
}

function delayBefore(attempt: number, { backoffMs, random }: CallLimits): number {
  const longest = Math.min(backoffMs * 2 ** (attempt - 2), MAX_DELAY_MS);
  return longest * (0.5 + random() / 2);
}

/** The upper limit of the duration of all attempts. */
export function maxCallDuration({ deadlineMs, mostAttempts, backoffMs }: CallLimits): number {
  const pauses = Math.min(backoffMs * 2 ** Math.max(0, mostAttempts - 1), MAX_DELAY_MS * mostAttempts);
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

/** A thrown value may be anything, and even its conversion to text may throw. */
function textOf(error: unknown): string {
  try {
    const text = error instanceof Error ? error.message : String(error);
    return text === "" ? "it says nothing" : text.slice(0, 500);
  } catch {
    return "it does not say why";
  }
}
