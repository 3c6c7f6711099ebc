import { inBackground, once } from "../../base/tasks.ts";
import type { SettingsChange } from "../../engine/state/settings.ts";
import type { Thread } from "../../engine/thread-options.ts";
import { refuse, unwrapConfig } from "../configuration/refusal.ts";
import { hasLocalMachine } from "../machine/local-machine.ts";
import type { McpServers } from "../mcp/mcp-servers.ts";
import { chooseProvider, type ProviderChoice } from "../setup/provider-models.ts";
import { findViolation, isLimited } from "../setup/requirements.ts";
import { resolveSettingsChange } from "../setup/settings-change.ts";
import type { ThreadLoaderOptions } from "./load-thread.ts";
import { createThreadLoader, type ThreadLoader } from "./thread-loader.ts";
import { createTurnOperations, type SettingsParams, type TurnOperations } from "./turn-operations.ts";

export interface ThreadOperationsOptions extends ThreadLoaderOptions {
  /** Null while no thread has asked for MCP servers. */
  readonly startedMcp: () => Promise<McpServers | null>;
}

/** What can be done to threads. Whoever calls holds the lane of the thread, as handlers do. */
export interface ThreadOperations extends ThreadLoader, TurnOperations {
  /** Begins to start the MCP servers of a thread that clients know of. */
  startServers(thread: Thread): void;
  /** What a thread without overrides of its own would use. */
  defaults(): Promise<ProviderChoice>;
}

export function createThreadOperations(options: ThreadOperationsOptions): ThreadOperations {
  const { config, env, log, engine } = options;

  async function resolveChange(thread: Thread, overrides: SettingsParams): Promise<SettingsChange> {
    const { cwd: folder } = thread.settings;
    const chosen = overrides.permissions == null ? null : { default_permissions: overrides.permissions };
    const { get } = once(async () => {
      const read = await (await config.get()).effective({ cwd: folder, thread: chosen });
      if (!read.ok) throw refuse(`failed to load configuration: ${read.error.message}`);
      return read.value;
    });
    const change = await resolveSettingsChange(overrides, thread.settings, {
      readValues: async () => (await get()).values,
      hasMachine: hasLocalMachine(env),
    });
    if (!isLimited(change)) return change;
    const violation = findViolation(change, (await get()).requirements);
    if (violation !== null) throw refuse(`invalid thread settings override: ${violation}`);
    return change;
  }

  return {
    ...createThreadLoader(options),
    ...createTurnOperations({ engine, resolveChange }),
    startServers: ({ id }) =>
      inBackground(
        log,
        "starting MCP servers",
        options.startedMcp().then((mcp) => mcp?.begin(id)),
      ),
    defaults: async () => chooseProvider(unwrapConfig(await (await config.get()).effective()), env),
  };
}
