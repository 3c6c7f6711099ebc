import { RpcError } from "../jsonrpc/rpc-error.ts";
import { toEnvironmentPolicy } from "./command-tools.ts";
import { unwrapConfig } from "./config-answer.ts";
import type { ConfigSource } from "./config-source.ts";
import { invalidRequest } from "./handler.ts";
import type { CommandSurroundings } from "./handlers/commands.ts";
import { comply, objectionTo } from "./required-settings.ts";
import { resolveThreadSettings } from "./thread-settings.ts";

/** What a thread in this folder would give its commands; a client's own ones are treated the same. */
export async function readCommandSurroundings(
  config: ConfigSource,
  cwd: string,
  permissionProfile: string | null,
): Promise<CommandSurroundings> {
  const { values, trustLevel, requirements } = unwrapConfig(await (await config.get()).effective({ cwd }));
  const context = { values, cwd, modelProvider: "", defaultModel: "", trustLevel };
  try {
    const settings = resolveThreadSettings({ permissions: permissionProfile }, context);
    return {
      sandbox: comply(settings, requirements).settings.sandbox,
      environment: toEnvironmentPolicy(values.shell_environment_policy),
      objectionTo: (sandbox) => objectionTo({ sandbox }, requirements),
    };
  } catch (error) {
    if (permissionProfile === null || !(error instanceof RpcError)) throw error;
    throw invalidRequest(`invalid permission profile: ${describeFault(permissionProfile, error.message)}`);
  }
}

function describeFault(profile: string, otherwise: string): string {
  return profile.startsWith(":")
    ? `default_permissions refers to unknown built-in profile \`${profile}\``
    : otherwise;
}
