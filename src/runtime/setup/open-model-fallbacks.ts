/** The models of `model_fallbacks`, for turns whose own model cannot answer. */
import { BUILT_IN_PROVIDERS } from "../../config/built-ins.ts";
import { type ModelProvider, resolveModelProvider } from "../../config/model-provider.ts";
import type { ConfigValues } from "../../config/schema/config-schema.ts";
import type { ThreadSettings } from "../../engine/state/settings.ts";
import type { ModelFallback } from "../../engine/turn/model-route.ts";
import { modelInfo, serviceTiersOf } from "../../model/catalog/model-info.ts";
import { type ModelFallbacks } from "./model-fallbacks.ts";
import { createInfoReader } from "./model-info-reader.ts";
import type { RuntimeDeps } from "./runtime-deps.ts";

/** Fallbacks of one thread; a turn tries each at most once, with all retries of its provider. */
export const MAX_FALLBACKS = 8;

interface KnownFallback {
  readonly provider: ModelProvider;
  readonly model: string;
}

type Deps = Pick<RuntimeDeps, "models" | "host">;

export function openModelFallbacks(
  values: ConfigValues,
  provider: ModelProvider,
  { models, host }: Deps,
): ModelFallbacks {
  const entries = values.model_fallbacks ?? [];
  const known: KnownFallback[] = [];
  const warnings: string[] = [];
  for (const entry of entries.slice(0, MAX_FALLBACKS)) {
    const found = findFallback(entry, { values, provider, env: host.env });
    if (typeof found === "string") warnings.push(`\`model_fallbacks\` leaves out \`${entry}\`: ${found}`);
    else known.push(found);
  }
  if (entries.length > MAX_FALLBACKS)
    warnings.push(`\`model_fallbacks\` has more than ${MAX_FALLBACKS} models: those after are left out`);
  return {
    warnings,
    of: (settings) =>
      known
        .filter(({ provider: { id }, model }) => id !== provider.id || model !== settings.model)
        .map((each) => toFallback(each, settings, { values, models })),
  };
}

interface Place {
  readonly values: ConfigValues;
  /** The provider of the thread. */
  readonly provider: ModelProvider;
  readonly env: Deps["host"]["env"];
}

/** The text before the first slash is a provider; names of models may have slashes of their own. Or why it is left out. */
function findFallback(entry: string, { values, provider: own, env }: Place): KnownFallback | string {
  const slash = entry.indexOf("/");
  const id = slash === -1 ? own.id : entry.slice(0, slash);
  const model = entry.slice(slash + 1).trim();
  if (model === "") return "it names no model";
  const resolved = id === own.id ? { ok: true as const, provider: own } : resolve(id, values, env);
  if (!resolved.ok) return resolved.message;
  const { provider } = resolved;
  if (provider.fault !== null) return provider.fault;
  return hasKnownModels(provider) && modelInfo(model).isFallback
    ? `the model provider \`${id}\` has no model \`${model}\` that is known; \`model/list\` lists those that are`
    : { provider, model };
}

function resolve(id: string, values: ConfigValues, env: Place["env"]) {
  const resolved = resolveModelProvider(values, { env, id });
  if (resolved.ok) return resolved;
  const ids = [...Object.keys(values.model_providers), ...BUILT_IN_PROVIDERS].join(", ");
  return { ok: false as const, message: `there is no model provider \`${id}\`; there are ${ids}` };
}

/** The catalog has the models of OpenAI and the demo model; those of other providers are known to them alone. */
function hasKnownModels({ id }: ModelProvider): boolean {
  return id === "openai" || id === "demo";
}

function toFallback(
  { provider, model: name }: KnownFallback,
  settings: ThreadSettings,
  { values, models }: { readonly values: ConfigValues; readonly models: Deps["models"] },
): ModelFallback {
  return {
    model: name,
    provider: provider.id,
    async open() {
      const model = await models.of(provider);
      // The configured sizes are those of the model that it replaces.
      const readInfo = createInfoReader(name, { verbosity: values.model_verbosity });
      return {
        settings: settingsFor(name, provider.id, settings),
        model,
        info: () => readInfo(model),
      };
    },
  };
}

/** A provider refuses efforts and tiers that its model does not have. */
function settingsFor(model: string, modelProvider: string, settings: ThreadSettings): ThreadSettings {
  const { defaultEffort } = modelInfo(model);
  const { effort, summary, serviceTier } = settings;
  return {
    ...settings,
    model,
    modelProvider,
    effort: defaultEffort === null ? null : effort,
    summary: defaultEffort === null ? null : summary,
    serviceTier: serviceTier !== null && serviceTiersOf(model).includes(serviceTier) ? serviceTier : null,
  };
}
