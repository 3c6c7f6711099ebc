// The effective configuration: layers merged, validated, with all defaults applied.
import { isSameList } from "../base/is-same-list.ts";
import { findProvider, PROFILES } from "./built-ins.ts";
import { absoluteOnly, type Layer } from "./layer.ts";
import { locateFault } from "./layer-loader.ts";
import { mergeTables } from "./merge-tables.ts";
import { type ConfigValues, checkTable, configSchema } from "./schema/config-schema.ts";
import type { ConfigFault } from "./toml/config-fault.ts";
import { isTable, type TomlJsonObject, type TomlTable, toJsonObject } from "./toml/toml-value.ts";

export interface EffectiveConfig {
  /** All layers, lowest first; disabled ones are listed and not merged. */
  readonly layers: readonly Layer[];
  readonly merged: TomlTable;
  /** The form of `config/read`. */
  readonly wire: TomlJsonObject;
  readonly values: ConfigValues;
}

export type Evaluated =
  | { readonly ok: true; readonly config: EffectiveConfig }
  | { readonly ok: false; readonly fault: ConfigFault };

export function enabledLayers(layers: readonly Layer[]): Layer[] {
  return layers.filter(({ disabledReason }) => disabledReason === undefined);
}

/** Paths in layers are already absolute. */
export function evaluate(layers: readonly Layer[]): Evaluated {
  const resolvePath = absoluteOnly;
  const merged = mergeTables(enabledLayers(layers).map(({ table }) => table));
  const checked = checkTable(configSchema, merged, { form: "values", resolvePath });
  if (!checked.ok) return checked;
  const values = toJsonObject(checked.node as TomlTable) as unknown as ConfigValues;
  return {
    ok: true,
    config: {
      layers,
      merged,
      values,
      get wire() {
        const shown = checkTable(configSchema, merged, { form: "wire", resolvePath });
        return shown.ok ? toJsonObject(shown.node as TomlTable) : {};
      },
    },
  };
}

/** How many layer stacks are cached: about one per project in use. */
const MAX_CACHED_STACKS = 16;

/** Validates each layer stack once; layers are the same objects while their files are unchanged. */
export function createEvaluator(): (layers: readonly Layer[]) => Evaluated {
  const known: { readonly layers: readonly Layer[]; readonly result: Evaluated }[] = [];
  return (layers) => {
    const found = known.find((entry) => isSameList(entry.layers, layers));
    if (found !== undefined) return found.result;
    const result = evaluate(layers);
    known.unshift({ layers, result });
    known.length = Math.min(known.length, MAX_CACHED_STACKS);
    return result;
  };
}

/** The same fault, located in the first file that has one of its own. */
export function blameLayer(layers: readonly Layer[], fault: ConfigFault): ConfigFault {
  const guilty = enabledLayers(layers).find((layer) => layer.fault !== undefined);
  return guilty?.fault === undefined ? fault : locateFault(guilty, guilty.fault);
}

/** A configuration that is well-formed but unusable. */
export function findContradiction({ merged, values }: EffectiveConfig): string | undefined {
  if (values.profile !== null) {
    const name = values.profile;
    return `legacy \`profile = "${name}"\` config is no longer supported; use \`--profile ${name}\` with \`${name}.config.toml\` instead`;
  }
  if (values.experimental_thread_store_endpoint !== null) {
    return "`experimental_thread_store_endpoint` is no longer supported; remove it from config.toml";
  }
  return findProvider(values) ?? findPermissions(merged);
}

const BUILT_IN_PROFILES: readonly string[] = Object.values(PROFILES);

function findPermissions(merged: TomlTable): string | undefined {
  const { permissions, default_permissions: chosen } = merged;
  const defined = isTable(permissions) ? Object.keys(permissions) : [];
  if (typeof chosen !== "string") {
    return defined.length === 0
      ? undefined
      : "config defines `[permissions]` profiles but does not set `default_permissions`";
  }
  if (BUILT_IN_PROFILES.includes(chosen) || defined.includes(chosen)) return undefined;
  if (chosen.startsWith(":")) return `default_permissions refers to unknown built-in profile \`${chosen}\``;
  if (permissions === undefined) return "default_permissions requires a `[permissions]` table";
  return `default_permissions refers to undefined profile \`${chosen}\``;
}
