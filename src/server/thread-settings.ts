import { resolve } from "node:path";
import type { ConfigValues } from "../config/schema/config-schema.ts";
import type { ThreadSettings } from "../engine/settings.ts";
import type {
  AskForApproval,
  SandboxMode,
  SandboxPolicy,
  ThreadStartParams,
} from "../protocol/generated/types.ts";
import { invalidRequest } from "./handler.ts";

export interface SettingsContext {
  readonly values: ConfigValues;
  readonly cwd: string;
  readonly modelProvider: string;
  readonly defaultModel: string;
  /** What the user has said about the folder; only a trusted one may be written to unasked. */
  readonly trusted: boolean;
}

/** What a new thread runs with: its own params first, then the configuration, then what is safe. */
export function resolveThreadSettings(params: ThreadStartParams, context: SettingsContext): ThreadSettings {
  const { values } = context;
  return {
    model: params.model ?? values.model ?? context.defaultModel,
    modelProvider: context.modelProvider,
    cwd: resolve(context.cwd, params.cwd ?? "."),
    ...resolveApprovals(params, values),
    ...resolvePermissions(params, context),
    effort: values.model_reasoning_effort,
    summary: values.model_reasoning_summary,
    serviceTier: params.serviceTier ?? values.service_tier,
    personality: params.personality ?? values.personality,
    mode: "default",
    modeInstructions: null,
    baseInstructions: params.baseInstructions ?? null,
    developerInstructions: params.developerInstructions ?? values.developer_instructions,
  };
}

function resolveApprovals(params: ThreadStartParams, values: ConfigValues) {
  // The schema of the configuration has checked the granular form, whose type it does not spell out.
  const configured = values.approval_policy as AskForApproval | null;
  return {
    approvalPolicy: withEveryKind(params.approvalPolicy ?? configured ?? "on-request"),
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
function resolvePermissions(params: ThreadStartParams, { values, trusted }: SettingsContext) {
  const profile = params.permissions ?? null;
  if (profile === null) {
    const chosen = params.sandbox ?? values.sandbox_mode;
    const mode = chosen ?? (trusted ? "workspace-write" : "read-only");
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
