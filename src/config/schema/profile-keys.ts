// The legacy `[profiles.<name>]` tables: still read and shown, no longer chosen or written.

import { clientKeys } from "./client-keys.ts";
import { features } from "./features.ts";
import { choice, filePath, flag, later, listOf, mapOf, text } from "./kind.ts";
import { modelKeys } from "./model-keys.ts";
import { safetyKeys } from "./safety-keys.ts";
import { optional, table } from "./table.ts";
import { toolKeys } from "./tool-keys.ts";

const path = filePath();

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

export const profileKeys = {
  profile: optional(text(), "Refused: profiles are files of their own now, chosen with --profile."),
  profiles: { ...optional(mapOf(legacyProfile), "Legacy profiles by name."), fallback: {} },
};
