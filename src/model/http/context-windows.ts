/**
 * Context windows as reported by a provider: in its model list, in the model details of self-hosted servers, and in its
 * overflow errors. Lookups run once per model in the background and never delay a request; on any error the window stays
 * unknown.
 */
import { isObject } from "../../base/json-object.ts";
import { inBackground } from "../../base/tasks.ts";
import { contextWindowOf, parseJson, stringOf } from "../provider-input.ts";
import type { ModelDeps, ProviderSettings } from "../provider-settings.ts";
import { type HttpClient, type HttpRequest, type HttpTarget, toTarget } from "./http-client.ts";
import { targetOf } from "./to-http-request.ts";

type Headers = HttpRequest["headers"];

export interface ContextWindows {
  /** In tokens; null if unknown. */
  of(model: string): number | null;
  /** Records the window that the provider named when it rejected a longer request. */
  recordLimit(model: string, tokens: number): void;
  /** Queries the provider, once per model. */
  lookUp(model: string, headers: () => Promise<Headers>): void;
}

interface Options {
  readonly provider: ProviderSettings;
  readonly http: Pick<HttpClient, "send">;
  readonly deps: Pick<ModelDeps, "clock" | "log">;
}

const TIMEOUT_MS = 5_000;
/** The longest model lists have a few hundred entries of a few thousand characters. */
const MAX_LIST_LENGTH = 8 * 1024 * 1024;
/** The number of cached models per provider; clients may name arbitrary ones. */
const MAX_MODELS = 256;

export function createContextWindows({ provider, http, deps }: Options): ContextWindows {
  const cached = new Map<string, number>();
  const requested = new Set<string>();

  async function read(windowQuery: WindowQuery, headers: Headers): Promise<unknown> {
    const { clock } = deps;
    const timeout = new AbortController();
    const cancel = clock.after(TIMEOUT_MS, () => timeout.abort());
    const { target, body } = windowQuery;
    const request = { target, headers: { ...headers, accept: "application/json" } };
    const outcome = await http.send(
      body === null ? { ...request, body: [], method: "GET" } : { ...request, body: [body] },
      timeout.signal,
    );
    try {
      if (outcome.kind !== "answered") return undefined;
      const text = await outcome.response.text(MAX_LIST_LENGTH);
      return outcome.response.status === 200 ? parseJson(text) : undefined;
    } finally {
      cancel();
    }
  }

  async function query(model: string, getHeaders: () => Promise<Headers>): Promise<void> {
    const headers = await getHeaders();
    let window: number | null = null;
    for (const windowQuery of queriesFor(model, provider)) {
      window = windowQuery.windowIn(await read(windowQuery, headers));
      if (window !== null) break;
    }
    // A limit from a rejected request is more reliable than the list.
    if (window !== null && !cached.has(model)) cached.set(model, window);
    deps.log.debug("asked for a context window", { provider: provider.id, model, window });
  }

  return {
    of: (model) => cached.get(model) ?? null,
    recordLimit(model, tokens) {
      if (cached.size < MAX_MODELS || cached.has(model)) cached.set(model, tokens);
    },
    lookUp(model, getHeaders) {
      if (!provider.reportsContextWindow || requested.has(model) || requested.size >= MAX_MODELS) return;
      requested.add(model);
      inBackground(deps.log, "asking the provider for the window of a model", query(model, getHeaders));
    },
  };
}

interface WindowQuery {
  readonly target: HttpTarget;
  readonly body: string | null;
  windowIn(answer: unknown): number | null;
}

/** Only a plain HTTP server is self-hosted and may have further endpoints beside its API. */
function queriesFor(model: string, provider: ProviderSettings): WindowQuery[] {
  const list = targetOf(provider, "models");
  if (list === null) return [];
  const inList = (answer: unknown) => windowInList(answer, model);
  const beside = (path: string, windowIn: WindowQuery["windowIn"], body: string | null = null) => ({
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

/** Field names of the window in model lists, the most accurate first: the loaded size, then the maximum. */
const WINDOW_FIELDS = [
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
  return firstWindow(WINDOW_FIELDS.map((name) => entry[name]));
}

/** The window from the Modelfile, or else the trained one. */
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
