/**
 * Questions to the clients of a thread: sends them, waits for the first answer or the timeout, and reports the
 * resolution.
 */
import type { Clock } from "../../base/clock.ts";
import { createDeferred, type Deferred } from "../../base/tasks.ts";
import { serverRequestRows } from "../../protocol/generated/table.ts";
import type { ServerRequests } from "../../protocol/generated/types.ts";
import type { Answer } from "../../tools/tool.ts";
import type { Emit } from "../state/events.ts";

type Method = keyof ServerRequests;
type Params<M extends Method> = ServerRequests[M]["params"];
type Result<M extends Method> = ServerRequests[M]["result"];

/** Sends server requests to the clients of a thread; implemented by the server, which knows the connections. */
export interface Clients {
  /** Sends a request to every client of the thread, and to those that subscribe while it is open. */
  open<M extends Method>(threadId: string, method: M, params: Params<M>): OpenRequest<Result<M>>;
}

export interface OpenRequest<R> {
  readonly id: number | string;
  /** The first answer, validated. Never rejects. */
  readonly answer: Promise<Answered<R> | Unanswered>;
  /** Cancels the request; later answers are ignored. */
  withdraw(why: Withdrawal): void;
}

/** Why a request ends without an answer; `interruption` also for an answer through the record. */
export type Withdrawal = "timeOut" | "interruption";

export type Answered<R> = Extract<Answer<R>, { kind: "answered" }>;
export type Unanswered = Extract<Answer<unknown>, { kind: "unanswered" }>;

/** The open questions of a thread. */
export interface Questions {
  /** Asks, and notifies clients of the resolution as soon as there is an answer. Never throws. */
  ask<M extends Method>(method: M, params: Params<M>, signal: AbortSignal): Promise<Answer<Result<M>>>;
  /** Asks; the caller notifies clients of the resolution with `resolve`. Never throws. */
  open<M extends Method>(
    method: M,
    params: Params<M>,
    signal: AbortSignal,
    options?: QuestionOptions,
  ): Promise<AnsweredQuestion<Result<M>>>;
  /** Answers a question by the number of its decision; false where it is not open here. */
  answer(decision: number, answered: Answered<unknown>): boolean;
  /** The open questions that are recorded, oldest first. */
  openDecisions(): readonly OpenDecision[];
  pendingApprovals(): number;
  pendingQuestions(): number;
  /** Notifies clients that the questions of an ended turn are resolved; called after the notification of its end. */
  resolveAbandoned(): void;
}

export interface QuestionOptions {
  /** Called when the thread's status shows the wait, before clients are asked. */
  readonly onWaiting?: () => void;
  /** The decision of a recorded question, by which it can be answered as well. */
  readonly decision?: RecordedQuestion | null;
}

interface RecordedQuestion {
  readonly number: number;
  /** When it was asked first, by the store's clock. */
  readonly atMs: number;
  /** Whether an earlier process has asked it, so that a part of its time is over. */
  readonly isContinued: boolean;
  /** Reads an answer that was recorded before the question could be answered here. Never rejects. */
  readonly findAnswer: () => Promise<Answered<unknown> | null>;
}

/** A recorded question, as it is open with clients. */
export interface OpenDecision {
  readonly number: number;
  readonly atMs: number;
  readonly requestId: number | string;
  /** When it ends without an answer. */
  readonly untilMs: number;
}

export interface AnsweredQuestion<R> {
  readonly answer: Answer<R>;
  /**
   * Notifies clients that the question is resolved, calls `onResolved`, and then clears the waiting status. Does
   * nothing where the turn ended first: `resolveAbandoned` does it then.
   */
  resolve(onResolved?: () => void): void;
}

export interface QuestionsOptions {
  readonly threadId: string;
  readonly clients: Clients;
  readonly emit: Emit;
  /** Resolves when all held notifications have been sent; null where none is held. */
  readonly whenFlushed: () => Promise<void> | null;
  readonly clock: Clock;
  /** The timeout of a question. */
  readonly timeoutMs: number;
  /** Called when the number of open questions has changed. */
  readonly onChange: () => void;
}

