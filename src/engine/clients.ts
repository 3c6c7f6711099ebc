import type { ServerRequests } from "../protocol/generated/types.ts";
import type { Answer } from "../tools/ask.ts";

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
  readonly answer: Promise<Answered<R> | Unanswered>;
  /** Nobody waits for the answer any more. */
  withdraw(): void;
}

export type Answered<R> = Extract<Answer<R>, { kind: "answered" }>;
export type Unanswered = Extract<Answer<unknown>, { kind: "unanswered" }>;
