import { resolve } from "node:path";
import { isRefusal } from "../../base/refusal.ts";
import { PROFILES } from "../../config/built-ins.ts";
import type { Layer } from "../../config/layer.ts";
import { namesProfile } from "../../config/permission-keys.ts";
import type { TrustLevel } from "../../config/project-trust.ts";
import type { ConfigValues } from "../../config/schema/config-schema.ts";
import { type ThreadSettings, workspaceRootsOf } from "../../engine/state/settings.ts";
import type { Thread } from "../../engine/thread-options.ts";
import { serviceTiersOf } from "../../model/catalog/model-info.ts";
import type {
  AskForApproval,
  ThreadStartParams,
  ThreadStartResponse,
} from "../../protocol/generated/types.ts";
import { refuseInvalid, type ThreadRefusal } from "../configuration/thread-refusal.ts";
import { chooseProfile, type PermissionChoice } from "./permission-profile.ts";
import { resolveWorkspace, withRoots } from "./workspace.ts";

export interface SettingsContext {
  readonly values: ConfigValues;
  /** The sources of the values, lowest precedence first. */
  readonly layers: readonly Layer[];
  readonly cwd: string;
  readonly modelProvider: string;
  readonly defaultModel: string;
  /** The user's trust in the folder. */
  readonly trustLevel: TrustLevel | undefined;
  /** Whether threads can use a machine. */
  readonly hasMachine: boolean;
}

/**
 * The settings of a new thread: params take precedence over the configuration, and that over safe defaults.
 */
export function resolveThreadSettings(
  params: ThreadStartParams,
  context: SettingsContext,
): ThreadSettings | ThreadRefusal {
  const { values } = context;
  const model = params.model ?? values.model ?? context.defaultModel;
  const workspace = resolveWorkspace(params, resolve(context.cwd, params.cwd ?? "."), context.hasMachine);
  if (isRefusal(workspace)) return workspace;
  const permissions = resolvePermissions(params, context);
  if (isRefusal(permissions)) return permissions;
  const { sandbox, permissionProfile } = permissions;
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

/** Service tiers that are valid for every model. */
const ALWAYS = ["default", "flex"];

/** The tier under the name of the provider; null if the model has no such tier. */
export function toServiceTier(wanted: string | null, model: string): string | null {
  const tier = wanted === "fast" ? "priority" : wanted;
  return tier === null || ALWAYS.includes(tier) || serviceTiersOf(model).includes(tier) ? tier : null;
}

function resolveApprovals(params: ThreadStartParams, { values, trustLevel }: SettingsContext) {
  // The schema has checked the granular form, but its type does not say so.
  const configured = values.approval_policy as AskForApproval | null;
  const usual = trustLevel === "untrusted" ? "untrusted" : "on-request";
  return {
    approvalPolicy: withEveryKind(params.approvalPolicy ?? configured ?? usual),
    approvalsReviewer: params.approvalsReviewer ?? values.approvals_reviewer ?? "user",
  };
}

/** A granular policy with all members, because clients expect those that they omitted. */
export function withEveryKind(policy: AskForApproval): AskForApproval {
  if (typeof policy === "string") return policy;
  return { granular: { skill_approval: false, request_permissions: false, ...policy.granular } };
}

/** A named profile or a mode; without either, a default that depends on the folder's trust. */
function resolvePermissions(
  params: ThreadStartParams,
  { values, layers, trustLevel }: SettingsContext,
): PermissionChoice | ThreadRefusal {
  const mode = params.sandbox ?? null;
  if (params.permissions != null) {
    if (mode !== null) return refuseInvalid("`permissions` cannot be combined with `sandbox`");
    return chooseProfile(params.permissions, values);
  }
  const chosen = mode ?? (namesProfile(layers) ? null : values.sandbox_mode);
  if (chosen !== null) {
    const choice = chooseProfile(PROFILES[chosen], values);
    return isRefusal(choice) ? choice : { ...choice, permissionProfile: null };
  }
  if (values.default_permissions !== null) return chooseProfile(values.default_permissions, values);
  // A folder without a trust decision of the user is safe for reading only.
  return chooseProfile(PROFILES[trustLevel === undefined ? "read-only" : "workspace-write"], values);
}

/** The settings of a thread in the responses of thread/start, resume and fork. */
export function describeSettings({
  settings,
  instructionSources,
}: Thread): Omit<ThreadStartResponse, "thread"> {
  return {
    model: settings.model,
    modelProvider: settings.modelProvider,
    serviceTier: settings.serviceTier,
    disabledPluginIds: [],
    cwd: settings.cwd,
    runtimeWorkspaceRoots: [...workspaceRootsOf(settings)],
    instructionSources: [...instructionSources],
    approvalPolicy: settings.approvalPolicy,
    approvalsReviewer: settings.approvalsReviewer,
    sandbox: settings.sandbox,
    activePermissionProfile: settings.permissionProfile,
    reasoningEffort: settings.effort,
    multiAgentMode: "explicitRequestOnly",
  };
}
