/** Sends one small request to a model, and derives advice from the response. */
import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import { silentLogger } from "../../base/logger.ts";
import type { ModelProvider } from "../../config/model-provider.ts";
import type { Model, ModelEvent, ModelRequest } from "../../model/model.ts";
import { openModel } from "../../model/providers/open-model.ts";
import type { TurnError } from "../../protocol/generated/types.ts";
import { toSettings } from "../setup/provider-models.ts";
import type { Finding } from "./finding.ts";

type Verdict = Pick<Finding, "verdict" | "message" | "advice">;

interface TryOptions {
  readonly clock: Clock;
  readonly env: Environment;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 10_000;
const PROMPT = "Reply with the word ok.";
/** The error message of a provider may be a whole web page. */
const MAX_MESSAGE = 300;

/** Events that prove that the model works; the rest of the response is not awaited. */
const PROOF_EVENTS: ReadonlySet<ModelEvent["type"]> = new Set([
  "textDelta",
  "itemAdded",
  "itemDone",
  "completed",
]);

export async function tryModel(
  provider: ModelProvider & { readonly baseUrl: string },
  name: string,
  { clock, env, timeoutMs = TIMEOUT_MS }: TryOptions,
): Promise<Verdict> {
  const settings = {
    ...toSettings(provider),
    requestMaxRetries: 0,
    streamMaxRetries: 0,
    waitsForNetwork: false,
  };
  const model = openModel(settings, { clock, env, random: () => 0, log: silentLogger });
  const asked = `${name} at ${provider.name} was asked: "${PROMPT}"`;
  const startedAt = clock.monotonic();
  try {
    const outcome = await ask(model, name, AbortSignal.timeout(timeoutMs));
    if (outcome === "answered")
      return {
        verdict: "ok",
        message: `${asked} It answered in ${Math.round(clock.monotonic() - startedAt)} ms`,
      };
    if (outcome === "silent") {
      const advice = "Look whether the provider is at work, or loads the model only now; then try again.";
      return { verdict: "problem", message: `${asked} No answer in ${timeoutMs / 1000} seconds`, advice };
    }
    const reason = (outcome.message.split("\n", 1)[0] ?? "").slice(0, MAX_MESSAGE);
    return {
      verdict: "problem",
      message: `${asked} It failed: ${reason}`,
      advice: adviceFor(outcome, provider, name),
    };
  } finally {
    model.close();
  }
}

async function ask(
  model: Model,
  name: string,
  signal: AbortSignal,
): Promise<"answered" | "silent" | TurnError> {
  for await (const events of model.stream(toRequest(name), signal)) {
    for (const event of events) {
      if (event.type === "failed") return event.error;
      if (PROOF_EVENTS.has(event.type)) return "answered";
    }
  }
  return "silent";
}

function toRequest(model: string): ModelRequest {
  return {
    model,
    input: [{ type: "message", role: "user", content: [{ type: "input_text", text: PROMPT }] }],
    tools: [],
    parallelToolCalls: false,
    reasoning: null,
    text: null,
    serviceTier: null,
    promptCacheKey: "heddle-doctor",
    clientMetadata: {},
    headers: {},
  };
}

/** In order of likelihood. */
const WIRE_NAMES: Readonly<Record<ModelProvider["wireApi"], string>> = {
  chat: "Chat Completions",
  responses: "the Responses API",
  messages: "Anthropic's Messages API",
};
const PATH = "look at the path of base_url, which for most providers ends in /v1";

function adviceFor(
  { codexErrorInfo: info, message }: TurnError,
  { id, baseUrl, wireApi }: ModelProvider,
  model: string,
): string {
  const status = statusOf(info);
  const isAboutModel = info === "modelNotFound" || (isRefusal(status, info) && message.includes(model));
  if (isAboutModel) return `Set model to one that it has: GET ${baseUrl}/models lists them.`;
  if (status === 401 || status === 403) return "Check that the key is the right one and has not expired.";
  if (status === 404 || status === 405) {
    const others = Object.entries(WIRE_NAMES).filter(([wire]) => wire !== wireApi);
    const choices = others.map(([wire, name]) => `wire_api = "${wire}" for ${name}`).join(", or ");
    return `Set what it speaks in [model_providers.${id}]: ${choices}; otherwise ${PATH}.`;
  }
  if (status === 429) return "Wait, or look at the limits of the account.";
  if (message.startsWith("stream disconnected")) return `What answers is no model: ${PATH}.`;
  return "Compare model, base_url and wire_api with what the provider documents.";
}

/** Providers report an unknown model as a bad request or as not found. */
function isRefusal(status: number | null, info: TurnError["codexErrorInfo"]): boolean {
  return status === 404 || info === "other" || info === "badRequest";
}

function statusOf(info: TurnError["codexErrorInfo"]): number | null {
  if (info === null || typeof info !== "object") return null;
  const [facts] = Object.values(info) as readonly unknown[];
  const status = (facts as { readonly httpStatusCode?: unknown } | null)?.httpStatusCode;
  return typeof status === "number" ? status : null;
}
