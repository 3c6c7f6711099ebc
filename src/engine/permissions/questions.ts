/** Questions to the clients of a thread: who is asked, how long an answer is awaited, and who hears that it came. */
import type { Clock } from "../../base/clock.ts";
import { createDeferred } from "../../base/tasks.ts";
import { serverRequestRows } from "../../protocol/generated/table.ts";
import type { ServerRequests } from "../../protocol/generated/types.ts";
import type { Answer } from "../../tools/tool.ts";
import type { Emit } from "../state/events.ts";

type Method = keyof ServerRequests;
type Params<M extends Method> = ServerRequests[M]["params"];
type Result<M extends Method> = ServerRequests[M]["result"];

/** How the engine asks the clients of a thread; who they are is not its business. */
export interface Clients {
  /** Sends a request to every client of the thread, and to those that join while it is open. */
  open<M extends Method>(threadId: string, method: M, params: Params<M>): OpenRequest<Result<M>>;
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

/** What a thread waits for its clients to answer. */
export interface Questions {
  /** Asks, and lets everybody know as soon as there is an answer. Never throws. */
  ask<M extends Method>(method: M, params: Params<M>, signal: AbortSignal): Promise<Answer<Result<M>>>;
  /** Asks, and lets nobody know of the answer before it is settled. Never throws. */
  open<M extends Method>(
    method: M,
    params: Params<M>,
    signal: AbortSignal,
    /** Called when the thread is known to wait, and before the clients are asked. */
    onWaiting?: () => void,
  ): Promise<AnsweredQuestion<Result<M>>>;
  readonly pendingApprovals: number;
  readonly pendingQuestions: number;
  /** Tells that what the end of a turn left unanswered needs no answer; called once its end was told. */
  resolveAbandoned(): void;
}

export interface AnsweredQuestion<R> {
  readonly answer: Answer<R>;
  /**
   * Lets everybody know that the question is resolved, and then the thread wait no longer; `onResolved` is called in
   * between. Does nothing where the turn ended first: its end does it.
   */
  resolve(onResolved?: () => void): void;
}

export interface QuestionsOptions {
  readonly threadId: string;
  readonly clients: Clients;
  readonly emit: Emit;
  /** Resolves when clients have been told everything so far; null where they have been. */
  readonly whenFlushed: () => Promise<void> | null;
  readonly clock: Clock;
  /** How long an answer is awaited. */
  readonly timeoutMs: number;
  /** Called whenever the number of open questions has changed. */
  readonly onChange: () => void;
}

const ABANDONED = { answer: { kind: "abandoned" }, resolve() {} } as const;

export function createQuestions(options: QuestionsOptions): Questions {
  const { threadId, clients, emit, whenFlushed, clock, timeoutMs, onChange } = options;
  const pending = { approval: 0, question: 0 };
  const abandoned: (number | string)[] = [];

  async function open<M extends Method>(
    method: M,
    params: Params<M>,
    signal: AbortSignal,
    onWaiting?: () => void,
  ): Promise<AnsweredQuestion<Result<M>>> {
    if (signal.aborted) return ABANDONED;
    const { raises: flag } = serverRequestRows[method];
    if (flag !== undefined) {
      pending[flag] += 1;
      onChange();
    }
    onWaiting?.();
    const untold = whenFlushed();
    if (untold !== null) await untold;
    if (signal.aborted) {
      if (flag !== undefined) pending[flag] -= 1;
      return ABANDONED;
    }
    const request = clients.open(threadId, method, params);
    const limit = createLimit(clock, timeoutMs);
    const answer = await firstOf(Promise.race([request.answer, limit.reached]), signal);
    limit.cancel();
    if (answer.kind !== "answered") request.withdraw();
    if (answer.kind === "abandoned") {
      if (flag !== undefined) {
        pending[flag] -= 1;
        abandoned.push(request.id);
      }
      return ABANDONED;
    }
    return {
      answer,
      resolve(onResolved) {
        if (flag === undefined) return;
        emit("serverRequest/resolved", { threadId, requestId: request.id });
        onResolved?.();
        pending[flag] -= 1;
        onChange();
      },
    };
  }

  return {
    get pendingApprovals() {
      return pending.approval;
    },
    get pendingQuestions() {
      return pending.question;
    },
    open,
    async ask(method, params, signal) {
      const { answer, resolve } = await open(method, params, signal);
      resolve();
      return answer;
    },
    resolveAbandoned() {
      for (const requestId of abandoned.splice(0)) emit("serverRequest/resolved", { threadId, requestId });
    },
  };
}

function createLimit(clock: Clock, timeoutMs: number) {
  const reached = createDeferred<Unanswered>();
  const reason = `nobody answered within ${Math.round(timeoutMs / 1000)} seconds`;
  const cancel = clock.after(timeoutMs, () =>
    reached.resolve({ kind: "unanswered", reason, cause: "timeOut" }),
  );
  return { reached: reached.promise, cancel };
}

function firstOf<T>(answer: Promise<T>, signal: AbortSignal): Promise<T | { readonly kind: "abandoned" }> {
  return new Promise((resolve) => {
    const abandon = () => resolve({ kind: "abandoned" });
    signal.addEventListener("abort", abandon, { once: true });
    void answer.then((value) => {
      signal.removeEventListener("abort", abandon);
      resolve(value);
    });
  });
}
