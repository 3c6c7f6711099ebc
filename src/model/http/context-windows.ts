/**
 * How long the context windows of a provider's models are, as far as it says: in its list of models, in what servers
 * of one's own tell about a loaded model, and in its refusals. Nobody waits for that. A model is asked about once, in
 * the background, and whatever goes wrong means that nothing is known.
 */
import { isObject } from "../../base/json-object.ts";
import { inBackground } from "../../base/tasks.ts";
import { contextWindowOf, parseJson, stringOf } from "../provider-input.ts";
import type { ModelDeps, ProviderSettings } from "../provider-settings.ts";
import { type HttpClient, type HttpRequest, type HttpTarget, toTarget } from "./http-client.ts";
import { targetOf } from "./to-http-request.ts";

type Headers = HttpRequest["headers"];

export interface ContextWindows {
  /** Tokens; null while nothing is known. */
  of(model: string): number | null;
  /** The provider has refused a request that was longer. */
  refusedAt(model: string, tokens: number): void;
  /** Asks the provider, unless it was asked already. */
  lookUp(model: string, headers: () => Promise<Headers>): void;
}

interface Options {
  readonly provider: ProviderSettings;
  readonly http: Pick<HttpClient, "send">;
  readonly deps: Pick<ModelDeps, "clock" | "log">;
}

const TIMEOUT_MS = 5_000;
/** The longest lists of models have a few hundred entries of a few thousand characters. */
const MAX_LIST_LENGTH = 8 * 1024 * 1024;
/** Models of one provider that are remembered; a client may name any. */
const MAX_MODELS = 256;

export function createContextWindows({ provider, http, deps }: Options): ContextWindows {
  const known = new Map<string, number>();
  const asked = new Set<string>();

  async function read(question: Question, headers: Headers): Promise<unknown> {
    const { clock } = deps;
    const limit = new AbortController();
    const cancel = clock.after(TIMEOUT_MS, () => limit.abort());
    const { target, body } = question;
    const request = { target, headers: { ...headers, accept: "application/json" } };
    const outcome = await http.send(
      body === null ? { ...request, body: "", method: "GET" } : { ...request, body },
      limit.signal,
    );
    try {
      if (outcome.kind !== "answered") return undefined;
      const text = await outcome.response.text(MAX_LIST_LENGTH);
      return outcome.response.status === 200 ? parseJson(text) : undefined;
    } finally {
      cancel();
    }
  }

  async function ask(model: string, getHeaders: () => Promise<Headers>): Promise<void> {
    const headers = await getHeaders();
    let window: number | null = null;
    for (const question of questionsAbout(model, provider)) {
      window = question.windowIn(await read(question, headers));
      if (window !== null) break;
    }
    // A refusal that came meanwhile is about what is really there.
    if (window !== null && !known.has(model)) known.set(model, window);
    deps.log.debug("asked for a context window", { provider: provider.id, model, window });
  }

  return {
    of: (model) => known.get(model) ?? null,
    refusedAt(model, tokens) {
      if (known.size < MAX_MODELS || known.has(model)) known.set(model, tokens);
    },
    lookUp(model, getHeaders) {
      if (!provider.tellsWindow || asked.has(model) || asked.size >= MAX_MODELS) return;
      asked.add(model);
      inBackground(deps.log, "asking the provider for the window of a model", ask(model, getHeaders));
    },
  };
}

interface Question {
  readonly target: HttpTarget;
  readonly body: string | null;
  windowIn(answer: unknown): number | null;
}

/** Only a server without encryption is one of one's own, which has more to tell beside its API. */
function questionsAbout(model: string, provider: ProviderSettings): Question[] {
  const list = targetOf(provider, "models");
  if (list === null) return [];
  const inList = (answer: unknown) => windowInList(answer, model);
  const beside = (path: string, windowIn: Question["windowIn"], body: string | null = null) => ({
    target: toTarget(new URL(path, list.url)),
    body,
    windowIn,
  });
  const general = { target: list, body: null, windowIn: inList };
  if (list.url.protocol !== "http:") return [general];
  return [
    general,
    beside("/api/v0/models", inList),
    beside("/api/ps", inList),
    beside("/api/show", windowOfOllama, JSON.stringify({ model })),
  ];
}

/** What lists of models call the window, the truest first: as it is loaded, then as it could be. */
const NAMES = [
  "loaded_context_length",
  "max_model_len",
  "context_length",
  "context_window",
  "max_context_length",
  "max_input_tokens",
];

function windowInList(answer: unknown, model: string): number | null {
  if (!isObject(answer)) return null;
  const list: unknown = answer["data"] ?? answer["models"];
  const entries: unknown[] = Array.isArray(list) ? list : [];
  const entry = entries.find((each) => isObject(each) && (each["id"] ?? each["model"]) === model);
  if (!isObject(entry)) return null;
  return firstWindow(NAMES.map((name) => entry[name]));
}

/** The window that the model's file sets, or else the one that it was trained with. */
function windowOfOllama(answer: unknown): number | null {
  if (!isObject(answer)) return null;
  const set = /^num_ctx\s+(\d+)/m.exec(stringOf(answer["parameters"])?.slice(0, 10_000) ?? "")?.[1];
  const info = isObject(answer["model_info"]) ? answer["model_info"] : {};
  const trained = Object.entries(info).find(([name]) => name.endsWith(".context_length"))?.[1];
  return firstWindow([set === undefined ? null : Number(set), trained]);
}

function firstWindow(values: readonly unknown[]): number | null {
  return values.map(contextWindowOf).find((window) => window !== null) ?? null;
}
