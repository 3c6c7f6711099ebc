import type { Clock } from "../base/clock.ts";
import { createDeferred } from "../base/deferred.ts";
import type { ServerRequests } from "../protocol/generated/types.ts";
import type { Answer } from "../tools/ask.ts";
import type { Clients, Unanswered } from "./clients.ts";
import type { Emit } from "./state/events.ts";

type Method = keyof ServerRequests;

/** What a thread waits for its clients to answer. */
export interface Questions {
  /** Throws only what `record` throws. */
  ask<M extends Method>(
    method: M,
    params: ServerRequests[M]["params"],
    signal: AbortSignal,
    moments?: QuestionMoments<ServerRequests[M]["result"]>,
  ): Promise<Answer<ServerRequests[M]["result"]>>;
  readonly pendingApprovals: number;
  readonly pendingQuestions: number;
  /** Tells that what the end of a turn left unanswered needs no answer; called once its end was told. */
  settleAbandoned(): void;
}

/** What has to be told at certain moments of a question. */
export interface QuestionMoments<R> {
  /** The thread is known to wait, and the clients are not asked yet. */
  readonly before?: () => void;
  /** Writes the answer down, before anybody hears that there is one. Where that fails nobody has answered. */
  readonly record?: (answer: Settled<R>) => Promise<void>;
  /** The question is settled, and the thread still counts as waiting. */
  readonly after?: (answer: Settled<R>) => void;
}

/** The turn did not end first. */
export type Settled<R> = Exclude<Answer<R>, { kind: "abandoned" }>;

export interface QuestionsOptions {
  readonly threadId: string;
  readonly clients: Clients;
  readonly emit: Emit;
  /** Resolves when clients have been told everything so far; null where they have been. */
  readonly caughtUp: () => Promise<void> | null;
  readonly clock: Clock;
  /** How long an answer is awaited. */
  readonly timeoutMs: number;
  /** Called whenever the number of open questions has changed. */
  readonly onChange: () => void;
}

/** Which flag of the thread's status a request raises. The others are none of the user's business. */
const FLAGS: Partial<Record<Method, "approval" | "question">> = {
  "item/commandExecution/requestApproval": "approval",
  "item/fileChange/requestApproval": "approval",
  "item/permissions/requestApproval": "approval",
  "mcpServer/elicitation/request": "approval",
  "item/tool/requestUserInput": "question",
};

export function createQuestions(options: QuestionsOptions): Questions {
  const { threadId, clients, emit, caughtUp, clock, timeoutMs, onChange } = options;
  const pending = { approval: 0, question: 0 };
  const abandoned: (number | string)[] = [];

  return {
    get pendingApprovals() {
      return pending.approval;
    },
    get pendingQuestions() {
      return pending.question;
    },
    async ask(method, params, signal, moments = {}) {
      if (signal.aborted) return { kind: "abandoned" };
      const flag = FLAGS[method];
      if (flag !== undefined) {
        pending[flag] += 1;
        onChange();
      }
      moments.before?.();
      const untold = caughtUp();
      if (untold !== null) await untold;
      if (signal.aborted) {
        if (flag !== undefined) pending[flag] -= 1;
        return { kind: "abandoned" };
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
        return answer;
      }
      const settled = await recorded(answer, moments);
      if (flag !== undefined) {
        emit("serverRequest/resolved", { threadId, requestId: request.id });
        moments.after?.(settled.answer);
        pending[flag] -= 1;
        onChange();
      }
      if (settled.fault !== null) throw settled.fault;
      return answer;
    },
    settleAbandoned() {
      for (const requestId of abandoned.splice(0)) emit("serverRequest/resolved", { threadId, requestId });
    },
  };
}

async function recorded<R>(answer: Settled<R>, { record }: QuestionMoments<R>) {
  try {
    await record?.(answer);
    return { answer, fault: null };
  } catch (error) {
    const fault = error instanceof Error ? error : new Error(String(error));
    return { answer: { kind: "unanswered", reason: fault.message } as const, fault };
  }
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
