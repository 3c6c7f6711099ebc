/** Dispatches server requests to their handlers. */
import { messageOf } from "../base/errors.ts";
import type { RequestMessage } from "../jsonrpc/message.ts";
import type { Responder } from "../jsonrpc/peer.ts";
import { errorCodes } from "../protocol/errors.ts";
import { type Approve, approvalHandlers, type ChangesOf, isApproval } from "./approvals.ts";

type Handler = (params: unknown) => unknown;

export interface ServerQuestions {
  answer(method: string, handler: Handler): void;
  onRequest(request: RequestMessage, responder: Responder): void;
}

/** How many decisions are cached for repeated requests. */
const MAX_DECISIONS = 1000;

export function createServerQuestions(
  approve: Approve | undefined,
  warn: (message: string) => void,
  changesOf: ChangesOf,
): ServerQuestions {
  const handlers = new Map<string, Handler>(
    approve === undefined ? [] : approvalHandlers(approve, changesOf),
  );
  const warned = new Set<string>();
  /**
   * A cache of recent decisions. A server repeats its requests when a thread is rejoined, and the user must
   * not decide twice.
   */
  const decisions = new Map<string, Promise<unknown>>();

  function refuse(method: string, responder: Responder): void {
    if (!warned.has(method)) {
      warned.add(method);
      warn(unansweredWarning(method));
    }
    const message = `${method} is not handled by this client`;
    responder.error({ code: errorCodes.methodNotFound, message });
  }

  async function answerWith(handler: Handler, request: RequestMessage, responder: Responder): Promise<void> {
    // An approval names its item and time; any other request may legitimately repeat.
    const key = isApproval(request.method) ? JSON.stringify(request) : "";
    try {
      const decided = decisions.get(key) ?? Promise.resolve(handler(request.params));
      if (key !== "") decisions.set(key, decided);
      const [oldest] = decisions.keys();
      if (decisions.size > MAX_DECISIONS && oldest !== undefined) decisions.delete(oldest);
      responder.result(await decided);
    } catch (error) {
      decisions.delete(key);
      responder.error({ code: errorCodes.internalError, message: messageOf(error) });
    }
  }

  return {
    answer: (method, handler) => void handlers.set(method, handler),
    onRequest(request, responder) {
      const handler = handlers.get(request.method);
      if (handler === undefined) refuse(request.method, responder);
      else void answerWith(handler, request, responder);
    },
  };
}

function unansweredWarning(method: string): string {
  const how = `client.answer("${method}", handler)`;
  return isApproval(method)
    ? `heddle: an approval request was refused, because it has no handler: set the option "approve" of connect(), or call ${how}`
    : `heddle: the server request ${method} was refused, because it has no handler: call ${how}`;
}
