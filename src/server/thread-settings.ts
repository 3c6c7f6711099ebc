import { resolve } from "node:path";
import type { TrustLevel } from "../config/project-trust.ts";
import type { ConfigValues } from "../config/schema/config-schema.ts";
import type { ThreadSettings } from "../engine/settings.ts";
import { serviceTiersOf } from "../model/catalog/model-info.ts";
import type {
  AskForApproval,
  SandboxMode,
  SandboxPolicy,
  ThreadStartParams,
} from "../protocol/generated/types.ts";
import { invalidRequest } from "./handler.ts";
import { resolveWorkspace, withRoots } from "./workspace.ts";

export interface SettingsContext {
  readonly values: ConfigValues;
  readonly cwd: string;
  readonly modelProvider: string;
  readonly defaultModel: string;
  /** What the user has said about the folder. */
  readonly trustLevel: TrustLevel | undefined;
}

/** What a new thread runs with: its own params first, then the configuration, then what is safe. */
export function resolveThreadSettings(params: ThreadStartParams, context: SettingsContext): ThreadSettings {
  const { values } = context;
  const model = params.model ?? values.model ?? context.defaultModel;
  const workspace = resolveWorkspace(params, resolve(context.cwd, params.cwd ?? "."));
  const { sandbox, permissionProfile } = resolvePermissions(params, context);
  return {
    model,
    modelProvider: context.modelProvider,
    ...workspace,
    ...resolveApprovals(params, context),
    sandbox: withRoots(sandbox, workspace),
    permissionProfile,
    effort: values.model_reasoning_effort,
    summary: values.model_reasoning_summary,
    serviceTier: toServiceTier(
      params.serviceTier === undefined ? values.service_tier : (params.serviceTier ?? "default"),
      model,
    ),
    personality: params.personality ?? values.personality,
    mode: "default",
    modeInstructions: null,
    baseInstructions: params.baseInstructions ?? null,
    developerInstructions: params.developerInstructions ?? values.developer_instructions,
  };
}

/** A tier by the name that the provider knows; null where the model has no such tier. */
export function toServiceTier(wanted: string | null, model: string): string | null {
  const tier = wanted === "fast" ? "priority" : wanted;
  return tier === null || tier === "default" || serviceTiersOf(model).includes(tier) ? tier : null;
}

function resolveApprovals(params: ThreadStartParams, { values, trustLevel }: SettingsContext) {
  // The schema of the configuration has checked the granular form, whose type it does not spell out.
  const configured = values.approval_policy as AskForApproval | null;
  const usual = trustLevel === "untrusted" ? "untrusted" : "on-request";
  return {
    approvalPolicy: withEveryKind(params.approvalPolicy ?? configured ?? usual),
    approvalsReviewer: params.approvalsReviewer ?? values.approvals_reviewer ?? "user",
  };
}

/** Clients are told every kind of question of a granular policy, also those that they left out. */
export function withEveryKind(policy: AskForApproval): AskForApproval {
  if (typeof policy === "string") return policy;
  return { granular: { skill_approval: false, request_permissions: false, ...policy.granular } };
}

/** The built-in profiles, by their modes. */
export const PROFILES = {
  "read-only": ":read-only",
  "workspace-write": ":workspace",
  "danger-full-access": ":danger-full-access",
} as const;

/** A named profile, or a mode; without either, a mode that is right for the folder. */
function resolvePermissions(params: ThreadStartParams, { values, trustLevel }: SettingsContext) {
  const profile = params.permissions ?? null;
  if (profile === null) {
    const chosen = params.sandbox ?? values.sandbox_mode;
    // Of a folder that is known, the user has said who is asked; of another one, only reading is harmless.
    const mode = chosen ?? (trustLevel === undefined ? "read-only" : "workspace-write");
    return {
      sandbox: toSandboxPolicy(mode, values),
      permissionProfile: chosen === null ? PROFILES[mode] : null,
    };
  }
  if ((params.sandbox ?? null) !== null)
    throw invalidRequest("`permissions` cannot be combined with `sandbox`");
  return { sandbox: sandboxOfProfile(profile, values), permissionProfile: profile };
}

/** What a named profile allows. */
export function sandboxOfProfile(profile: string, values: ConfigValues): SandboxPolicy {
  return toSandboxPolicy(modeOf(profile), values);
}

function modeOf(profile: string): SandboxMode {
  const found = Object.entries(PROFILES).find(([, id]) => id === profile);
  if (found === undefined) throw invalidRequest(unknownProfile(profile));
  return found[0] as SandboxMode;
}

function unknownProfile(profile: string): string {
  return profile.startsWith(":")
    ? `failed to load configuration: default_permissions refers to unknown built-in profile \`${profile}\``
    : `permission profile \`${profile}\` is not supported by heddle`;
}

function toSandboxPolicy(mode: SandboxMode, { sandbox_workspace_write: write }: ConfigValues): SandboxPolicy {
  switch (mode) {
    case "danger-full-access":
      return { type: "dangerFullAccess" };
    case "read-only":
      return { type: "readOnly", networkAccess: false };
    case "workspace-write":
      return {
        type: "workspaceWrite",
        writableRoots: [...(write?.writable_roots ?? [])],
        networkAccess: write?.network_access ?? false,
        excludeTmpdirEnvVar: write?.exclude_tmpdir_env_var ?? false,
        excludeSlashTmp: write?.exclude_slash_tmp ?? false,
      };
  }
}
