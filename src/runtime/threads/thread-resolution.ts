import { resolve } from "node:path";
import type { Environment } from "../../base/environment.ts";
import type { Logger } from "../../base/logger.ts";
import type { Effective } from "../../config/get-effective.ts";
import { type ModelProvider, resolveModelProvider } from "../../config/model-provider.ts";
import { isProject } from "../../config/project-trust.ts";
import type { ThreadSettings } from "../../engine/state/settings.ts";
import type { ThreadStartParams } from "../../protocol/generated/types.ts";
import type { ConfigSource } from "../configuration/config-source.ts";
import { refuse, unwrapConfig } from "../configuration/refusal.ts";
import { hasLocalMachine } from "../machine/local-machine.ts";
import { requireResponsiveMount } from "../machine/mount-check.ts";
import { readBaseInstructions } from "../setup/instruction-files.ts";
import { hasProfile } from "../setup/permission-profile.ts";
import { chooseProvider } from "../setup/provider-models.ts";
import { applyRequirements } from "../setup/requirements.ts";
import { resolveThreadSettings } from "../setup/thread-settings.ts";

/** What a client may override of the configuration for a thread, new or not. */
export type ThreadOverrides = Omit<ThreadStartParams, "sessionStartSource">;

/** What a thread runs with, once its overrides and the configuration were put together. */
export interface Resolved {
  readonly effective: Effective;
  readonly provider: ModelProvider;
  readonly settings: ThreadSettings;
}

export interface ResolutionOptions {
  readonly config: ConfigSource;
  readonly env: Environment;
  readonly cwd: string;
  readonly log: Logger;
}

export async function resolveThread(
  overrides: ThreadOverrides,
  { config, env, cwd }: ResolutionOptions,
): Promise<Resolved> {
  const folder = resolve(cwd, overrides.cwd ?? ".");
  if (overrides.cwd != null) await requireResponsiveMount(folder);
  const thread = configOverrides(overrides);
  const read = await (await config.get()).effective({ cwd: folder, thread });
  if (!read.ok) throw refuse(`failed to load configuration: ${read.error.message}`);
  const effective = read.value;
  const { provider, model } = chooseProvider(effective, env, overrides.modelProvider);
  const baseInstructions = await readBaseInstructions(overrides.baseInstructions, effective.values);
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
  return { effective, provider, settings };
}

/** What a client overrides of the files of the configuration. */
export function configOverrides({ config, permissions }: ThreadOverrides): Record<string, unknown> {
  // A profile that is named need not be the one that is configured.
  return { ...config, ...(permissions != null && { default_permissions: permissions }) };
}

/** A client that names a folder and lets a thread write there has decided that the folder is trusted. */
export async function resolveTrusting(
  overrides: ThreadOverrides,
  options: ResolutionOptions,
): Promise<Resolved> {
  const resolved = await resolveThread(overrides, options);
  const { effective, settings } = resolved;
  const impliesTrust =
    typeof overrides.cwd === "string" &&
    effective.trustLevel === undefined &&
    applyRequirements(settings, effective.requirements).settings.sandbox.type !== "readOnly" &&
    isProject(settings.cwd);
  if (!impliesTrust) return resolved;
  const trusted = await (await options.config.get()).trustProject(settings.cwd);
  if (trusted.ok) return resolveThread(overrides, options);
  const reason = trusted.error.message;
  options.log.warn("a project could not be marked as trusted", { folder: settings.cwd, reason });
  return resolved;
}

/** A thread whose profile is no longer configured goes on with what is, unless a client names that profile now. */
export async function resolveKnown(
  recalled: ThreadOverrides,
  overrides: ThreadOverrides,
  options: ResolutionOptions,
): Promise<Resolved> {
  const profile = recalled.permissions;
  if (profile == null || profile === overrides.permissions) return resolveThread(recalled, options);
  try {
    return await resolveThread(recalled, options);
  } catch (error) {
    const without = await resolveThread({ ...recalled, permissions: null }, options);
    // What keeps a profile from being used that is still there must not give the thread other permissions.
    if (hasProfile(profile, without.effective.values)) throw error;
    return without;
  }
}

/** A thread whose provider is no longer configured goes on with the one that is. */
export async function withKnownProvider(
  overrides: ThreadOverrides,
  { config, env }: ResolutionOptions,
): Promise<ThreadOverrides> {
  const { values } = unwrapConfig(await (await config.get()).effective());
  const found = resolveModelProvider(values, { env, id: overrides.modelProvider ?? null });
  return found.ok ? overrides : { ...overrides, modelProvider: null };
}

/** Whether a client wants a thread to go on otherwise than it was. */
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
