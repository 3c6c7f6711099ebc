/** What runs hooks that are no programs, for all threads of a server together. */
import { fileURLToPath } from "node:url";
import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import type { Logger } from "../../base/logger.ts";
import { createNetworkFetch, type NetworkFetch } from "../../base/network/network-fetch.ts";
import { findModuleWorker, openModuleHost } from "../../hooks/module/open-module-host.ts";
import type { ModuleHost } from "../../hooks/module/open-module-threads.ts";

export interface HookTools {
  readonly fetch: NetworkFetch;
  readonly modules: ModuleHost;
  close(): Promise<void>;
}

export function openHookTools(options: {
  readonly env: Environment;
  readonly clock: Clock;
  readonly log: Logger;
}): HookTools {
  const modules = openModuleHost({ ...options, file: findModuleWorker(fileURLToPath(import.meta.url)) });
  return { fetch: createNetworkFetch(options.env), modules, close: () => modules.close() };
}
