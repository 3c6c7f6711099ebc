import { resolve } from "node:path";
import type { Clock } from "../base/clock.ts";
import type { Environment } from "../base/environment.ts";
import { AppError } from "../base/errors.ts";
import type { Logger } from "../base/logger.ts";
import { type Once, once } from "../base/once.ts";
import type { Effective } from "../config/get-effective.ts";
import { BASE_INSTRUCTIONS } from "../engine/context/base-instructions.ts";
import type { Engine } from "../engine/engine.ts";
import { changeSettings, type ThreadSettings } from "../engine/settings.ts";
import type { ResumedThread, Thread } from "../engine/thread.ts";
import type { DynamicToolSpec, GitInfo, ThreadStartParams } from "../protocol/generated/types.ts";
import { peerVersion } from "../protocol/peer-version.ts";
import type { Sandbox } from "../sandbox/sandbox.ts";
import type { History } from "../store/history/history.ts";
import type { ThreadJournal } from "../store/history/journal.ts";
import type { Refusal } from "../store/history/refusal.ts";
import type { ForkOrigin, OpenedThread } from "../store/history/writing.ts";
import type { ThreadOrigin } from "../store/rollout/thread-lines.ts";
import type { Store } from "../store/store.ts";
import { readOfferedTools } from "../tools/dynamic/offered-tools.ts";
import type { ShellGrammar } from "../tools/policy/shell/shell-grammar.ts";
import type { CommandTools } from "./command-tools.ts";
import { unwrapConfig } from "./config-answer.ts";
import type { ConfigSource } from "./config-source.ts";
import { readGitInfo } from "./git-info.ts";
import { invalidRequest } from "./handler.ts";
import type { Identity } from "./identity.ts";
import { readInstallationId } from "./installation-id.ts";
import type { McpServers } from "./mcp-servers.ts";
import { openRules } from "./open-rules.ts";
import { chooseProvider } from "./provider-choice.ts";
import type { ProviderModels } from "./provider-models.ts";
import { recallThread } from "./recall-thread.ts";
import type { Skills } from "./skills.ts";
import { resolveThreadSettings } from "./thread-settings.ts";
import { createTurnSetup, type SetupBase } from "./thread-setup.ts";

export interface ThreadLoaderOptions {
  readonly config: ConfigSource;
  readonly engine: Engine;
  readonly models: ProviderModels;
  readonly store: Pick<Once<Store>, "get">;
  readonly history: () => Promise<History>;
  readonly skills: () => Promise<Skills>;
  readonly identity: Identity;
  readonly env: Environment;
  readonly cwd: string;
  readonly clock: Clock;
  readonly createId: () => string;
  readonly commands: () => Promise<CommandTools>;
  readonly mcp: () => Promise<McpServers>;
  readonly sandbox: () => Promise<Sandbox>;
  readonly grammar: () => Promise<ShellGrammar>;
  readonly log: Logger;
}

/** The wishes that a client may have for a thread, new or not. */
export type ThreadWishes = Omit<ThreadStartParams, "sessionStartSource">;

/** Loads threads as the configuration and their clients say. */
export interface ThreadLoader {
  start(params: ThreadStartParams): Promise<Thread>;
  /** A thread that is stored and not loaded. */
  resume(threadId: string, wishes: ThreadWishes, options: { readonly takeOver: boolean }): Promise<Thread>;
  /** A new thread that begins with a part of another. */
  fork(threadId: string, wishes: ThreadWishes, boundary: ForkBoundary): Promise<Thread>;
}

export type ForkBoundary = Parameters<History["fork"]>[1];

interface Resolved {
  readonly effective: Effective;
  readonly provider: ReturnType<typeof chooseProvider>["provider"];
  readonly settings: ThreadSettings;
}

interface Loading {
  readonly threadId: string;
  readonly resolved: Resolved;
  readonly wishes: ThreadWishes;
  readonly dynamicTools: readonly DynamicToolSpec[];
  readonly journal: ThreadJournal | null;
  readonly resumed: ResumedThread | null;
  readonly origin: Pick<ThreadOrigin, "originator"> & {
    readonly threadSource: string | null;
    readonly forkedFromId: string | null;
    readonly git: GitInfo | null;
  };
}

