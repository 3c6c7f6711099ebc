/** Runs HTTP and module hooks, for all threads of a server. */

import { fileURLToPath } from "node:url";
import { createNetworkFetch, type NetworkFetch } from "../../base/network/network-fetch.ts";
import { findModuleWorker, openModuleHost } from "../../hooks/module/open-module-host.ts";
import type { ModuleHost } from "../../hooks/module/open-module-threads.ts";
import type { Host } from "../configuration/host.ts";

export interface HookTools {
  readonly fetch: NetworkFetch;
  readonly modules: ModuleHost;
  close(): Promise<void>;
}

export function openHookTools({ env, clock, log }: Pick<Host, "env" | "clock" | "log">): HookTools {
  const modules = openModuleHost({ env, clock, log, file: findModuleWorker(fileURLToPath(import.meta.url)) });
  return { fetch: createNetworkFetch(env), modules, close: () => modules.close() };
}
