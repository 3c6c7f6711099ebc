/**
 * All keys of config.toml. Validation, `config/read` and the reference documentation derive from this table.
 */
import type { ConfigFault } from "../toml/config-fault.ts";
import type { TomlTable, TomlValue } from "../toml/toml-value.ts";
import { clientKeys } from "./client-keys.ts";
import { features } from "./features.ts";
import { heddleKeys } from "./heddle-keys.ts";
import {
  choice,
  filePath,
  flag,
  type Kind,
  later,
  listOf,
  mapOf,
  type NodeTable,
  type Path,
  type SchemaReading,
  text,
  type ValueOf,
} from "./kind.ts";
import { lifecycleKeys } from "./lifecycle-keys.ts";
import { modelKeys } from "./model-keys.ts";
import { otelKeys } from "./otel-keys.ts";
import { safetyKeys } from "./safety-keys.ts";
import { optional, table } from "./table.ts";
import { toolKeys } from "./tool-keys.ts";

const path = filePath();

/** A legacy `[profiles.<name>]` table: read and shown, but neither selected nor written. */
const legacyProfile = later(() =>
  table("ConfigProfile", {
    model: modelKeys.model,
    service_tier: modelKeys.service_tier,
    model_provider: modelKeys.model_provider,
    approval_policy: safetyKeys.approval_policy,
    approvals_reviewer: safetyKeys.approvals_reviewer,
    sandbox_mode: safetyKeys.sandbox_mode,
    model_reasoning_effort: modelKeys.model_reasoning_effort,
    plan_mode_reasoning_effort: modelKeys.plan_mode_reasoning_effort,
    model_reasoning_summary: modelKeys.model_reasoning_summary,
    model_verbosity: modelKeys.model_verbosity,
    model_catalog_json: optional(path, "As at the top."),
    personality: modelKeys.personality,
    chatgpt_base_url: optional(text(), "As at the top."),
    model_instructions_file: optional(path, "As at the top."),
    js_repl_node_path: optional(path, "Without effect."),
    js_repl_node_module_dirs: optional(listOf(path), "Without effect."),
    experimental_compact_prompt_file: optional(path, "As at the top."),
    include_permissions_instructions: optional(flag(), "As at the top."),
    include_apps_instructions: optional(flag(), "As at the top."),
    include_collaboration_mode_instructions: optional(flag(), "As at the top."),
    include_environment_context: optional(flag(), "As at the top."),
    include_environment_context_time: optional(flag(), "As at the top."),
    experimental_use_unified_exec_tool: optional(flag(), "As at the top."),
    tools: toolKeys.tools,
    web_search: optional(choice(["disabled", "cached", "indexed", "live"]), "As at the top."),
    analytics: clientKeys.analytics,
    tui: clientKeys.tui,
    windows: safetyKeys.windows,
    features: optional(features, "As at the top."),
    oss_provider: optional(text(), "As at the top."),
  }),
);

const profileKeys = {
  profile: optional(text(), "Refused: profiles are files of their own now, chosen with --profile."),
  profiles: { ...optional(mapOf(legacyProfile), "Legacy profiles by name."), fallback: {} },
};

export const configSchema = table("ConfigToml", {
  ...modelKeys,
  ...safetyKeys,
  ...toolKeys,
  ...lifecycleKeys,
  ...clientKeys,
  ...otelKeys,
  ...profileKeys,
  features: optional(features, "Feature flags by name."),
  ...heddleKeys,
});

/** The effective configuration in JSON form, with all defaults applied. */
export type ConfigValues = ValueOf<typeof configSchema>;

export type CheckedConfig =
  | { ok: true; node: NodeTable; unknownKeys: Path[] }
  | { ok: false; fault: ConfigFault };

interface CheckOptions {
  readonly form: SchemaReading["form"];
  readonly resolvePath: SchemaReading["resolvePath"];
}

export function checkTable(
  kind: Kind<unknown>,
  document: TomlTable,
  { form, resolvePath }: CheckOptions,
): CheckedConfig {
  const reading: SchemaReading = { form, resolvePath, faults: [], unknownKeys: [] };
  const node = kind.decode(document as TomlValue, [], reading);
  const [fault] = reading.faults;
  if (fault !== undefined || node === undefined) {
    return { ok: false, fault: fault ?? { message: "invalid configuration" } };
  }
  return { ok: true, node: node as NodeTable, unknownKeys: reading.unknownKeys };
}
