import { inBackground } from "../../base/in-background.ts";
import { once } from "../../base/once.ts";
import type { SettingsChange } from "../../engine/state/settings.ts";
import type { Thread } from "../../engine/thread-options.ts";
import { unwrapConfig } from "../config-answer.ts";
import { invalidRequest } from "../handler.ts";
import { hasLocalMachine } from "../machine/local-machine.ts";
import type { McpServers } from "../mcp-servers.ts";
import { chooseProvider, type ProviderChoice } from "../setup/provider-choice.ts";
import { isLimited, objectionTo } from "../setup/required-settings.ts";
import { resolveSettingsChange } from "../setup/settings-change.ts";
import type { ThreadLoaderOptions } from "./load-thread.ts";
import { createThreadLoader, type ThreadLoader } from "./thread-loader.ts";

export interface ThreadServicesOptions extends ThreadLoaderOptions {
  /** Null while no thread has asked for MCP servers. */
  readonly startedMcp: () => Promise<McpServers | null>;
}

/** What handlers need to load threads and to change them. */
export interface ThreadServices extends ThreadLoader {
  /** Begins to start the MCP servers of a thread that clients know of. */
  startServers(thread: Thread): void;
  /** What changes when a client wants `wishes`. */
  resolveChange(thread: Thread, wishes: Parameters<typeof resolveSettingsChange>[0]): Promise<SettingsChange>;
  /** What a thread without wishes of its own would use. */
  defaults(): Promise<ProviderChoice>;
}

export function createThreadServices(options: ThreadServicesOptions): ThreadServices {
  const { config, env, log } = options;
  return {
    ...createThreadLoader(options),
    startServers: ({ id }) =>
      inBackground(
        log,
        "starting MCP servers",
        options.startedMcp().then((mcp) => mcp?.begin(id)),
      ),
    async resolveChange(thread, wishes) {
      const { cwd: folder } = thread.settings;
      const chosen = wishes.permissions == null ? null : { default_permissions: wishes.permissions };
      const { get } = once(async () => {
        const read = await (await config.get()).effective({ cwd: folder, thread: chosen });
        if (!read.ok) throw invalidRequest(`failed to load configuration: ${read.error.message}`);
        return read.value;
      });
      const change = await resolveSettingsChange(wishes, thread.settings, {
        readValues: async () => (await get()).values,
        hasMachine: hasLocalMachine(env),
      });
      if (!isLimited(change)) return change;
      const objection = objectionTo(change, (await get()).requirements);
      if (objection !== null) throw invalidRequest(`invalid thread settings override: ${objection}`);
      return change;
    },
    defaults: async () => chooseProvider(unwrapConfig(await (await config.get()).effective()), env),
  };
}
