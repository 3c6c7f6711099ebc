import { resolve } from "node:path";
import type { ConfigValues } from "../../config/schema/config-schema.ts";
import { modePreset } from "../../engine/context/instructions.ts";
import type { SettingsChange, ThreadSettings } from "../../engine/state/settings.ts";
import type {
  SandboxPolicy,
  ThreadSettingsUpdateParams,
  TurnStartParams,
} from "../../protocol/generated/types.ts";
import { refuse } from "../configuration/refusal.ts";
import { requireResponsiveMount } from "../machine/mount-check.ts";
import { chooseProfile } from "./permission-profile.ts";
import { toServiceTier, withEveryKind } from "./thread-settings.ts";
import { resolveWorkspace, withoutRoots, withRoots } from "./workspace.ts";

type Overrides = Pick<
  TurnStartParams & ThreadSettingsUpdateParams,
  | "cwd"
  | "environments"
  | "runtimeWorkspaceRoots"
  | "approvalPolicy"
  | "approvalsReviewer"
  | "sandboxPolicy"
  | "permissions"
  | "model"
  | "serviceTier"
  | "effort"
  | "summary"
  | "personality"
  | "collaborationMode"
>;

export interface ChangeContext {
  readonly readValues: () => Promise<ConfigValues>;
  /** Whether there is a machine that threads can work on. */
  readonly hasMachine: boolean;
}

/** What a client wants to be different from now on. Members that are null or absent stay as they are. */
export async function resolveSettingsChange(
  overrides: Overrides,
  settings: ThreadSettings,
  { readValues, hasMachine }: ChangeContext,
): Promise<SettingsChange> {
  const { approvalPolicy, approvalsReviewer, summary, personality } = overrides;
  if (overrides.cwd != null) await requireResponsiveMount(resolve(settings.cwd, overrides.cwd));
  const model = resolveModel(overrides);
  const permissions = await resolvePermissions(overrides, readValues);
  return {
    ...(approvalPolicy == null ? {} : { approvalPolicy: withEveryKind(approvalPolicy) }),
    ...(approvalsReviewer == null ? {} : { approvalsReviewer }),
    ...(summary == null ? {} : { summary }),
    ...(personality == null ? {} : { personality }),
    ...(overrides.serviceTier === undefined
      ? {}
      : { serviceTier: toServiceTier(overrides.serviceTier ?? "default", model.model ?? settings.model) }),
    ...model,
    ...permissions,
    ...moveTo(overrides, settings, permissions.sandbox, hasMachine),
  };
}

/** Another workspace; a sandbox lets go of the folders of the old one. */
function moveTo(
  overrides: Overrides,
  settings: ThreadSettings,
  wanted: SandboxPolicy | undefined,
  hasMachine: boolean,
): SettingsChange {
  // A thread that is told of another machine's folder alone goes along with it.
  const cwd = resolve(settings.cwd, overrides.cwd ?? overrides.environments?.[0]?.cwd ?? ".");
  const runtimeWorkspaceRoots = overrides.runtimeWorkspaceRoots ?? rootsAt(cwd, overrides, settings);
  if (overrides.environments == null && runtimeWorkspaceRoots == null) {
    const sandbox = wanted === undefined ? {} : { sandbox: withRoots(wanted, settings) };
    return { ...(overrides.cwd == null ? {} : { cwd }), ...sandbox };
  }
  const workspace = resolveWorkspace({ ...overrides, runtimeWorkspaceRoots }, cwd, hasMachine);
  const sandbox = withRoots(wanted ?? withoutRoots(settings.sandbox, settings), workspace);
  return { ...workspace, ...(sandbox.type === "workspaceWrite" ? { sandbox } : {}) };
}

/** A thread that is sent to another folder leaves that of its machine; its other folders stay. */
function rootsAt(cwd: string, overrides: Overrides, { machineCwd, workspaceRoots }: ThreadSettings) {
  if (overrides.cwd == null || machineCwd === null) return null;
  return (workspaceRoots ?? []).map((root) => (root === machineCwd ? cwd : root));
}

/** A mode brings its own model and effort, which win over those beside it. */
function resolveModel({ model, effort, collaborationMode }: Overrides): SettingsChange {
  if (collaborationMode == null) {
    return { ...(model == null ? {} : { model }), ...(effort == null ? {} : { effort }) };
  }
  const { mode, settings } = collaborationMode;
  return {
    model: settings.model,
    effort: settings.reasoning_effort ?? null,
    mode: mode === "plan" ? "plan" : "default",
    modeInstructions: settings.developer_instructions ?? modePreset(mode),
  };
}

/** Clients are told every member, also those that they left out. */
function withDefaults(policy: SandboxPolicy): SandboxPolicy {
  if (policy.type === "readOnly") return { ...policy, networkAccess: policy.networkAccess ?? false };
  if (policy.type !== "workspaceWrite") return policy;
  return {
    ...policy,
    writableRoots: policy.writableRoots ?? [],
    networkAccess: policy.networkAccess ?? false,
    excludeTmpdirEnvVar: policy.excludeTmpdirEnvVar ?? false,
    excludeSlashTmp: policy.excludeSlashTmp ?? false,
  };
}

async function resolvePermissions(
  { sandboxPolicy, permissions }: Overrides,
  readValues: () => Promise<ConfigValues>,
): Promise<SettingsChange> {
  if (permissions == null) {
    return sandboxPolicy == null ? {} : { sandbox: withDefaults(sandboxPolicy), permissionProfile: null };
  }
  if (sandboxPolicy != null) throw refuse("`permissions` cannot be combined with `sandboxPolicy`");
  return chooseProfile(permissions, await readValues());
}
