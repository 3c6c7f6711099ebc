/** Serves the requests of a listener other than upgrades: the gate judges them, and the routes answer. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { messageOf } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import { callerAddress, isSentByTls, type TrustedProxies } from "./caller.ts";
import { type Gate, isHttpRefusal } from "./gate.ts";
import {
  type HttpAccess,
  type HttpAnswer,
  type HttpRoutes,
  plainAnswer,
  type RouteRequest,
} from "./http-routes.ts";
import type { HttpRefusal } from "./refusal.ts";
import { sendHttpAnswer } from "./send-http-answer.ts";
import type { TokenHolder } from "./token-holder.ts";

export interface HttpRequestsOptions {
  readonly gate: Gate;
  readonly routes: HttpRoutes;
  readonly refuseCaller: ((socket: Socket) => Promise<string | null>) | undefined;
  readonly trustedProxies: TrustedProxies | null;
  readonly stallMs: number;
  readonly log: Logger;
  readonly report: (request: IncomingMessage, refusal: HttpRefusal) => void;
}

export interface HttpRequests {
  serve(message: IncomingMessage, response: ServerResponse): void;
  /** Ends long answers, and resolves when every answer was sent, or after a time limit. */
  end(): Promise<void>;
}

/** How long answers may take to end when the listener closes. */
const CLOSING_MS = 1000;
const FAULT = "the server could not answer: its log says why";

export function createHttpRequests(options: HttpRequestsOptions): HttpRequests {
  const { gate, routes, trustedProxies, stallMs, log, report } = options;
  const judge = createJudge(options);
  const running = new Map<AbortController, Promise<void>>();
  let isEnding = false;

  async function respond(
    message: IncomingMessage,
    response: ServerResponse,
    signal: AbortSignal,
  ): Promise<void> {
    const refusal = gate.refuse(message);
    const ending = new AbortController();
    const request = {
      ...toRouteRequest(message, refusal === null ? gate.allowedOrigin(message) : null, ending.signal),
      isOwnPage: gate.isOwnPage(message),
      caller: {
        address: callerAddress(message, trustedProxies),
        isSecure: isSentByTls(message, trustedProxies),
      },
    };
    const route = routes.find(request);
    const judgement = refusal ?? (await judge(message, route.access));
    const end = () => ending.abort();
    signal.addEventListener("abort", end, { once: true });
    if (signal.aborted) end();
    const holder = isHttpRefusal(judgement) ? null : judgement;
    const stopRevocation = holder?.revocation?.onRevoked(end);
    if (isHttpRefusal(judgement)) report(message, judgement);
    const answer = isHttpRefusal(judgement)
      ? plainAnswer(judgement.status, judgement.reason)
      : await route.answer(judgement).catch(answerFault);
    const headers = { ...route.headers, ...answer.headers };
    const isHead = request.method === "HEAD";
    await sendHttpAnswer(response, { ...answer, headers }, { isHead, stallMs }).finally(() =>
      stopRevocation?.(),
    );
  }

  /** The path is not logged, because it may contain a secret. */
  function answerFault(error: unknown): HttpAnswer {
    log.error("a request could not be answered", { reason: messageOf(error) });
    return plainAnswer(500, FAULT);
  }

  return {
    serve(message, response) {
      const controller = new AbortController();
      response.once("close", () => controller.abort());
      if (isEnding) controller.abort();
      const answered = respond(message, response, controller.signal)
        .catch((error: unknown) => {
          // The answer had begun; its reader sees that it was cut.
          answerFault(error);
          response.destroy();
        })
        .finally(() => running.delete(controller));
      running.set(controller, answered);
    },
    async end() {
      isEnding = true;
      if (running.size === 0) return;
      for (const controller of running.keys()) controller.abort();
      let timer: NodeJS.Timeout | undefined;
      const timeout = new Promise<void>((resolve) => {
        timer = setTimeout(resolve, CLOSING_MS);
      });
      await Promise.race([Promise.all(running.values()), timeout]);
      clearTimeout(timer);
    },
  };
}

/** Judges the token, and for clients also the caller: its sockets are checked once each, because that takes system calls. */
function createJudge({ gate, refuseCaller }: Pick<HttpRequestsOptions, "gate" | "refuseCaller">) {
  const accepted = new WeakSet<Socket>();
  return async (message: IncomingMessage, access: HttpAccess): Promise<HttpRefusal | TokenHolder | null> => {
    if (access === "anyone") return null;
    const judgement = withReading(await gate.judgeRequest(message));
    if (access === "token" || refuseCaller === undefined || isHttpRefusal(judgement)) return judgement;
    const { socket } = message;
    if (accepted.has(socket)) return judgement;
    const reason = await refuseCaller(socket);
    if (reason !== null) return { status: 403, reason };
    accepted.add(socket);
    return judgement;
  };
}

const NO_READING = "the token does not have the scope read";

function withReading(judgement: HttpRefusal | TokenHolder | null): HttpRefusal | TokenHolder | null {
  if (judgement === null || isHttpRefusal(judgement) || judgement.scopes.has("read")) return judgement;
  return { status: 403, reason: NO_READING };
}

function toRouteRequest(
  message: IncomingMessage,
  allowedOrigin: string | null,
  signal: AbortSignal,
): Omit<RouteRequest, "isOwnPage" | "caller"> {
  const { method = "", url = "", headers } = message;
  const [path = "", ...rest] = url.split("?");
  return { method, path, query: rest.join("?"), headers, allowedOrigin, body: message, signal };
}
