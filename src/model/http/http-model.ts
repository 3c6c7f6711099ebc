/** A model over HTTP with any wire format. One response may take several requests because of retries. */

import { wait } from "../../base/clock.ts";
import { createModelFailure, type ModelFailure } from "../failure/failure.ts";
import { failureOfResponse } from "../failure/http-failure.ts";
import { backoffMs, createRetryPlan } from "../failure/retry-plan.ts";
import type { Model, ModelEvent, ModelRequest } from "../model.ts";
import { headerOf } from "../provider-input.ts";
import type { ModelDeps, ProviderSettings } from "../provider-settings.ts";
import { createContextWindows } from "./context-windows.ts";
import { readEventStream } from "./event-stream.ts";
import { createHttpClient, type HttpClient, type HttpOutcome, type HttpRequest } from "./http-client.ts";
import type { HttpResponse } from "./http-response.ts";
import { parseRateLimits } from "./rate-limits.ts";
import { createToHttpRequest } from "./to-http-request.ts";
import { createTokenSource, type TokenSource } from "./token-command.ts";
import type { ResponseEnd, WireFormat } from "./wire.ts";

const UNAUTHORIZED = 401;

interface Attempt {
  readonly request: HttpRequest;
  readonly provider: ProviderSettings;
  readonly http: HttpClient;
  /** Null if there is no token or it is static. */
  readonly tokens: TokenSource | null;
  readonly authHeaders: WireFormat["authHeaders"];
  readonly deps: ModelDeps;
  readonly signal: AbortSignal;
}

export function createHttpModel(provider: ProviderSettings, wire: WireFormat, deps: ModelDeps): Model {
  const http = createHttpClient(deps.clock, deps.env);
  const toHttpRequest = createToHttpRequest(provider, wire);
  const tokens = provider.tokenCommand === null ? null : createTokenSource(provider.tokenCommand, deps);
  const windows = createContextWindows({ provider, http, deps });
  const fixed = { provider, http, tokens, authHeaders: wire.authHeaders, deps };
  const toStreamOptions = (response: HttpResponse, request: ModelRequest) => ({
    response,
    reader: wire.createReader(request),
    first: headEvents(response),
    idleTimeoutMs: provider.streamIdleTimeoutMs,
    clock: deps.clock,
  });

  async function* stream(modelRequest: ModelRequest, signal: AbortSignal) {
    const request = provider.fault ?? toHttpRequest(modelRequest);
    if (typeof request === "string") {
      yield [{ type: "failed" as const, error: createModelFailure("unusable", { detail: request }).error }];
      return;
    }
    const { retriesUsed = 0 } = modelRequest;
    const plan = createRetryPlan({ ...provider, random: deps.random, retriesUsed });
    while (!signal.aborted) {
      const answer = await connect({ ...fixed, request, signal });
      if (answer === null) return;
      if (!("error" in answer)) windows.lookUp(modelRequest.model, () => headersOf(request, fixed));
      // Not in a nested generator: each level costs a microsecond per event.
      const end: ResponseEnd =
        "error" in answer ? answer : yield* readEventStream(toStreamOptions(answer, modelRequest));
      if (end === "completed" || signal.aborted) return;
      if (end.contextWindow !== null) windows.recordLimit(modelRequest.model, end.contextWindow);
      const step = plan.next(end);
      yield [step];
      if (step.type === "failed") return;
      await wait(deps.clock, step.delayMs, signal);
    }
  }

  return { stream, contextWindow: windows.of, close: () => http.close() };
}

/** Sends the request with retries, up to the provider's limit. Null means aborted. */
async function connect(attempt: Attempt): Promise<HttpResponse | ModelFailure | null> {
  const { provider, deps, signal } = attempt;
  for (let tries = 1; ; tries++) {
    const outcome = await post(attempt);
    if ("error" in outcome) return outcome;
    if (outcome.kind === "aborted") return null;
    if (outcome.kind === "answered" && isSuccess(outcome.response)) return outcome.response;
    const failure = await toFailure(outcome, attempt);
    if (!failure.resend || tries > provider.requestMaxRetries) return failure;
    const status = outcome.kind === "answered" ? outcome.response.status : null;
    deps.log.warn("model request is sent again", { provider: provider.id, attempt: tries, status });
    deps.onRetry?.(status);
    await wait(deps.clock, failure.delayMs ?? backoffMs(tries, deps.random), signal);
    if (signal.aborted) return null;
  }
}

/** The headers of a lookup, with the current token. */
async function headersOf(
  { headers }: HttpRequest,
  { tokens, authHeaders }: Pick<Attempt, "tokens" | "authHeaders">,
): Promise<HttpRequest["headers"]> {
  const answer = await tokens?.get();
  return answer?.kind === "token" ? { ...headers, ...authHeaders(answer.token) } : headers;
}

/** A rejected token may have expired early: it is refreshed once. */
async function post({
  request,
  http,
  tokens,
  authHeaders,
  signal,
}: Attempt): Promise<HttpOutcome | ModelFailure> {
  if (tokens === null) return http.send(request, signal);
  for (let isRetry = false; ; isRetry = true) {
    const answer = await tokens.get();
    if (answer.kind === "fault") return createModelFailure("unusable", { detail: answer.message });
    const headers = { ...request.headers, ...authHeaders(answer.token) };
    const outcome = await http.send({ ...request, headers }, signal);
    const isUnauthorized = outcome.kind === "answered" && outcome.response.status === UNAUTHORIZED;
    if (!isUnauthorized || isRetry) return outcome;
    outcome.response.close();
    tokens.discard(answer.token);
  }
}

async function toFailure(outcome: HttpOutcome, { provider, deps }: Attempt): Promise<ModelFailure> {
  const detail = "error sending request";
  switch (outcome.kind) {
    case "answered": {
      const { response } = outcome;
      const body = await response.text();
      const { status, headers, url } = response;
      const answer = { status, statusLine: await statusLineOf(status), headers, body, url };
      return failureOfResponse(answer, { nowMs: deps.clock.now(), provider });
    }
    case "broken":
      deps.log.warn("model provider does not answer", { provider: provider.id, cause: outcome.cause });
      return createModelFailure("disconnected", { detail, resend: true });
    case "unreachable": {
      const { cause, route } = outcome;
      deps.log.warn("model provider does not answer", { provider: provider.id, cause: route ?? cause });
      return createModelFailure("unreachable", { detail: `${detail}: ${route ?? cause}`, resend: true });
    }
    case "misrouted":
      deps.log.warn("model provider does not answer", { provider: provider.id, cause: outcome.message });
      return createModelFailure("unusable", { detail: outcome.message });
    case "timedOut":
    case "aborted":
      return createModelFailure("timedOut", { resend: true });
  }
}

/** The status with its reason phrase, such as `404 Not Found`. */
async function statusLineOf(status: number): Promise<string> {
  // Node's phrase differs from the one that clients of the protocol know.
  if (status === 418) return "418 I'm a teapot";
  const { STATUS_CODES } = await import("node:http");
  return `${status} ${STATUS_CODES[status] ?? "<unknown status code>"}`;
}

function headEvents({ headers }: HttpResponse): ModelEvent[] {
  const turnState = headerOf(headers, "x-codex-turn-state");
  const events: ModelEvent[] = [{ type: "accepted", turnState, rateLimits: parseRateLimits(headers) }];
  const model = headerOf(headers, "openai-model");
  if (model !== null) events.push({ type: "serverModel", model });
  return events;
}

function isSuccess({ status }: HttpResponse): boolean {
  return status >= 200 && status < 300;
}