export function createThreadLoader(options: ThreadLoaderOptions): ThreadLoader {
  const { config, engine, identity, env, cwd, log, clock, createId } = options;

  async function resolveFor(wishes: ThreadWishes): Promise<Resolved> {
    const folder = resolve(cwd, wishes.cwd ?? ".");
    const thread = wishes.config ?? null;
    const effective = unwrapConfig(await (await config.get()).effective({ cwd: folder, thread }));
    const { provider, model } = chooseProvider(effective, env, wishes.modelProvider);
    const settings = resolveThreadSettings(wishes, {
      values: effective.values,
      cwd: folder,
      modelProvider: provider.id,
      defaultModel: model,
      trusted: effective.trustLevel === "trusted",
    });
    return { effective, provider, settings };
  }

  /** A client that names a folder and lets a thread write there has decided that the folder is trusted. */
  async function resolveTrusting(wishes: ThreadWishes): Promise<Resolved> {
    const resolved = await resolveFor(wishes);
    const { effective, settings } = resolved;
    const impliesTrust =
      typeof wishes.cwd === "string" &&
      effective.trustLevel === undefined &&
      settings.sandbox.type !== "readOnly";
    if (!impliesTrust) return resolved;
    const trusted = await (await config.get()).trustProject(settings.cwd);
    if (trusted.ok) return resolveFor(wishes);
    const reason = trusted.error.message;
    log.warn("a project could not be marked as trusted", { folder: settings.cwd, reason });
    return resolved;
  }

  /** The thread's MCP servers; one that it cannot do without keeps it from starting. */
  async function prepareMcp({ threadId, resolved, wishes }: Loading): Promise<void> {
    const { values } = resolved.effective;
    if (Object.keys(values.mcp_servers ?? {}).length === 0) return;
    const prepared = await (await options.mcp()).prepare({
      values,
      cwd: resolved.settings.cwd,
      settings: () => engine.find(threadId)?.settings ?? resolved.settings,
      reread: async () => (await resolveFor(wishes)).effective.values,
    });
    if (prepared.kind === "missing") {
      const reason = `Failed to initialize session: ${prepared.message}`;
      throw new AppError("mcp", `error creating thread: Fatal error: ${reason}`);
    }
    prepared.register(threadId);
  }

  async function load(loading: Loading): Promise<Thread> {
    const { threadId, resolved, wishes, journal, resumed, origin } = loading;
    const { effective, provider, settings } = resolved;
    const base: SetupBase = {
      threadId,
      provider,
      values: effective.values,
      features: effective.features,
      dynamicTools: loading.dynamicTools,
      rules: once(() => openRules(effective, config.home, log)).get,
      grants: new Set(),
    };
    await prepareMcp(loading);
    const setup = (wanted: ThreadSettings) =>
      createTurnSetup(wanted, base, { ...options, home: config.home });
    return engine.start({
      id: threadId,
      settings,
      setup,
      firstSetup: await setup(settings),
      ...origin,
      ephemeral: wishes.ephemeral ?? false,
      rawEvents: wishes.experimentalRawEvents ?? false,
      installationId: readInstallationId(config.home),
      identityHeaders: () => ({ originator: identity.originator, "user-agent": identity.userAgent }),
      journal,
      resumed,
      onLost: () => engine.unload(threadId),
    });
  }

  function describeOrigin(threadId: string, { settings }: Resolved, wishes: ThreadWishes) {
    return {
      threadId,
      createdAtMs: clock.now(),
      cwd: settings.cwd,
      workspaceRoots: [settings.cwd],
      originator: identity.originator,
      version: peerVersion,
      source: "vscode",
      threadSource: wishes.threadSource ?? null,
      modelProvider: settings.modelProvider,
      baseInstructions: settings.baseInstructions ?? BASE_INSTRUCTIONS,
      git: readGitInfo(settings.cwd),
    } satisfies ForkOrigin;
  }

  return {
    async start(params) {
      const resolved = await resolveTrusting(params);
      const threadId = createId();
      const dynamicTools = readDynamicTools(params.dynamicTools ?? []);
      const origin = describeOrigin(threadId, resolved, params);
      const isKept = params.ephemeral !== true;
      const journal = isKept
        ? (await options.history()).create({ ...origin, dynamicTools, historyMode: "paginated" })
        : null;
      return load({
        threadId,
        resolved,
        wishes: params,
        dynamicTools,
        journal,
        resumed: null,
        origin: { ...origin, forkedFromId: null },
      });
    },

    async resume(threadId, wishes, { takeOver }) {
      const opened = accept(await (await options.history()).open(threadId, { takeOver }));
      try {
        const recalled = recallThread(opened, wishes);
        const resolved = await resolveFor(await withKnownProvider(recalled.wishes, config, env));
        const settings = changeSettings(resolved.settings, recalled.change);
        const { facts } = opened;
        return await load({
          threadId,
          resolved: { ...resolved, settings },
          wishes,
          dynamicTools: Array.isArray(facts.dynamicTools) ? readDynamicTools(facts.dynamicTools) : [],
          journal: opened.journal,
          resumed: recalled.resumed,
          origin: {
            originator: facts.originator,
            threadSource: facts.threadSource,
            forkedFromId: facts.forkedFromId,
            git: facts.gitInfo,
          },
        });
      } catch (error) {
        await opened.journal.close();
        throw error;
      }
    },

    async fork(sourceId, wishes, boundary) {
      const history = await options.history();
      const source = await history.read(sourceId);
      const asked = { ...wishes, cwd: wishes.cwd ?? source?.row.facts.cwd ?? null };
      const resolved = await resolveFor(asked);
      const threadId = createId();
      const origin = describeOrigin(threadId, resolved, asked);
      const opened = accept(await history.fork(sourceId, boundary, origin));
      const { resumed } = recallThread(opened, asked);
      return load({
        threadId,
        resolved,
        wishes: asked,
        dynamicTools: [],
        journal: opened.journal,
        resumed: { ...resumed, createdAtMs: origin.createdAtMs, updatedAtMs: origin.createdAtMs },
        origin: { ...origin, forkedFromId: sourceId },
      });
    },
  };
}

/** A thread whose provider is no longer configured goes on with the one that is. */
async function withKnownProvider(
  wishes: ThreadWishes,
  config: ConfigSource,
  env: Environment,
): Promise<ThreadWishes> {
  const effective = unwrapConfig(await (await config.get()).effective());
  try {
    chooseProvider(effective, env, wishes.modelProvider);
    return wishes;
  } catch {
    return { ...wishes, modelProvider: null };
  }
}

function accept(opened: OpenedThread | Refusal): OpenedThread {
  if (opened.kind === "refused") throw invalidRequest(opened.message);
  return opened;
}

function readDynamicTools(given: NonNullable<ThreadStartParams["dynamicTools"]>) {
  const read = readOfferedTools(given);
  if (read.kind === "wrong") throw invalidRequest(read.message);
  return read.tools;
}
