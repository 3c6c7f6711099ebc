import type { ServerRequests } from "../protocol/generated/types.ts";

/** How the engine asks the clients of a thread; who they are is not its business. */
export interface Clients {
  /** Sends a request to every client of the thread, and to those that join while it is open. */
  open<M extends keyof ServerRequests>(
    threadId: string,
    method: M,
    params: ServerRequests[M]["params"],
  ): OpenRequest<ServerRequests[M]["result"]>;
}

export interface OpenRequest<R> {
  readonly id: number | string;
  /** The first answer, checked. Never rejects. */
  readonly answer: Promise<{ readonly kind: "answered"; readonly result: R } | Unanswered>;
  /** Nobody waits for the answer any more. */
  withdraw(): void;
}

export interface Unanswered {
  readonly kind: "unanswered";
  readonly reason: string;
}
