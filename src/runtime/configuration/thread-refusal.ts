import { AppError } from "../../base/errors.ts";
import { isRefusal, type Refusal, refusal } from "../../base/refusal.ts";
import type { ConfigResult } from "../../config/config-error.ts";
import type { StoreRefusal } from "../../store/refusal.ts";

export type ThreadRefusalReason =
  /** The request cannot be served as it is, or not in the current state. */
  | "invalidRequest"
  | "invalidParams"
  | "threadNotFound"
  /** A turn is running. */
  | "busy"
  | "turnNotSteerable"
  | "noActiveTurn"
  /** Another turn is running than the expected one. */
  | "otherTurn"
  | "notSupported"
  /** A file, a program or disk space is missing. */
  | "unavailable";

/** Why the runtime refused a request. */
export type ThreadRefusal = Refusal<ThreadRefusalReason>;

export function refuseInvalid(message: string, data?: unknown): ThreadRefusal {
  return refusal("invalidRequest", message, data);
}

/** The value of a configuration result; a fault of the configuration is a refusal. */
export function configOutcome<T>(result: ConfigResult<T>): T | ThreadRefusal {
  if (result.ok) return result.value;
  const { message, writeCode } = result.error;
  if (writeCode === undefined) return refusal("unavailable", message);
  return refuseInvalid(message, { config_write_error_code: writeCode });
}

/** The answer of the store, with its refusals converted to those of the runtime. */
export function storeOutcome<T>(answer: T): Exclude<T, StoreRefusal> | ThreadRefusal {
  if (!isRefusal(answer)) return answer as Exclude<T, StoreRefusal>;
  const { reason, message } = answer as StoreRefusal;
  return reason === "disk" ? refusal("unavailable", message) : refuseInvalid(message);
}

/**
 * For callers that cannot handle a refusal: background work, and the start of a command. Throws it as an
 * error.
 */
export function orThrow<T>(outcome: T): Exclude<T, Refusal> {
  if (isRefusal(outcome)) throw new AppError(outcome.reason, outcome.message);
  return outcome as Exclude<T, Refusal>;
}
