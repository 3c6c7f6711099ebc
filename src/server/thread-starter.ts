import { resolve } from "node:path";
import type { Clock } from "../base/clock.ts";
import type { Environment } from "../base/environment.ts";
import { AppError } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import { type Once, once } from "../base/once.ts";
import type { Effective } from "../config/get-effective.ts";
import type { ConfigValues } from "../config/schema/config-schema.ts";
import type { Engine } from "../engine/engine.ts";
import type { SettingsChange, ThreadSettings } from "../engine/settings.ts";
import type { Thread } from "../engine/thread.ts";
import type { ThreadStartParams } from "../protocol/generated/types.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { Store } from "../store/store.ts";
import { readOfferedTools } from "../tools/dynamic/offered-tools.ts";
import type { ShellGrammar } from "../tools/policy/shell/shell-grammar.ts";
import type { CommandTools } from "./command-tools.ts";
import { unwrapConfig } from "./config-answer.ts";
import type { ConfigSource } from "./config-source.ts";
import { invalidRequest } from "./handler.ts";
import type { Identity } from "./identity.ts";
import { readInstallationId } from "./installation-id.ts";
import type { McpServers } from "./mcp-servers.ts";
import { openRules } from "./open-rules.ts";
import { chooseProvider, type ProviderChoice } from "./provider-choice.ts";
import type { ProviderModels } from "./provider-models.ts";
import { resolveSettingsChange } from "./settings-change.ts";
import type { Skills } from "./skills.ts";
import { resolveThreadSettings } from "./thread-settings.ts";
import { createTurnSetup, type SetupBase } from "./thread-setup.ts";

export interface ThreadStarterOptions {
  readonly config: ConfigSource;
  readonly engine: Engine;
  readonly models: ProviderModels;
  readonly store: Once<Store>;
  readonly skills: () => Promise<Skills>;
  readonly identity: Identity;
  readonly env: Environment;
  readonly cwd: string;
  readonly clock: Clock;
  readonly createId: () => string;
  readonly commands: () => Promise<CommandTools>;
  readonly mcp: () => Promise<McpServers>;
  /** Null while no thread has asked for MCP servers. */
  readonly startedMcp: () => Promise<McpServers> | null;
  readonly sandbox: () => Promise<Sandbox>;
  readonly grammar: () => Promise<ShellGrammar>;
  readonly log: Logger;
}

/** Starts threads as the configuration says. */
export interface ThreadStarter {
  start(params: ThreadStartParams): Promise<Thread>;
  /** Begins to start the MCP servers of a thread that clients know of. */
  startServers(thread: Thread): void;
  /** What changes when a client wants `wishes`. */
  resolveChange(thread: Thread, wishes: Parameters<typeof resolveSettingsChange>[0]): Promise<SettingsChange>;
  /** Makes a thread durable; called before its first turn is answered. */
  record(thread: Thread): Promise<void>;
  /** What a thread without wishes of its own would use. */
  defaults(): Promise<ProviderChoice>;
}

export function createThreadStarter(options: ThreadStarterOptions): ThreadStarter {
  const { config, engine, store, identity, env, cwd, log, createId } = options;
  const identityHeaders = () => ({ originator: identity.originator, "user-agent": identity.userAgent });

  async function resolveFor(params: ThreadStartParams, folder: string) {
    const configuration = await config.get();
    const thread = params.config ?? null;
    const effective = unwrapConfig(await configuration.effective({ cwd: folder, thread }));
    const { provider, model } = chooseProvider(effective, env, params.modelProvider);
    const settings = resolveThreadSettings(params, {
      values: effective.values,
      cwd: folder,
      modelProvider: provider.id,
      defaultModel: model,
      trusted: effective.trustLevel === "trusted",
    });
    return { effective, provider, settings };
  }

  /** The thread's MCP servers; one that it cannot do without keeps it from starting. */
  async function prepareMcp(
    params: ThreadStartParams,
    folder: string,
    { threadId, settings, values }: { threadId: string; settings: ThreadSettings; values: ConfigValues },
  ): Promise<void> {
    if (Object.keys(values.mcp_servers ?? {}).length === 0) return;
    const prepared = await (await options.mcp()).prepare({
      values,
      cwd: settings.cwd,
      settings: () => engine.find(threadId)?.settings ?? settings,
      reread: async () => (await resolveFor(params, folder)).effective.values,
    });
    if (prepared.kind === "missing") {
      const reason = `Failed to initialize session: ${prepared.message}`;
      throw new AppError("mcp", `error creating thread: Fatal error: ${reason}`);
    }
    prepared.register(threadId);
  }

  return {
    async start(params) {
      const folder = resolve(cwd, params.cwd ?? ".");
      let { effective, provider, settings } = await resolveFor(params, folder);
      if (impliesTrust(params, settings, effective)) {
        const trusted = await (await config.get()).trustProject(folder);
        if (trusted.ok) ({ effective, provider, settings } = await resolveFor(params, folder));
        else log.warn("a project could not be marked as trusted", { folder, reason: trusted.error.message });
      }
      const threadId = createId();
      const base: SetupBase = {
        threadId,
        provider,
        values: effective.values,
        features: effective.features,
        dynamicTools: readDynamicTools(params.dynamicTools ?? []),
        rules: once(() => openRules(effective, config.home, log)).get,
        grants: new Set(),
      };
      await prepareMcp(params, folder, { threadId, settings, values: effective.values });
      const setup = (wanted: ThreadSettings) =>
        createTurnSetup(wanted, base, { ...options, home: config.home });
      return engine.start({
        id: threadId,
        settings,
        setup,
        firstSetup: await setup(settings),
        originator: identity.originator,
        threadSource: params.threadSource ?? null,
        ephemeral: params.ephemeral ?? false,
        rawEvents: params.experimentalRawEvents ?? false,
        installationId: readInstallationId(config.home),
        identityHeaders,
      });
    },
    startServers: ({ id }) => void options.startedMcp()?.then((mcp) => mcp.begin(id)),
    resolveChange: (thread, wishes) =>
      resolveSettingsChange(wishes, thread.settings, async () => {
        const { cwd: folder } = thread.settings;
        return unwrapConfig(await (await config.get()).effective({ cwd: folder })).values;
      }),
    async record(thread) {
      const view = thread.view();
      if (view.ephemeral) return;
      const { threads } = await store.get();
      await threads.put({
        id: view.id,
        createdAtMs: view.createdAt * 1000,
        updatedAtMs: view.updatedAt * 1000,
        cwd: view.cwd,
        preview: view.preview,
        modelProvider: view.modelProvider,
        model: view.model ?? "",
        originator: view.originator ?? "",
      });
    },
    defaults: async () => chooseProvider(unwrapConfig(await (await config.get()).effective()), env),
  };
}

function readDynamicTools(given: NonNullable<ThreadStartParams["dynamicTools"]>) {
  const read = readOfferedTools(given);
  if (read.kind === "wrong") throw invalidRequest(read.message);
  return read.tools;
}

/** A client that names a folder and lets a thread write there has decided for its user that the folder is trusted. */
function impliesTrust(
  { cwd }: ThreadStartParams,
  { sandbox }: ThreadSettings,
  { trustLevel }: Effective,
): boolean {
  return typeof cwd === "string" && trustLevel === undefined && sandbox.type !== "readOnly";
}