const ABANDONED = { answer: { kind: "abandoned" }, resolve() {} } as const;

export function createQuestions(options: QuestionsOptions): Questions {
  const { threadId, clients, emit, whenFlushed, clock, timeoutMs, onChange } = options;
  const pending = { approval: 0, question: 0 };
  const abandoned: (number | string)[] = [];
  const recorded: RecordedQuestions = new Map();

  async function open<M extends Method>(
    method: M,
    params: Params<M>,
    signal: AbortSignal,
    { onWaiting, decision = null }: QuestionOptions = {},
  ): Promise<AnsweredQuestion<Result<M>>> {
    if (signal.aborted) return ABANDONED;
    const { raises: flag } = serverRequestRows[method];
    if (flag !== undefined) {
      pending[flag] += 1;
      onChange();
    }
    onWaiting?.();
    const flushed = whenFlushed();
    if (flushed !== null) await flushed;
    if (signal.aborted) {
      if (flag !== undefined) pending[flag] -= 1;
      return ABANDONED;
    }
    const request = clients.open(threadId, method, params);
    const inTime = within(clock, timeoutMs, decision);
    const registered = register(recorded, decision, request.id, inTime.untilMs);
    const answers: Promise<AnsweredElsewhere | Unanswered>[] = [request.answer, inTime.over];
    const answer = await firstOf(Promise.race([...answers, ...registered.answers]), signal);
    inTime.cancel();
    registered.remove();
    if (answer.kind !== "answered" || answer.isElsewhere === true)
      request.withdraw(isTimeOut(answer) ? "timeOut" : "interruption");
    if (answer.kind === "abandoned") {
      if (flag !== undefined) {
        pending[flag] -= 1;
        abandoned.push(request.id);
      }
      return ABANDONED;
    }
    return {
      // An answer through the record was checked by who recorded it.
      answer: answer as Answer<Result<M>>,
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
    pendingApprovals: () => pending.approval,
    pendingQuestions: () => pending.question,
    open,
    answer(decision, answered) {
      const question = recorded.get(decision);
      question?.answered.resolve({ ...answered, isElsewhere: true });
      return question !== undefined;
    },
    openDecisions: () => [...recorded.values()],
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

function isTimeOut(answer: Answer<unknown>): boolean {
  return answer.kind === "unanswered" && answer.cause === "timeOut";
}

type RecordedQuestions = Map<number, OpenDecision & { readonly answered: Deferred<AnsweredElsewhere> }>;

/** An answer through the record: clients that were asked have not given it. */
type AnsweredElsewhere = Answered<unknown> & { readonly isElsewhere?: true };

/** Makes a recorded question known by the number of its decision for as long as it is open. */
function register(
  recorded: RecordedQuestions,
  decision: RecordedQuestion | null,
  requestId: number | string,
  untilMs: number,
): { readonly answers: readonly Promise<AnsweredElsewhere>[]; remove(): void } {
  if (decision === null) return { answers: [], remove() {} };
  const { number, atMs } = decision;
  const answered = createDeferred<AnsweredElsewhere>();
  void decision.findAnswer().then((found) => {
    if (found !== null) answered.resolve({ ...found, isElsewhere: true });
  });
  recorded.set(number, { number, atMs, requestId, untilMs, answered });
  return { answers: [answered.promise], remove: () => void recorded.delete(number) };
}

/** The time of a question counts from when it was asked first, also by another process. */
function within(clock: Clock, timeoutMs: number, decision: RecordedQuestion | null) {
  const over = createDeferred<Unanswered>();
  const reason = `nobody answered within ${Math.round(timeoutMs / 1000)} seconds`;
  const nowMs = clock.now();
  const untilMs = (decision?.isContinued === true ? decision.atMs : nowMs) + timeoutMs;
  const cancel = clock.after(Math.max(0, untilMs - nowMs), () =>
    over.resolve({ kind: "unanswered", reason, cause: "timeOut" }),
  );
  return { over: over.promise, untilMs, cancel };
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
