// Tells for every single value which layer it comes from.
import type { ConfigLayerMetadata } from "../protocol/generated/types.ts";
import { type Layer, layerMetadata } from "./layer.ts";
import { normalize } from "./merge-tables.ts";
import { isTable, type TomlValue } from "./toml-value.ts";

/** Keys are joined with dots, list items by their number; later layers replace earlier ones. */
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
