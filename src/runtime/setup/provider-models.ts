import type { Environment } from "../../base/environment.ts";
import { isRefusal } from "../../base/refusal.ts";
import type { Effective } from "../../config/get-effective.ts";
import { isLocalProvider, type ModelProvider, resolveModelProvider } from "../../config/model-provider.ts";
import { createModelCatalog, defaultModel, type ModelCatalog } from "../../model/catalog/catalog.ts";
import { type CustomModel, openCustomModel } from "../../model/custom/custom-model.ts";
import type { Model } from "../../model/model.ts";
import type { ModelDeps, ProviderSettings } from "../../model/provider-settings.ts";
import { findSandboxWritableFile, type SandboxWritablePaths } from "../../sandbox/writable-paths.ts";
import type { ConfigSource } from "../configuration/config-source.ts";
import { configOutcome, refuse, type ThreadRefusal } from "../configuration/thread-refusal.ts";

/** How many are kept open; settings that a client gives for one thread make one each. */
export const MAX_OPEN_MODELS = 64;

/** The models in use, one for each provider, so that threads share its connections. */
export interface ProviderModels {
  of(provider: ModelProvider): Promise<Model>;
  close(): void;
}

/** A model of the embedding program's own answers in the place of every provider. */
export function createProviderModels(deps: ModelDeps, own?: CustomModel): ProviderModels {
  if (own !== undefined) return ownModels(own);
  const open = new Map<string, Model>();
  return {
    async of(provider) {
      const settings = toSettings(provider);
      const key = JSON.stringify(settings);
      const { openModel } = await import("../../model/providers/open-model.ts");
      const model = open.get(key) ?? openModel(settings, deps);
      open.delete(key);
      open.set(key, model);
      // The first is the least recently used; a thread that still uses it opens new connections.
      const [oldest] = open;
      if (open.size > MAX_OPEN_MODELS && oldest !== undefined) {
        open.delete(oldest[0]);
        oldest[1].close();
      }
      return model;
    },
    close() {
      for (const model of open.values()) model.close();
    },
  };
}

function ownModels(own: CustomModel): ProviderModels {
  const model = openCustomModel(own);
  return { of: async () => model, close: () => model.close() };
}

export interface ProgramCheckOptions {
  readonly env: Environment;
  readonly cwd: string;
  readonly places: Pick<SandboxWritablePaths, "contains">;
}

/** Keeps programs that print tokens from being run where a confined command could have written them. */
export function createProgramCheck({ env, cwd, places }: ProgramCheckOptions): ModelDeps["refuseProgram"] {
  return (argv, folder) => {
    const place = { cwd: folder ?? cwd, path: env["PATH"], isSandboxWritable: places.contains };
    const written = findSandboxWritableFile(argv, place);
    return written === null ? null : `${written} lies where sandboxed commands can write: move it elsewhere`;
  };
}

export function toSettings(provider: ModelProvider): ProviderSettings {
  const { id, name, headers, queryParams, requestMaxRetries, streamMaxRetries, streamIdleTimeoutMs } =
    provider;
  return {
    id,
    name,
    baseUrl: provider.baseUrl ?? "",
    wireApi: provider.baseUrl === null ? "demo" : provider.wireApi,
    bearerToken: provider.apiKey,
    tokenCommand: provider.tokenCommand,
    headers,
    queryParams,
    requestMaxRetries,
    streamMaxRetries,
    streamIdleTimeoutMs,
    waitsForNetwork: true,
    isOpenai: provider.requiresOpenaiAuth,
    // A provider of OpenAI's own API at another address is most often a gateway, which has no list of models.
    reportsContextWindow: provider.wireApi !== "responses" || isLocalProvider(id),
    fault: provider.fault,
  };
}

/** Which provider and model the configuration amounts to. */
export interface ProviderChoice {
  readonly provider: ModelProvider;
  /** The models that can answer. */
  readonly catalog: ModelCatalog;
  /** The default model. */
  readonly model: string;
}

/** `wanted` is a provider that a thread asks for instead of the configured one. */
export function chooseProvider(
  { values }: Effective,
  env: Environment,
  wanted: string | null = null,
): ProviderChoice | ThreadRefusal {
  const resolved = resolveModelProvider(values, { env, id: wanted });
  if (!resolved.ok) return refuse(`failed to load configuration: ${resolved.message}`);
  const { provider } = resolved;
  const catalog = createModelCatalog({ isDemo: provider.baseUrl === null });
  return { provider, catalog, model: values.model ?? defaultModel(catalog) };
}

/** The provider and model of a thread without overrides. */
export async function readDefaultProvider(
  config: Pick<ConfigSource, "get">,
  env: Environment,
): Promise<ProviderChoice | ThreadRefusal> {
  const effective = configOutcome(await (await config.get()).effective());
  return isRefusal(effective) ? effective : chooseProvider(effective, env);
}
