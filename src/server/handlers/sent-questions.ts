// Questions of the inbox that end with this server: input of the user, and elicitations of MCP servers.

import { isObject } from "../../base/json-object.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Checker } from "../../protocol/check.ts";
import { serverRequestRows } from "../../protocol/generated/table.ts";
import type { Approval, ApprovalVerdict } from "../../protocol/generated/types.ts";
import type { InboxClient } from "../../runtime/questions/inbox.ts";
import { invalidRequest } from "../connections/handler.ts";
import type { OutboundRequests, QuestionEnd, SentQuestion } from "../connections/outbound-requests.ts";

export interface SentQuestionsOptions {
  readonly requests: Pick<OutboundRequests, "openQuestions" | "answer" | "follow">;
  readonly engine: Pick<Engine, "find">;
  readonly checker: Checker;
  readonly clock: { now(): number };
}

export interface SentQuestions {
  list(threadId: string | null): Approval[];
  /** The thread of an open one; null for any other id. */
  threadOf(id: string): string | null;
  /** Null for an id that is none of these. Throws an error of the protocol for an answer that does not count. */
  answer(id: string, decision: unknown, by: InboxClient): Approval | null;
  /** Calls back with each one that is asked or ends from now on; returns the function that ends it. */
  follow(listener: (approval: Approval) => void): () => void;
}

/** Decisions have other ids. */
const PREFIX = "request-";

const KINDS: Partial<Record<SentQuestion["method"], "elicitation" | "userInput">> = {
  "mcpServer/elicitation/request": "elicitation",
  "item/tool/requestUserInput": "userInput",
};

export function createSentQuestions(options: SentQuestionsOptions): SentQuestions {
  const { requests, engine, checker, clock } = options;

  /** Questions with a decision are listed from the record. */
  const isRecorded = ({ id, threadId }: SentQuestion): boolean =>
    engine
      .find(threadId)
      ?.openDecisions()
      .some(({ requestId }) => requestId === id) ?? false;

  const open = (): SentQuestion[] =>
    requests.openQuestions().filter((each) => KINDS[each.method] !== undefined && !isRecorded(each));

  const find = (id: string) => open().find((each) => PREFIX + each.id === id);

  return {
    list: (threadId) =>
      open()
        .filter((each) => threadId === null || each.threadId === threadId)
        .map((each) => show(each, clock.now())),
    threadOf: (id) => find(id)?.threadId ?? null,
    answer(id, decision, by) {
      if (!id.startsWith(PREFIX)) return null;
      const question = find(id);
      if (question === undefined)
        throw invalidRequest(`there is no question ${id}, or it was answered already`);
      const { method } = question;
      const result =
        typeof decision === "string" ? { action: decision, content: null, _meta: null } : decision;
      const verdict = checker.check(serverRequestRows[method].result, result);
      if (!verdict.ok) throw invalidRequest(`not an answer to ${method}: ${verdict.message}`);
      const from = {
        ...(by.name !== null && { from: by.name }),
        ...(by.subject !== null && { subject: by.subject }),
      };
      if (!requests.answer(question.id, result, from))
        throw invalidRequest(`question ${id} was answered already`);
      return { ...show(question, clock.now()), status: "answered" };
    },
    follow(listener) {
      const shown = new Set(open());
      return requests.follow({
        sent(question) {
          if (KINDS[question.method] === undefined) return;
          // The engine knows the request of a decision only after it is sent.
          queueMicrotask(() => {
            if (isRecorded(question) || !requests.openQuestions().includes(question)) return;
            shown.add(question);
            listener(show(question, clock.now()));
          });
        },
        ended(question, end) {
          if (!shown.delete(question)) return;
          const verdict = showEnd(end, clock.now());
          listener({ ...show(question, clock.now()), status: "closed", verdict });
        },
      });
    },
  };
}

function showEnd(end: QuestionEnd, nowMs: number): ApprovalVerdict {
  const decidedAt = Math.floor(nowMs / 1000);
  if (end.kind === "answered") {
    const { from: name = null, subject = null } = end.from;
    const by = { kind: "client", name, subject } as const;
    return { outcome: outcomeOf(end.result), by, reason: null, decidedAt };
  }
  const outcome = end.kind === "interruption" ? "cancelled" : "denied";
  return { outcome, by: { kind: end.kind, name: null, subject: null }, reason: null, decidedAt };
}

/** An elicitation has an action; other answers are what was asked for. */
function outcomeOf(result: unknown): ApprovalVerdict["outcome"] {
  const action = isObject(result) ? result["action"] : undefined;
  if (action === "decline") return "denied";
  return action === "cancel" ? "cancelled" : "approved";
}

function show({ id, threadId, method, params, sentAtMs }: SentQuestion, nowMs: number): Approval {
  const { turnId = null, itemId = null, message = null, serverName = null } = isObject(params) ? params : {};
  const text = (value: unknown): string | null => (typeof value === "string" ? value : null);
  return {
    id: PREFIX + id,
    threadId,
    turnId: text(turnId),
    itemId: text(itemId),
    kind: KINDS[method] ?? "userInput",
    status: "open",
    command: null,
    cwd: null,
    paths: null,
    changes: null,
    server: text(serverName),
    tool: null,
    reason: text(message),
    request: { method, params },
    requestId: id,
    isDurable: false,
    requestedAt: Math.floor(sentAtMs / 1000),
    ageMs: Math.max(0, nowMs - sentAtMs),
    until: null,
    verdict: null,
    cause:
      KINDS[method] === "elicitation"
        ? { kind: "server", server: text(serverName) ?? "" }
        : { kind: "model" },
  };
}
