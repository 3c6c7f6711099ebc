/**
 * The reason why a request is not carried out: an expected outcome, which is returned and never thrown. The server
 * converts it into a protocol error; other callers act on the reason.
 */
export interface Refusal<R extends string = string> {
  readonly kind: "refused";
  readonly reason: R;
  /** The message that clients of the protocol know. */
  readonly message: string;
  readonly data?: unknown;
}

export function refusal<R extends string>(reason: R, message: string, data?: unknown): Refusal<R> {
  return { kind: "refused", reason, message, ...(data !== undefined && { data }) };
}

export function isRefusal<T>(outcome: T): outcome is Extract<T, Refusal> {
  return typeof outcome === "object" && outcome !== null && "kind" in outcome && outcome.kind === "refused";
}
