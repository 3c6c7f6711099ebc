import { resolve } from "node:path";
import { isRefusal } from "../../base/refusal.ts";
import { once } from "../../base/tasks.ts";
import type { ConfigValues } from "../../config/schema/config-schema.ts";
import { modePreset } from "../../engine/context/instructions.ts";
import type { SettingsChange, ThreadSettings } from "../../engine/state/settings.ts";
import type {
  SandboxPolicy,
  ThreadSettingsUpdateParams,
  TurnStartParams,
} from "../../protocol/generated/types.ts";
import { refuseInvalid, type ThreadRefusal } from "../configuration/thread-refusal.ts";
import { hasLocalMachine } from "../machine/local-machine.ts";
import { refuseUnresponsiveMount } from "../machine/mount-check.ts";
import { chooseProfile } from "./permission-profile.ts";
import { findViolation, isLimited } from "./requirements.ts";
import type { RuntimeDeps } from "./runtime-deps.ts";
import { toServiceTier, withEveryKind } from "./thread-settings.ts";
import { resolveWorkspace, withoutRoots, withRoots } from "./workspace.ts";

/** The members of a request that override settings. */
const OVERRIDES = [
  "cwd",
  "environments",
  "runtimeWorkspaceRoots",
  "approvalPolicy",
  "approvalsReviewer",
  "sandboxPolicy",
  "permissions",
  "model",
  "serviceTier",
  "effort",
  "summary",
  "personality",
  "collaborationMode",
] as const;

type Overrides = Pick<TurnStartParams & ThreadSettingsUpdateParams, (typeof OVERRIDES)[number]>;

/** Whether a request overrides nothing, as for most turns. Null resets the service tier, and nothing else. */
export function overridesNothing(overrides: Overrides): boolean {
  return overrides.serviceTier === undefined && OVERRIDES.every((name) => overrides[name] == null);
}

/** Resolves overrides of a client to a change of a thread's settings, within the requirements. */
export async function resolveChange(
  overrides: Overrides,
  settings: ThreadSettings,
  { config, host: { env } }: Pick<RuntimeDeps, "config" | "host">,
): Promise<SettingsChange | ThreadRefusal> {
  const chosen = overrides.permissions == null ? null : { default_permissions: overrides.permissions };
  const { get } = once(async () => {
    const read = await (await config.get()).effective({ cwd: settings.cwd, thread: chosen });
    return read.ok ? read.value : refuseInvalid(`failed to load configuration: ${read.error.message}`);
  });
  const change = await resolveSettingsChange(overrides, settings, {
    async readValues() {
      const effective = await get();
      return isRefusal(effective) ? effective : effective.values;
    },
    hasMachine: hasLocalMachine(env),
  });
  if (isRefusal(change) || !isLimited(change)) return change;
  const effective = await get();
  if (isRefusal(effective)) return effective;
  const violation = findViolation(change, effective.requirements);
  return violation === null ? change : refuseInvalid(`invalid thread settings override: ${violation}`);
}

export interface SettingsChangeContext {
  readonly readValues: () => Promise<ConfigValues | ThreadRefusal>;
  /** Whether threads can use a machine. */
  readonly hasMachine: boolean;
}

/** Resolves overrides to a change of settings. Members that are null or absent are left unchanged. */
export async function resolveSettingsChange(
  overrides: Overrides,
  settings: ThreadSettings,
  { readValues, hasMachine }: SettingsChangeContext,
): Promise<SettingsChange | ThreadRefusal> {
  const { approvalPolicy, approvalsReviewer, summary, personality } = overrides;
  if (overrides.cwd != null) {
    const unresponsive = await refuseUnresponsiveMount(resolve(settings.cwd, overrides.cwd));
    if (unresponsive !== null) return unresponsive;
  }
  const model = resolveModel(overrides);
  const permissions = await resolvePermissions(overrides, readValues);
  if (isRefusal(permissions)) return permissions;
  const move = moveTo(overrides, settings, permissions.sandbox, hasMachine);
  if (isRefusal(move)) return move;
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
    ...move,
  };
}

/** Moves to another workspace; writable folders of the old one are dropped. */
function moveTo(
  overrides: Overrides,
  settings: ThreadSettings,
  wanted: SandboxPolicy | undefined,
  hasMachine: boolean,
): SettingsChange | ThreadRefusal {
  // A new folder of the environment alone also moves the thread.
  const cwd = resolve(settings.cwd, overrides.cwd ?? overrides.environments?.[0]?.cwd ?? ".");
  const runtimeWorkspaceRoots = overrides.runtimeWorkspaceRoots ?? rootsAt(cwd, overrides, settings);
  if (overrides.environments == null && runtimeWorkspaceRoots == null) {
    const sandbox = wanted === undefined ? {} : { sandbox: withRoots(wanted, settings) };
    return { ...(overrides.cwd == null ? {} : { cwd }), ...sandbox };
  }
  const workspace = resolveWorkspace({ ...overrides, runtimeWorkspaceRoots }, cwd, hasMachine);
  if (isRefusal(workspace)) return workspace;
  const sandbox = withRoots(wanted ?? withoutRoots(settings.sandbox, settings), workspace);
  return { ...workspace, ...(sandbox.type === "workspaceWrite" ? { sandbox } : {}) };
}

/** When a thread moves, `cwd` replaces the folder of its machine; its other folders stay. */
function rootsAt(cwd: string, overrides: Overrides, { machineCwd, workspaceRoots }: ThreadSettings) {
  if (overrides.cwd == null || machineCwd === null) return null;
  return (workspaceRoots ?? []).map((root) => (root === machineCwd ? cwd : root));
}

/** A collaboration mode has its own model and effort, which take precedence. */
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

/** The policy with all members, because clients expect those that they omitted. */
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
  readValues: () => Promise<ConfigValues | ThreadRefusal>,
): Promise<SettingsChange | ThreadRefusal> {
  if (permissions == null) {
    return sandboxPolicy == null ? {} : { sandbox: withDefaults(sandboxPolicy), permissionProfile: null };
  }
  if (sandboxPolicy != null) return refuseInvalid("`permissions` cannot be combined with `sandboxPolicy`");
  const values = await readValues();
  return isRefusal(values) ? values : chooseProfile(permissions, values);
}
