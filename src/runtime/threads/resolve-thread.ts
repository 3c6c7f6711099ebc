import { resolve } from "node:path";
import { isRefusal } from "../../base/refusal.ts";
import type { Effective } from "../../config/get-effective.ts";
import { type ModelProvider, resolveModelProvider } from "../../config/model-provider.ts";
import { isProject } from "../../config/project-trust.ts";
import type { ThreadSettings } from "../../engine/state/settings.ts";
import type { ThreadStartParams } from "../../protocol/generated/types.ts";
import { configOutcome, refuseInvalid, type ThreadRefusal } from "../configuration/thread-refusal.ts";
import { hasLocalMachine } from "../machine/local-machine.ts";
import { refuseUnresponsiveMount } from "../machine/mount-check.ts";
import { readBaseInstructions } from "../setup/instruction-files.ts";
import { hasProfile } from "../setup/permission-profile.ts";
import { chooseProvider } from "../setup/provider-models.ts";
import { limitSettings } from "../setup/requirements.ts";
import type { RuntimeDeps } from "../setup/runtime-deps.ts";
import { resolveThreadSettings } from "../setup/thread-settings.ts";

/** Overrides of the configuration that a client may set for a thread. */
export type ThreadOverrides = Omit<ThreadStartParams, "sessionStartSource">;

/** The settings of a thread, from its overrides and the configuration. */
export interface Resolved {
  readonly effective: Effective;
  readonly provider: ModelProvider;
  readonly settings: ThreadSettings;
}

export type ResolutionDeps = Pick<RuntimeDeps, "config" | "host">;

export async function resolveThread(
  overrides: ThreadOverrides,
  { config, host: { env, cwd } }: ResolutionDeps,
): Promise<Resolved | ThreadRefusal> {
  const folder = resolve(cwd, overrides.cwd ?? ".");
  const unresponsive = overrides.cwd == null ? null : await refuseUnresponsiveMount(folder);
  if (unresponsive !== null) return unresponsive;
  const thread = configOverrides(overrides);
  const read = await (await config.get()).effective({ cwd: folder, thread });
  if (!read.ok) return refuseInvalid(`failed to load configuration: ${read.error.message}`);
  const effective = read.value;
  const choice = chooseProvider(effective, env, overrides.modelProvider);
  if (isRefusal(choice)) return choice;
  const { provider, model } = choice;
  const baseInstructions = await readBaseInstructions(overrides.baseInstructions, effective.values);
  if (isRefusal(baseInstructions)) return baseInstructions;
  const settings = resolveThreadSettings(
    { ...overrides, baseInstructions },
    {
      values: effective.values,
      layers: effective.layers,
      cwd: folder,
      modelProvider: provider.id,
      defaultModel: model,
      trustLevel: effective.trustLevel,
      hasMachine: hasLocalMachine(env),
    },
  );
  return isRefusal(settings) ? settings : { effective, provider, settings };
}

/** Overrides of configuration keys. */
export function configOverrides({ config, permissions }: ThreadOverrides): Record<string, unknown> {
  // Overrides the configured default profile.
  return { ...config, ...(permissions != null && { default_permissions: permissions }) };
}

/** A client that names a folder and allows writing there marks the folder as trusted. */
export async function resolveTrusting(
  overrides: ThreadOverrides,
  deps: ResolutionDeps,
): Promise<Resolved | ThreadRefusal> {
  const resolved = await resolveThread(overrides, deps);
  if (isRefusal(resolved)) return resolved;
  const { effective, settings } = resolved;
  const impliesTrust =
    typeof overrides.cwd === "string" &&
    effective.trustLevel === undefined &&
    limitSettings(settings, effective.requirements).settings.sandbox.type !== "readOnly" &&
    isProject(settings.cwd);
  if (!impliesTrust) return resolved;
  const trusted = await (await deps.config.get()).trustProject(settings.cwd);
  if (trusted.ok) return resolveThread(overrides, deps);
  const reason = trusted.error.message;
  deps.host.log.warn("a project could not be marked as trusted", { folder: settings.cwd, reason });
  return resolved;
}

/**
 * A thread whose profile is no longer configured gets the configured one, unless the client names that
 * profile.
 */
export async function resolveKnown(
  recalled: ThreadOverrides,
  overrides: ThreadOverrides,
  deps: ResolutionDeps,
): Promise<Resolved | ThreadRefusal> {
  const profile = recalled.permissions;
  const resolved = await resolveThread(recalled, deps);
  if (!isRefusal(resolved) || profile == null || profile === overrides.permissions) return resolved;
  const without = await resolveThread({ ...recalled, permissions: null }, deps);
  if (isRefusal(without)) return without;
  // A profile that is configured but unusable must not be replaced by other permissions.
  return hasProfile(profile, without.effective.values) ? resolved : without;
}

/** A thread whose provider is no longer configured gets the configured one. */
export async function withKnownProvider(
  overrides: ThreadOverrides,
  { config, host: { env } }: ResolutionDeps,
): Promise<ThreadOverrides | ThreadRefusal> {
  const effective = configOutcome(await (await config.get()).effective());
  if (isRefusal(effective)) return effective;
  const found = resolveModelProvider(effective.values, { env, id: overrides.modelProvider ?? null });
  return found.ok ? overrides : { ...overrides, modelProvider: null };
}

/** Whether a client overrides settings of a stored thread. */
export function hasOverrides(params: ThreadOverrides): boolean {
  const { model, modelProvider, serviceTier, cwd, runtimeWorkspaceRoots, personality, config } = params;
  const { approvalPolicy, approvalsReviewer, sandbox, permissions } = params;
  const { baseInstructions, developerInstructions } = params;
  const ofModel = [model, modelProvider, serviceTier, personality, baseInstructions, developerInstructions];
  const ofPlace = [
    cwd,
    runtimeWorkspaceRoots,
    config,
    approvalPolicy,
    approvalsReviewer,
    sandbox,
    permissions,
  ];
  return ofModel.some((override) => override != null) || ofPlace.some((override) => override != null);
}
