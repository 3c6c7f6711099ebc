/**
 * Why something that was asked for is not done. Whoever asks on behalf of a client makes an error of the protocol from
 * it; whoever asks for the server itself acts on the reason.
 */
import { AppError } from "../../base/errors.ts";
import type { ConfigResult } from "../../config/config-error.ts";

export type RefusalReason =
  /** The request cannot be served as it is, or not in the state that things are in. */
  | "invalidRequest"
  | "invalidParams"
  | "threadNotFound"
  /** A turn runs. */
  | "busy"
  | "turnNotSteerable"
  | "noActiveTurn"
  /** Another turn runs than the one that is meant. */
  | "otherTurn"
  | "notSupported"
  /** The server is not able to: for want of a file, a program, space. */
  | "unavailable";

export interface Refusal {
  readonly kind: "refused";
  readonly reason: RefusalReason;
  /** In the words that clients of the protocol know. */
  readonly message: string;
  readonly data?: unknown;
}

/** Carries a refusal from where it is found to whoever answers for it. */
export class Refused extends AppError<RefusalReason> {
  readonly data: unknown;

  constructor(reason: RefusalReason, message: string, data?: unknown) {
    super(reason, message);
    this.data = data;
  }
}

export function refuse(message: string, data?: unknown): Refused {
  return new Refused("invalidRequest", message, data);
}

/** What `work` returns, or why it was refused. */
export async function orRefusal<T>(work: () => Promise<T>): Promise<T | Refusal> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const { code: reason, message, data } = error;
    return { kind: "refused", reason, message, ...(data === undefined ? {} : { data }) };
  }
}

/** The value of a configuration result; a fault of it is a refusal. */
export function unwrapConfig<T>(result: ConfigResult<T>): T {
  if (result.ok) return result.value;
  const { message, writeCode } = result.error;
  if (writeCode === undefined) throw new Refused("unavailable", message);
  throw refuse(message, { config_write_error_code: writeCode });
}
