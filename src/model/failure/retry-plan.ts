/** Decides after each failure of a response whether to retry, and builds the protocol's retry or failure event. */
import type { FailedEvent, RetryingEvent } from "../model.ts";
import type { ModelFailure } from "./failure.ts";

export interface RetryPlan {
  next(failure: ModelFailure): RetryingEvent | FailedEvent;
}

export interface RetryPlanOptions {
  readonly streamMaxRetries: number;
  readonly waitsForNetwork: boolean;
  readonly random: () => number;
  readonly retriesUsed?: number;
}

const BASE_DELAY_MS = 200;
const FIRST_NETWORK_WAIT_MS = 5_000;
const MAX_NETWORK_WAIT_MS = 60_000;

export function createRetryPlan({
  streamMaxRetries,
  waitsForNetwork,
  random,
  retriesUsed = 0,
}: RetryPlanOptions): RetryPlan {
  let retries = retriesUsed;
  let networkRetries = 0;
  let networkWaitMs = FIRST_NETWORK_WAIT_MS;

  return {
    next(failure) {
      if (failure.retry === "network" && waitsForNetwork) {
        const delayMs = networkWaitMs;
        networkWaitMs = Math.min(networkWaitMs * 2, MAX_NETWORK_WAIT_MS);
        networkRetries += 1;
        const message = "Reconnecting... waiting for network";
        return retrying({ failure, message, attempt: networkRetries, max: null, delayMs });
      }
      if (failure.retry === "never" || retries >= streamMaxRetries) {
        const { error, cause } = failure;
        return cause === null ? { type: "failed", error } : { type: "failed", error, cause };
      }
      retries += 1;
      return retrying({
        failure,
        message: `Reconnecting... ${retries}/${streamMaxRetries}`,
        attempt: retries,
        max: streamMaxRetries,
        delayMs: failure.delayMs ?? backoffMs(retries, random),
      });
    },
  };
}

interface Retrying extends Omit<RetryingEvent, "type" | "error"> {
  readonly failure: ModelFailure;
  readonly message: string;
}

/** Builds the retry announcement. */
export function retrying({ failure, message, ...rest }: Retrying): RetryingEvent {
  return {
    type: "retrying",
    ...rest,
    error: {
      message,
      codexErrorInfo: { responseStreamDisconnected: { httpStatusCode: failure.httpStatus } },
      additionalDetails: failure.error.message,
      misalignment: null,
    },
  };
}

/** Exponential backoff for the nth attempt, with a jitter of 10 %, so that clients do not retry simultaneously. */
export function backoffMs(attempt: number, random: () => number): number {
  return Math.floor(BASE_DELAY_MS * 2 ** (attempt - 1) * (0.9 + 0.2 * random()));
}
