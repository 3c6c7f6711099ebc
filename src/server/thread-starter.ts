import { resolve } from "node:path";
import type { Environment } from "../base/environment.ts";
import type { Logger } from "../base/logger.ts";
import type { Once } from "../base/once.ts";
import type { Effective } from "../config/get-effective.ts";
import { type ModelProvider, resolveModelProvider } from "../config/model-provider.ts";
import type { Engine } from "../engine/engine.ts";
import type { Thread } from "../engine/thread.ts";
import { type Catalog, createCatalog, defaultModel } from "../model/catalog/catalog.ts";
import { modelInfo } from "../model/catalog/model-info.ts";
import type { ThreadStartParams } from "../protocol/generated/types.ts";
import type { Store } from "../store/store.ts";
import { unwrapConfig } from "./config-answer.ts";
import type { ConfigSource } from "./config-source.ts";
import { invalidRequest } from "./handler.ts";
import type { Identity } from "./identity.ts";
import { readInstallationId } from "./installation-id.ts";
import type { ProviderModels } from "./provider-models.ts";
import { resolveThreadSettings } from "./thread-settings.ts";

export interface ThreadStarterOptions {
  readonly config: ConfigSource;
  readonly engine: Engine;
  readonly models: ProviderModels;
  readonly store: Once<Store>;
  readonly identity: Identity;
  readonly env: Environment;
  readonly cwd: string;
  readonly log: Logger;
}

/** Starts threads as the configuration says. */
export interface ThreadStarter {
  start(params: ThreadStartParams): Promise<Thread>;
  /** Makes a thread durable; called before its first turn is answered. */
  record(thread: Thread): Promise<void>;
  catalog(): Promise<Catalog>;
  /** What a thread without wishes of its own would use. */
  defaults(): Promise<ThreadDefaults>;
}

export interface ThreadDefaults {
  readonly provider: ModelProvider;
  readonly model: string;
}

export function createThreadStarter(options: ThreadStarterOptions): ThreadStarter {
  const { config, engine, models, store, identity, env, cwd, log } = options;

  function providerOf({ values }: Effective, id?: string | null): ModelProvider {
    const resolved = resolveModelProvider(values, { env, id: id ?? null });
    if (!resolved.ok) throw invalidRequest(resolved.message);
    return resolved.provider;
  }

  const catalogOf = (provider: ModelProvider) => createCatalog({ withDemo: provider.baseUrl === null });

  return {
    async start(params) {
      const folder = resolve(cwd, params.cwd ?? ".");
      const effective = unwrapConfig(
        await (await config.get()).effective({ cwd: folder, thread: params.config ?? null }),
      );
      const provider = providerOf(effective, params.modelProvider);
      const settings = resolveThreadSettings(params, {
        values: effective.values,
        cwd: folder,
        modelProvider: provider.id,
        defaultModel: defaultModel(catalogOf(provider)),
        trusted: effective.trustLevel === "trusted",
      });
      const info = modelInfo(settings.model);
      return engine.start({
        settings,
        model: await models.of(provider),
        modelContextWindow: info.usableContextWindow,
        originator: identity.originator,
        threadSource: params.threadSource ?? null,
        ephemeral: params.ephemeral ?? false,
        installationId: readInstallationId(config.home),
        identityHeaders: () => ({ originator: identity.originator, "user-agent": identity.userAgent }),
        warnings: info.isFallback ? [unknownModel(settings.model)] : [],
        toolSet: { tools: [], log },
        approve: async () => ({ kind: "declined", reason: "approvals are not available" }),
      });
    },
    async record(thread) {
      const {
        id,
        ephemeral,
        createdAt,
        updatedAt,
        cwd: folder,
        preview,
        modelProvider,
        model,
        originator,
      } = thread.view();
      if (ephemeral) return;
      const { threads } = await store.get();
      await threads.put({
        id,
        createdAtMs: createdAt * 1000,
        updatedAtMs: updatedAt * 1000,
        cwd: folder,
        preview,
        modelProvider,
        model: model ?? "",
        originator: originator ?? "",
      });
    },
    catalog: async () => catalogOf(providerOf(unwrapConfig(await (await config.get()).effective()))),
    async defaults() {
      const effective = unwrapConfig(await (await config.get()).effective());
      const provider = providerOf(effective);
      return { provider, model: effective.values.model ?? defaultModel(catalogOf(provider)) };
    },
  };
}

function unknownModel(model: string): string {
  return `Model metadata for \`${model}\` not found. Defaulting to fallback metadata; this can degrade performance and cause issues.`;
}
