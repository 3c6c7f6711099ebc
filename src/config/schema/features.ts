// The `[features]` table: flags by name, some of which may be a table with settings.
import { isTable, type TomlValue } from "../toml/toml-value.ts";
import { FEATURE_ALIASES, FEATURES } from "./feature-table.ts";
import {
  type ConfigNode,
  fail,
  type Kind,
  type NodeTable,
  type Path,
  type SchemaReading,
  wrongType,
} from "./kind.ts";

export type FeatureValues = Readonly<Record<string, unknown>>;

/** Flags that may be written as a table; its contents belong to the feature. */
const WITH_TABLE = new Set([
  "sleep_tool",
  "code_mode",
  "code_mode_host",
  "network_proxy",
  "multi_agent_v2",
  "non_prefixed_mcp_tool_names",
  "guardianv2",
  "guardianv3",
  "token_budget",
  "context_management",
  "current_time_reminder",
  "async_compaction",
  "runtime_agent_instances",
  "apps_mcp_path_override",
  "rollout_budget",
]);

/** Settings in the table that are not flags. */
const TABLE_ONLY = "tool_registry";

/** Flags that can be set at run time; `config/read` always includes their state. */
export const SETTABLE_FEATURES: readonly string[] = [
  "api_key_cyber_access_programs",
  "api_key_model_discovery",
  "auth_elicitation",
  "background_paginated_rollout_migration",
  "codex_apps_mcp_2026_07_28",
  "mcp_2026_07_28",
  "mcp_connection_sharing",
  "memories",
  "mentions_v2",
  "remote_control",
  "remote_plugin",
  "tool_suggest",
  "windows_sandbox_service",
];

export function isKnownFeature(name: string): boolean {
  return (
    name === TABLE_ONLY || Object.hasOwn(FEATURE_ALIASES, name) || FEATURES.some(([known]) => known === name)
  );
}

export const features: Kind<FeatureValues> = {
  label: "table of boolean",
  decode(value, path, reading) {
    if (!isTable(value)) return fail(reading, path, wrongType(value, "struct FeaturesToml"));
    const result = Object.create(null) as NodeTable;
    for (const [name, item] of Object.entries(value)) {
      const node = decodeFeature(name, item, path, reading);
      if (node === undefined) return undefined;
      if (!isKnownFeature(name)) reading.unknownKeys.push([...path, name]);
      if (name !== "apps_mcp_path_override" || reading.form === "values") result[name] = node;
    }
    result["network_proxy"] ??= null;
    return result;
  },
};

function decodeFeature(
  name: string,
  value: TomlValue,
  path: Path,
  reading: SchemaReading,
): ConfigNode | undefined {
  const at = [...path, name];
  if (name === TABLE_ONLY) {
    return isTable(value) ? value : fail(reading, at, wrongType(value, "struct ToolRegistryConfigToml"));
  }
  if (typeof value === "boolean") return value;
  if (!WITH_TABLE.has(name)) return fail(reading, path, wrongType(value, "a boolean"));
  if (isTable(value)) return value;
  return fail(reading, at, "data did not match any variant of untagged enum FeatureToml");
}

/** The state of every flag: its default, overridden by the configuration, overridden at run time. */
export function featureStates(
  configured: FeatureValues | null,
  running: ReadonlyMap<string, boolean>,
): Map<string, boolean> {
  const states = new Map<string, boolean>(FEATURES.map(([name, , enabled]) => [name, enabled]));
  const set = (name: string, enabled: boolean) => {
    if (states.has(name)) states.set(name, enabled);
  };
  const configuredNames = new Set(
    Object.keys(configured ?? {}).filter((name) => configured?.[name] !== null),
  );
  for (const [name, enabled] of running) if (!configuredNames.has(name)) set(name, enabled);
  for (const name of configuredNames) set(FEATURE_ALIASES[name] ?? name, isOn(configured?.[name]));
  // The flag no longer has an effect, whatever a file sets.
  set("remote_control", false);
  return states;
}

function isOn(value: unknown): boolean {
  return (
    value === true ||
    (typeof value === "object" && value !== null && "enabled" in value && value.enabled === true)
  );
}

/** The `features` member of `config/read`. */
export function describeFeatures(
  listed: FeatureValues | null,
  states: ReadonlyMap<string, boolean>,
): FeatureValues {
  const settable = SETTABLE_FEATURES.map((name) => [name, states.get(name) ?? false] as const);
  return { ...listed, ...Object.fromEntries(settable) };
}
