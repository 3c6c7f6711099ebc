import type { ModelProvider } from "../config/model-provider.ts";
import type { Model } from "../model/model.ts";
import type { ModelDeps, ProviderSettings } from "../model/provider-settings.ts";

/** The models in use, one for each provider, so that threads share its connections. */
export interface ProviderModels {
  of(provider: ModelProvider): Promise<Model>;
  close(): void;
}

export function createProviderModels(deps: ModelDeps): ProviderModels {
  const open = new Map<string, Model>();
  return {
    async of(provider) {
      const settings = toSettings(provider);
      const key = JSON.stringify(settings);
      const { openModel } = await import("../model/open-model.ts");
      const model = open.get(key) ?? openModel(settings, deps);
      open.set(key, model);
      return model;
    },
    close() {
      for (const model of open.values()) model.close();
    },
  };
}

function toSettings(provider: ModelProvider): ProviderSettings {
  const { id, name, headers, queryParams, requestMaxRetries, streamMaxRetries, streamIdleTimeoutMs } =
    provider;
  return {
    id,
    name,
    baseUrl: provider.baseUrl ?? "",
    wireApi: provider.baseUrl === null ? "demo" : provider.wireApi,
    bearerToken: provider.apiKey,
    headers,
    queryParams,
    requestMaxRetries,
    streamMaxRetries,
    streamIdleTimeoutMs,
    waitsForNetwork: true,
    fault:
      provider.tokenCommand === null
        ? provider.fault
        : `the token command of model provider ${id} is not supported; set env_key instead`,
  };
}
