import type { ServerRequests } from "../protocol/generated/types.ts";

/**
 * Asks the clients of a thread. All of them get the request under one id, and the first valid answer counts. It
 * never throws and never waits longer than the turn: whatever keeps an answer from coming is a reason.
 */
export type Ask = <M extends keyof ServerRequests>(
  method: M,
  params: ServerRequests[M]["params"],
) => Promise<Answer<ServerRequests[M]["result"]>>;

export type Answer<R> =
  | {
      readonly kind: "answered";
      readonly result: R;
      /** The name of the client that answered, where it is known. */
      readonly from?: string;
    }
  /** A client refused or answered nonsense, nobody was there in time, or the server ended. */
  | { readonly kind: "unanswered"; readonly reason: string; readonly cause?: "timeOut" | "nonsense" }
  /** The turn ended first. */
  | { readonly kind: "abandoned" };
