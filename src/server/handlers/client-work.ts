/** Work for clients outside of any thread: commands, processes, file watches and searches. */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import type { Logger } from "../../base/logger.ts";
import type { Engine } from "../../engine/engine.ts";
import type { ConfigSource } from "../../runtime/configuration/config-source.ts";
import type { CommandTools } from "../../runtime/machine/command-tools.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { ClientConnection } from "../connections/client-connection.ts";
import type { Notifier } from "../connections/notifier.ts";
import { lazyHandlers } from "./lazy-handlers.ts";
import { withLocalFiles } from "./local-files.ts";

export interface ClientWorkParts {
  readonly config: ConfigSource;
  readonly engine: Engine;
  readonly notifier: Notifier;
  readonly commands: () => Promise<CommandTools>;
  readonly sandbox: () => Promise<Sandbox>;
  readonly env: Environment;
  readonly cwd: string;
  readonly clock: Clock;
  readonly log: Logger;
  /** Adds a listener that is called with each connection that closes. */
  readonly onDisconnect: (listener: (connection: ClientConnection) => void) => void;
  /** Adds a task that runs when the server closes. */
  readonly onClose: (task: () => Promise<void>) => void;
}

export function createClientWorkHandlers(parts: ClientWorkParts) {
  const { config, commands, onDisconnect } = parts;
  const host = async () => (await commands()).host;
  const programs = async () => (await commands()).programs;

  async function openProcesses() {
    const processes = (await import("../machine/client-processes.ts")).createClientProcesses();
    onDisconnect(processes.drop);
    return processes;
  }

  return {
    ...lazyHandlers("commands", async () => {
      const { createCommandHandlers } = await import("./commands.ts");
      const { readCommandContext } = await import("./command-context.ts");
      return createCommandHandlers({
        ...parts,
        processes: await openProcesses(),
        host,
        programs,
        context: (cwd, profile) => readCommandContext(config, cwd, profile),
      });
    }),
    ...lazyHandlers("processes", async () => {
      const { createProcessHandlers } = await import("./processes.ts");
      return createProcessHandlers({ ...parts, processes: await openProcesses(), host, programs });
    }),
    ...withLocalFiles(
      parts.env,
      lazyHandlers("watches", async () => (await import("./watches.ts")).createWatchHandlers(parts)),
    ),
    ...lazyHandlers("fuzzy-search", async () => openSearch(parts)),
    ...lazyHandlers("background-terminals", async () =>
      (await import("./background-terminals.ts")).createBackgroundTerminalHandlers({
        ...parts,
        terminals: async () => (await commands()).terminals,
      }),
    ),
  };
}

async function openSearch({ env, cwd, clock, notifier, onDisconnect, onClose }: ClientWorkParts) {
  const { findSearchWorker, openSearchHost } = await import("../../search/open-search-host.ts");
  const { MAX_INDEXED_FILES } = await import("../../search/file-search.ts");
  const { createFileSearches } = await import("../machine/file-searches.ts");
  const { createFuzzySearchHandlers } = await import("./fuzzy-search.ts");
  const host = openSearchHost(findSearchWorker(fileURLToPath(import.meta.url)), {
    cwd,
    clock,
    userIgnoreFile: userIgnoreFile(env),
    maxFiles: MAX_INDEXED_FILES,
  });
  const searches = createFileSearches(host);
  onDisconnect(searches.drop);
  onClose(host.close);
  return createFuzzySearchHandlers({ searches, notifier });
}

/** The default path of git's `core.excludesFile`. */
function userIgnoreFile(env: Environment): string | null {
  const folder = env["XDG_CONFIG_HOME"] || (env["HOME"] ? join(env["HOME"], ".config") : null);
  return folder === null ? null : join(folder, "git/ignore");
}
