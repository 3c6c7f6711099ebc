/** What the server asks of a client, and who answers. */
import { messageOf } from "../base/errors.ts";
import type { RequestMessage } from "../jsonrpc/message.ts";
import type { Responder } from "../jsonrpc/peer.ts";
import { errorCodes } from "../protocol/errors.ts";
import { type Approve, approvalHandlers, isApproval } from "./approvals.ts";

type Handler = (params: unknown) => unknown;

export interface ServerQuestions {
  answer(method: string, handler: Handler): void;
  onRequest(request: RequestMessage, responder: Responder): void;
}

export function createServerQuestions(
  approve: Approve | undefined,
  warn: (message: string) => void,
): ServerQuestions {
  const handlers = new Map<string, Handler>(approve === undefined ? [] : approvalHandlers(approve));
  const warned = new Set<string>();

  function refuse(method: string, responder: Responder): void {
    if (!warned.has(method)) {
      warned.add(method);
      warn(unansweredWarning(method));
    }
    const message = `${method} is not handled by this client`;
    responder.error({ code: errorCodes.methodNotFound, message });
  }

  async function answerWith(handler: Handler, params: unknown, responder: Responder): Promise<void> {
    try {
      responder.result(await handler(params));
    } catch (error) {
      responder.error({ code: errorCodes.internalError, message: messageOf(error) });
    }
  }

  return {
    answer: (method, handler) => void handlers.set(method, handler),
    onRequest({ method, params }, responder) {
      const handler = handlers.get(method);
      if (handler === undefined) refuse(method, responder);
      else void answerWith(handler, params, responder);
    },
  };
}

function unansweredWarning(method: string): string {
  const how = `client.answer("${method}", handler)`;
  return isApproval(method)
    ? `heddle: an approval was asked for and refused, because nobody answers: set the option "approve" of connect(), or call ${how}`
    : `heddle: the server asked ${method} and was refused, because nobody answers: call ${how}`;
}
