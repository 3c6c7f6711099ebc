import type { Clock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import { AppError } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import type { Once } from "../../base/tasks.ts";
import { BASE_INSTRUCTIONS } from "../../engine/context/instructions.ts";
import type { Engine } from "../../engine/engine.ts";
import type { HookObserver } from "../../engine/hooks/observer.ts";
import type { ThreadSettings } from "../../engine/state/settings.ts";
import { keptRootsOf } from "../../engine/state/stored-settings.ts";
import type { ResumedThread, Thread } from "../../engine/thread-options.ts";
import type { RuleBook } from "../../policy/rules/rule-book.ts";
import type { ShellGrammar } from "../../policy/shell/shell-grammar.ts";
import type {
  ConfigWarningNotification,
  DynamicToolSpec,
  GitInfo,
  SessionSource,
  ThreadHistoryMode,
  ThreadStartParams,
} from "../../protocol/generated/types.ts";
import { peerVersion } from "../../protocol/peer-methods.ts";
import type { Guard } from "../../sandbox/guard.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { SandboxWritablePaths } from "../../sandbox/writable-paths.ts";
import type { Journal } from "../../store/journal.ts";
import type { Store } from "../../store/store.ts";
import type { ForkOrigin, ThreadStore } from "../../store/thread-store.ts";
import { readOfferedTools } from "../../tools/dynamic/offered-tools.ts";
import type { ClientExtensions } from "../../tools/mcp/client-extensions.ts";
import { createPermissionGrants } from "../../tools/permissions/permission-grants.ts";
import type { ConfigSource } from "../configuration/config-source.ts";
import type { Identity } from "../configuration/identity.ts";
import { readInstallationId } from "../configuration/installation-id.ts";
import { refuse } from "../configuration/refusal.ts";
import type { CommandTools } from "../machine/command-tools.ts";
import type { HookTools } from "../machine/hook-tools.ts";
import type { McpServers } from "../mcp/mcp-servers.ts";
import { createHookPorts } from "../setup/hook-ports.ts";
import { type Hooks, hookWarnings } from "../setup/hooks.ts";
import type { ProviderModels } from "../setup/provider-models.ts";
import type { Skills } from "../setup/skills.ts";
import { createTurnSetup, type SetupBase } from "../setup/thread-setup.ts";
import { readGitInfo } from "./git-info.ts";
import { configOverrides, type Resolved, resolveThread, type ThreadOverrides } from "./thread-resolution.ts";
import { threadWarnings } from "./thread-warnings.ts";

/** Who observes the events at which hooks run. */
export interface LifecycleObservers {
  observerOf(threadId: string): HookObserver;
}

export interface ThreadLoaderOptions {
  readonly config: ConfigSource;
  readonly engine: Engine;
  readonly models: ProviderModels;
  readonly store: Pick<Once<Store>, "get">;
  readonly threadStore: () => Promise<ThreadStore>;
  readonly skills: () => Promise<Skills>;
  readonly hooks: () => Promise<Hooks>;
  readonly identity: Identity;
  readonly env: Environment;
  readonly cwd: string;
  readonly clock: Clock;
  readonly createId: () => string;
  readonly commands: () => Promise<CommandTools>;
  /** Who hears of the events at which hooks run. */
  readonly lifecycle: LifecycleObservers;
  readonly hookTools: () => Promise<HookTools>;
  readonly mcp: () => Promise<McpServers>;
  readonly sandbox: () => Promise<Sandbox>;
  readonly places: SandboxWritablePaths;
  readonly guard: Guard;
  readonly grammar: () => Promise<ShellGrammar>;
  readonly log: Logger;
  /** What clients were told of the rules when they were welcomed. */
  readonly rulesWarning: () => Promise<ConfigWarningNotification | null>;
  /** Whether what the server remembers may be written into the home. */
  readonly writesHome: boolean;
  /** Lets go of what was kept for a thread that is not loaded after all. */
  readonly forget: (threadId: string) => void;
}

/** Everything that is known of a thread before it is loaded. */
export interface Loading {
  readonly threadId: string;
  readonly resolved: Resolved;
  readonly overrides: ThreadOverrides;
  /** What the client that asks for the thread can do for MCP servers. */
  readonly extensions: ClientExtensions;
  readonly rules: () => Promise<RuleBook>;
  readonly dynamicTools: readonly DynamicToolSpec[];
  readonly journal: Journal | null;
  readonly resumed: ResumedThread | null;
  /** The model that its last turn was for; null when there is none. */
  readonly recordedModel: string | null;
  readonly origin: {
    readonly originator: string;
    readonly source: SessionSource;
    readonly threadSource: string | null;
    readonly forkedFromId: string | null;
    readonly beginning: "new" | "cold_resume" | "warm_fork";
    readonly git: GitInfo | null;
    readonly historyMode: ThreadHistoryMode;
  };
}

/** Puts a thread together and gives it to the engine. */
export async function loadThread(loading: Loading, options: ThreadLoaderOptions): Promise<Thread> {
  const { threadId, resolved, overrides, journal, resumed, origin } = loading;
  const { config, engine, identity } = options;
  const { effective, provider, settings } = resolved;
  const all = await options.hooks();
  const source = all.follow(threadId, {
    cwd: settings.cwd,
    thread: configOverrides(overrides),
    effective,
  });
  const { requiredFailures } = await source.current();
  if (requiredFailures.length > 0) {
    throw cannotLoad(origin, `failed to load required managed hooks: ${requiredFailures.join("; ")}`);
  }
  const base: SetupBase = {
    threadId,
    writerFence: () => (journal === null ? { threadId, ephemeral: true } : journal.fence),
    provider,
    values: effective.values,
    features: effective.features,
    dynamicTools: loading.dynamicTools,
    rules: loading.rules,
    grants: new Set(),
    granted: createPermissionGrants(),
  };
  await prepareMcp(loading, options);
  const identityHeaders = () => ({ originator: identity.originator, "user-agent": identity.userAgent });
  const hooks = createHookPorts({
    ...options,
    threadId,
    source,
    pins: all.pins,
    observer: options.lifecycle.observerOf(threadId),
    execEnvFor: all.execEnvFor,
    model: () => options.models.of(provider),
    identityHeaders,
  });
  // What they run is pinned before the thread's first command can change it.
  const found = await hooks.checked(await hooks.configured(), settings.cwd);
  const setup = (wanted: ThreadSettings) => createTurnSetup(wanted, base, { ...options, home: config.home });
  return engine.start({
    id: threadId,
    settings,
    configOverrides: configOverrides(overrides),
    setup,
    firstSetup: await setup(settings),
    warnings: [
      ...threadWarnings(loading, config.home),
      ...hookWarnings(found),
      ...(hooks.takeWarnings?.() ?? []),
    ],
    ...origin,
    ephemeral: overrides.ephemeral ?? false,
    rawEvents: overrides.experimentalRawEvents ?? false,
    installationId: readInstallationId(config.home, { isKept: options.writesHome }),
    identityHeaders,
    hooks,
    transcriptPath: () => journal?.location ?? null,
    journal,
    resumed,
    onTakenOver: () => engine.unload(threadId),
  });
}

/** The thread's MCP servers; one that it cannot do without keeps it from starting. */
async function prepareMcp(
  { threadId, resolved, overrides, extensions, origin }: Loading,
  options: ThreadLoaderOptions,
): Promise<void> {
  const { values } = resolved.effective;
  if (Object.keys(values.mcp_servers ?? {}).length === 0) return;
  const prepared = await (await options.mcp()).prepare({
    values,
    cwd: resolved.settings.cwd,
    extensions,
    isUsers: origin.threadSource === "user",
    settings: () => options.engine.find(threadId)?.settings ?? resolved.settings,
    reread: async () => (await resolveThread(overrides, options)).effective.values,
  });
  if (prepared.kind === "missing") throw cannotLoad(origin, prepared.message);
  prepared.register(threadId);
}

/** In the words of the peer. */
function cannotLoad({ beginning }: Loading["origin"], reason: string): AppError {
  const doing = beginning === "cold_resume" ? "resuming" : "creating";
  return new AppError(
    "thread.setup",
    `error ${doing} thread: Fatal error: Failed to initialize session: ${reason}`,
  );
}

/** What the first line of a new thread says of it. */
export function describeOrigin(
  threadId: string,
  { settings }: Resolved,
  overrides: ThreadOverrides,
  { identity }: ThreadLoaderOptions,
) {
  return {
    threadId,
    cwd: settings.cwd,
    workspaceRoots: keptRootsOf(settings),
    originator: identity.originator,
    version: peerVersion,
    source: identity.source,
    threadSource: overrides.threadSource ?? null,
    modelProvider: settings.modelProvider,
    baseInstructions: settings.baseInstructions ?? BASE_INSTRUCTIONS,
    git: readGitInfo(settings.cwd),
  } satisfies ForkOrigin;
}

export function readDynamicTools(given: NonNullable<ThreadStartParams["dynamicTools"]>) {
  const read = readOfferedTools(given);
  if (read.kind === "wrong") throw refuse(read.message);
  return read.tools;
}
