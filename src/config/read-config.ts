/** The response to `config/read`: the values, with the origin layer of each. */
import path from "node:path";
import type {
  Config,
  ConfigLayerMetadata,
  ConfigReadParams,
  ConfigReadResponse,
} from "../protocol/generated/types.ts";
import { type ConfigContext, featuresOf, loadAll } from "./config-context.ts";
import { type ConfigResult, configFailure } from "./config-error.ts";
import { enabledLayers, findContradiction } from "./effective-config.ts";
import { type Layer, layerMetadata } from "./layer.ts";
import { normalize } from "./merge-tables.ts";
import { applyExact, exactRequirement } from "./requirements.ts";
import { describeFeatures, type FeatureValues } from "./schema/features.ts";
import { describeInTable } from "./toml/config-fault.ts";
import { isTable, type TomlValue, toJsonObject } from "./toml/toml-value.ts";

/** `layers` is absent unless requested, and so is the reason of a layer in use. */
export type ConfigReadResult = Omit<ConfigReadResponse, "layers"> & { layers?: ListedLayer[] };

export type ListedLayer = ConfigLayerMetadata & { config: unknown; disabledReason?: string };

export async function readConfig(
  context: ConfigContext,
  params: ConfigReadParams,
): Promise<ConfigResult<ConfigReadResult>> {
  const cwd = typeof params.cwd === "string" ? path.resolve(context.cwd, params.cwd) : undefined;
  const loaded = await loadAll(context, { cwd });
  if (!loaded.ok) return configFailure(`failed to read configuration layers: ${loaded.error.message}`);
  const { layers, requirements } = loaded.value;
  const evaluated = context.evaluate(layers);
  if (!evaluated.ok) return configFailure(`invalid configuration: ${describeInTable(evaluated.fault)}`);
  const { wire, values } = evaluated.config;
  const contradiction = findContradiction(evaluated.config);
  if (contradiction !== undefined) {
    return configFailure(`failed to resolve feature override precedence: ${contradiction}`);
  }
  const listed = wire["features"] as FeatureValues | null;
  const features = describeFeatures(listed, featuresOf(context, values, requirements));
  const origins = [...originsOf(enabledLayers(layers))].filter(
    ([keys]) => exactRequirement(requirements, keys.split(".")) === undefined,
  );
  const result: ConfigReadResult = {
    config: { ...applyExact(requirements?.shown, wire), features } as unknown as Config,
    origins: Object.fromEntries(origins),
  };
  const isAsked = params.includeLayers === true;
  return { ok: true, value: isAsked ? { ...result, layers: layers.map(listLayer).reverse() } : result };
}

function listLayer({ source, version, shown, disabledReason }: Layer): ListedLayer {
  const layer = { name: source, version, config: toJsonObject(shown) };
  return disabledReason === undefined ? layer : { ...layer, disabledReason };
}

/** Keys are joined with dots, list items by index; later layers override earlier ones. */
export function originsOf(layers: Iterable<Layer>): Map<string, ConfigLayerMetadata> {
  const origins = new Map<string, ConfigLayerMetadata>();
  for (const layer of layers) {
    const metadata = layerMetadata(layer);
    for (const path of leaves(normalize(layer.table, []), [])) origins.set(path.join("."), metadata);
  }
  return origins;
}

function* leaves(value: TomlValue, path: readonly string[]): Generator<readonly string[]> {
  if (isTable(value) || Array.isArray(value)) {
    for (const [key, item] of Object.entries(value)) yield* leaves(item, [...path, key]);
  } else if (
    typeof value === "boolean" &&
    path.length === 2 &&
    path.join(".") === "features.multi_agent_v2"
  ) {
    yield [...path, "enabled"];
  } else {
    yield path;
  }
}
