import type { ConfigSource } from "../../runtime/configuration/config-source.ts";
import { toEnvironmentPolicy } from "../../runtime/machine/command-tools.ts";
import { findViolation, limitSettings } from "../../runtime/setup/requirements.ts";
import { resolveThreadSettings } from "../../runtime/setup/thread-settings.ts";
import { invalidRequest, unwrap, unwrapConfig } from "../connections/handler.ts";
import type { CommandContext } from "./commands.ts";

/**
 * Resolves sandbox and environment as for a thread in `cwd`, so that commands of clients are treated like
 * those of threads.
 */
export async function readCommandContext(
  config: ConfigSource,
  cwd: string,
  permissionProfile: string | null,
): Promise<CommandContext> {
  const thread = permissionProfile === null ? null : { default_permissions: permissionProfile };
  const read = await (await config.get()).effective({ cwd, thread });
  if (!read.ok && permissionProfile !== null)
    throw invalidRequest(`invalid permission profile: ${read.error.message}`);
  const { values, layers, trustLevel, requirements } = unwrapConfig(read);
  const context = { values, layers, cwd, modelProvider: "", defaultModel: "", trustLevel, hasMachine: true };
  const settings = unwrap(resolveThreadSettings({ permissions: permissionProfile }, context));
  return {
    sandbox: limitSettings(settings, requirements).settings.sandbox,
    environment: toEnvironmentPolicy(values.shell_environment_policy),
    findViolation: (sandbox) => findViolation({ sandbox }, requirements),
  };
}
