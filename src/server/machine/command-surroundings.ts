import { unwrapConfig } from "../config-answer.ts";
import type { ConfigSource } from "../config-source.ts";
import { invalidRequest } from "../handler.ts";
import type { CommandSurroundings } from "../handlers/commands.ts";
import { comply, objectionTo } from "../setup/required-settings.ts";
import { resolveThreadSettings } from "../setup/thread-settings.ts";
import { toEnvironmentPolicy } from "./command-tools.ts";

/** What a thread in this folder would give its commands; a client's own ones are treated the same. */
export async function readCommandSurroundings(
  config: ConfigSource,
  cwd: string,
  permissionProfile: string | null,
): Promise<CommandSurroundings> {
  const thread = permissionProfile === null ? null : { default_permissions: permissionProfile };
  const read = await (await config.get()).effective({ cwd, thread });
  if (!read.ok && permissionProfile !== null)
    throw invalidRequest(`invalid permission profile: ${read.error.message}`);
  const { values, trustLevel, requirements } = unwrapConfig(read);
  const context = { values, cwd, modelProvider: "", defaultModel: "", trustLevel, hasMachine: true };
  const settings = resolveThreadSettings({ permissions: permissionProfile }, context);
  return {
    sandbox: comply(settings, requirements).settings.sandbox,
    environment: toEnvironmentPolicy(values.shell_environment_policy),
    objectionTo: (sandbox) => objectionTo({ sandbox }, requirements),
  };
}
