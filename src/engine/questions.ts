import type { ServerRequests } from "../protocol/generated/types.ts";
import type { Answer } from "../tools/ask.ts";
import type { Clients } from "./clients.ts";
import type { Emit } from "./events.ts";

type Method = keyof ServerRequests;

/** What a thread waits for its clients to answer. */
export interface Questions {
  ask<M extends Method>(
    method: M,
    params: ServerRequests[M]["params"],
    signal: AbortSignal,
  ): Promise<Answer<ServerRequests[M]["result"]>>;
  readonly pendingApprovals: number;
  readonly pendingQuestions: number;
  /** Tells that what the end of a turn left unanswered needs no answer; called once its end was told. */
  settleAbandoned(): void;
}

export interface QuestionsOptions {
  readonly threadId: string;
  readonly clients: Clients;
  readonly emit: Emit;
  /** Called whenever the number of open questions has changed. */
  readonly onChange: () => void;
}

/** Which flag of the thread's status a request raises. The others are none of the user's business. */
const FLAGS: Partial<Record<Method, "approval" | "question">> = {
  "item/commandExecution/requestApproval": "approval",
  "item/fileChange/requestApproval": "approval",
  "item/permissions/requestApproval": "approval",
  applyPatchApproval: "approval",
  execCommandApproval: "approval",
  "mcpServer/elicitation/request": "approval",
  "item/tool/requestUserInput": "question",
};

export function createQuestions({ threadId, clients, emit, onChange }: QuestionsOptions): Questions {
  const pending = { approval: 0, question: 0 };
  const abandoned: (number | string)[] = [];

  return {
    get pendingApprovals() {
      return pending.approval;
    },
    get pendingQuestions() {
      return pending.question;
    },
    async ask(method, params, signal) {
      if (signal.aborted) return { kind: "abandoned" };
      const flag = FLAGS[method];
      if (flag !== undefined) {
        pending[flag] += 1;
        onChange();
      }
      const request = clients.open(threadId, method, params);
      const answer = await firstOf(request.answer, signal);
      if (flag !== undefined) pending[flag] -= 1;
      if (answer.kind === "abandoned") {
        request.withdraw();
        if (flag !== undefined) abandoned.push(request.id);
        return answer;
      }
      if (flag !== undefined) {
        emit("serverRequest/resolved", { threadId, requestId: request.id });
        onChange();
      }
      return answer;
    },
    settleAbandoned() {
      for (const requestId of abandoned.splice(0)) emit("serverRequest/resolved", { threadId, requestId });
    },
  };
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
