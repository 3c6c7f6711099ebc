import type { Environment } from "../../base/environment.ts";
import type { Effective } from "../../config/get-effective.ts";
import { type ModelProvider, resolveModelProvider } from "../../config/model-provider.ts";
import { type Catalog, createCatalog, defaultModel } from "../../model/catalog/catalog.ts";
import { refuse } from "../configuration/refusal.ts";

/** Which provider and model the configuration amounts to. */
export interface ProviderChoice {
  readonly provider: ModelProvider;
  /** The demo model is listed only where it is what answers. */
  readonly catalog: Catalog;
  /** The model of a thread for which nobody chose one. */
  readonly model: string;
}

/** `wanted` is a provider that a thread asks for instead of the configured one. */
export function chooseProvider(
  { values }: Effective,
  env: Environment,
  wanted: string | null = null,
): ProviderChoice {
  const resolved = resolveModelProvider(values, { env, id: wanted });
  if (!resolved.ok) throw refuse(`failed to load configuration: ${resolved.message}`);
  const { provider } = resolved;
  const catalog = createCatalog({ withDemo: provider.baseUrl === null });
  return { provider, catalog, model: values.model ?? defaultModel(catalog) };
}
