import { FEATURES } from "../../config/schema/feature-table.ts";
import { SETTABLE_FEATURES } from "../../config/schema/features.ts";
import type { Engine } from "../../engine/engine.ts";
import type { ConfigSource } from "../../runtime/configuration/config-source.ts";
import { parseThreadId } from "../../runtime/threads/thread-id.ts";
import { type Handlers, invalidRequest, unwrap, unwrapConfig } from "../connections/handler.ts";
import { pageOf } from "./paging.ts";

export interface FeatureOptions {
  readonly config: ConfigSource;
  readonly engine: Engine;
}

export function createFeatureHandlers({
  config,
  engine,
}: FeatureOptions): Handlers<"experimentalFeature/list" | "experimentalFeature/enablement/set"> {
  function folderOf(threadId: string): string {
    const id = unwrap(parseThreadId(threadId));
    const thread = engine.find(id);
    if (thread === undefined) throw invalidRequest(`thread not found: ${id}`);
    return thread.settings.cwd;
  }

  return {
    async "experimentalFeature/list"({ threadId, ...page }) {
      const request = threadId === undefined || threadId === null ? {} : { cwd: folderOf(threadId) };
      const { features } = unwrapConfig(await (await config.get()).effective(request));
      const all = FEATURES.map(([name, stage, defaultEnabled]) => ({
        name,
        stage,
        displayName: null,
        description: null,
        announcement: null,
        enabled: features.get(name) ?? defaultEnabled,
        defaultEnabled,
      }));
      return pageOf(all, page, "feature flags");
    },
    /** Features that cannot be changed at run time are left out of the response. */
    async "experimentalFeature/enablement/set"({ enablement }) {
      const settable = Object.entries(enablement).filter(([name]) => SETTABLE_FEATURES.includes(name));
      const accepted = Object.fromEntries(settable.sort(([a], [b]) => (a < b ? -1 : 1)));
      (await config.get()).setFeatures(accepted);
      return { enablement: accepted };
    },
  };
}
