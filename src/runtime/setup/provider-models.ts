import type { Environment } from "../../base/environment.ts";
import { isRefusal } from "../../base/refusal.ts";
import type { Effective } from "../../config/get-effective.ts";
import { isLocalProvider, type ModelProvider, resolveModelProvider } from "../../config/model-provider.ts";
import { defaultModel } from "../../model/catalog/catalog.ts";
import { type CustomModel, openCustomModel } from "../../model/custom/custom-model.ts";
import type { Model } from "../../model/model.ts";
import type { ModelDeps, ProviderSettings } from "../../model/provider-settings.ts";
import { findSandboxWritableFile, type SandboxWritablePaths } from "../../sandbox/writable-paths.ts";
import type { ConfigSource } from "../configuration/config-source.ts";
import { configOutcome, refuseInvalid, type ThreadRefusal } from "../configuration/thread-refusal.ts";

/** Bounded, because provider settings that a client overrides for one thread open a model of their own. */
export const MAX_OPEN_MODELS = 64;

/** Open models, one per provider, so that threads share connections. */
export interface ProviderModels {
  of(provider: ModelProvider): Promise<Model>;
  close(): void;
}

/** `own` is a model of the embedding program; it replaces every provider. */
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
      // The first is the least recently used. A thread that still uses it opens new connections.
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
  readonly writablePaths: Pick<SandboxWritablePaths, "contains">;
}

/** Refuses token programs that a sandboxed command could have written. */
export function createProgramCheck({
  env,
  cwd,
  writablePaths,
}: ProgramCheckOptions): ModelDeps["refuseProgram"] {
  return (argv, folder) => {
    const place = { cwd: folder ?? cwd, path: env["PATH"], isSandboxWritable: writablePaths.contains };
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
    // The OpenAI API at another address is usually a gateway, which has no list of models.
    reportsContextWindow: provider.wireApi !== "responses" || isLocalProvider(id),
    fault: provider.fault,
  };
}

/** The provider and model that the configuration selects. */
export interface ProviderChoice {
  readonly provider: ModelProvider;
  /** The default model. */
  readonly model: string;
}

/** `wanted` is the provider that a thread requests instead of the configured one. */
export function chooseProvider(
  { values }: Effective,
  env: Environment,
  wanted: string | null = null,
): ProviderChoice | ThreadRefusal {
  const resolved = resolveModelProvider(values, { env, id: wanted });
  if (!resolved.ok) return refuseInvalid(`failed to load configuration: ${resolved.message}`);
  const { provider } = resolved;
  return { provider, model: values.model ?? defaultModel({ isDemo: provider.baseUrl === null }) };
}

/** The provider and model of a thread without overrides. */
export async function readDefaultProvider(
  config: Pick<ConfigSource, "get">,
  env: Environment,
): Promise<ProviderChoice | ThreadRefusal> {
  const effective = configOutcome(await (await config.get()).effective());
  return isRefusal(effective) ? effective : chooseProvider(effective, env);
}
