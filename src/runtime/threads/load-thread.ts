import { isRefusal, refusal } from "../../base/refusal.ts";
import type { ModelProvider } from "../../config/model-provider.ts";
import type { ConfigValues } from "../../config/schema/config-schema.ts";
import { BASE_INSTRUCTIONS } from "../../engine/context/instructions.ts";
import type { ThreadSettings } from "../../engine/state/settings.ts";
import type { SpawnedAgent } from "../../engine/state/spawned-agent.ts";
import { storedRootsOf } from "../../engine/state/stored-settings.ts";
import type { ResumedThread, Thread } from "../../engine/thread-options.ts";
import type { RuleBook } from "../../policy/rules/rule-book.ts";
import type {
  DynamicToolSpec,
  GitInfo,
  SessionSource,
  ThreadHistoryMode,
  ThreadStartParams,
} from "../../protocol/generated/types.ts";
import { peerVersion } from "../../protocol/peer-methods.ts";
import type { Journal } from "../../store/journal.ts";
import type { ForkOrigin } from "../../store/thread-store.ts";
import { readOfferedTools } from "../../tools/dynamic/offered-tools.ts";
import type { ClientExtensions } from "../../tools/mcp/client-extensions.ts";
import { createPermissionGrants } from "../../tools/permissions/permission-grants.ts";
import { orThrow, refuseInvalid, type ThreadRefusal } from "../configuration/thread-refusal.ts";
import { createHookPorts } from "../setup/hook-ports.ts";
import { hookWarnings } from "../setup/hooks.ts";
import { keepsQuestions } from "../setup/keeps-questions.ts";
import { NO_FALLBACKS } from "../setup/model-fallbacks.ts";
import type { RuntimeDeps } from "../setup/runtime-deps.ts";
import { createTurnSetup, type SetupBase } from "../setup/thread-setup.ts";
import { readGitInfo } from "./git-info.ts";
import { configOverrides, type Resolved, resolveThread, type ThreadOverrides } from "./resolve-thread.ts";
import { threadWarnings } from "./thread-warnings.ts";

/** The facts of a thread that are needed to load it. */
export interface Loading {
  readonly threadId: string;
  readonly resolved: Resolved;
  readonly overrides: ThreadOverrides;
  /** Capabilities of the client for MCP servers. */
  readonly extensions: ClientExtensions;
  readonly rules: () => Promise<RuleBook>;
  readonly dynamicTools: readonly DynamicToolSpec[];
  readonly journal: Journal | null;
  readonly resumed: ResumedThread | null;
  /** The model of its last turn; null if there is none. */
  readonly recordedModel: string | null;
  readonly origin: {
    readonly originator: string;
    readonly source: SessionSource;
    readonly threadSource: string | null;
    readonly forkedFromId: string | null;
    readonly owner: string | null;
    /** Null for a thread of a user. */
    readonly agent: SpawnedAgent | null;
    readonly beginning: "new" | "cold_resume" | "warm_fork";
    readonly git: GitInfo | null;
    readonly historyMode: ThreadHistoryMode;
  };
}

/** Creates the hooks, tools and setup of a thread, and starts it in the engine. */
export async function loadThread(loading: Loading, deps: RuntimeDeps): Promise<Thread | ThreadRefusal> {
  const { threadId, resolved, overrides, journal, resumed, origin } = loading;
  const { host, config, engine, identity, machine } = deps;
  const { effective, provider, settings } = resolved;
  const all = await deps.hooks.get();
  const source = all.follow(threadId, {
    cwd: settings.cwd,
    thread: configOverrides(overrides),
    effective,
  });
  const { requiredFailures } = await source.current();
  if (requiredFailures.length > 0) {
    return cannotLoad(origin, `failed to load required managed hooks: ${requiredFailures.join("; ")}`);
  }
  const configured = deps.announcements.configure(effective.layers);
  if (configured !== null) await configured;
  const { values } = effective;
  const fallbacks =
    values.model_fallbacks === null ? NO_FALLBACKS : await openFallbacks(values, provider, deps);
  const base: SetupBase = {
    threadId,
    writerFence: () => (journal === null ? { threadId, ephemeral: true } : journal.fence),
    provider,
    fallbacks,
    values,
    features: effective.features,
    keepsQuestions: journal !== null && keepsQuestions(values, deps),
    dynamicTools: loading.dynamicTools,
    rules: loading.rules,
    grants: new Set(),
    granted: createPermissionGrants(),
  };
  const refused = await prepareMcp(loading, deps);
  if (refused !== null) return refused;
  const identityHeaders = () => ({ originator: identity.originator, "user-agent": identity.userAgent });
  const hooks = createHookPorts({
    env: host.env,
    clock: host.clock,
    log: host.log,
    machine,
    mcp: deps.mcp.get,
    threadId,
    source,
    pins: all.pins,
    observer: deps.observers.observerOf(threadId),
    execEnvFor: all.execEnvFor,
    model: () => deps.models.of(provider),
    identityHeaders,
  });
  // The files of hooks are pinned before the thread's first command can change them.
  const found = await hooks.checked(await hooks.configured(), settings.cwd);
  const setup = (wanted: ThreadSettings) => createTurnSetup(wanted, base, deps);
  const firstSetup = await setup(settings);
  if (isRefusal(firstSetup)) return firstSetup;
  return engine.start({
    id: threadId,
    settings,
    configOverrides: configOverrides(overrides),
    setup: async (wanted) => orThrow(await setup(wanted)),
    firstSetup,
    warnings: [
      ...threadWarnings(loading, config.home),
      ...fallbacks.warnings,
      ...hookWarnings(found),
      ...(hooks.takeWarnings?.() ?? []),
    ],
    ...origin,
    ephemeral: overrides.ephemeral ?? false,
    rawEvents: overrides.experimentalRawEvents ?? false,
    installationId: deps.installationId(),
    identityHeaders,
    hooks,
    transcriptPath: () => journal?.location ?? null,
    journal,
    resumed,
    endEffects: deps.announcements.endEffects(threadId),
    onTakenOver: () => engine.unload(threadId),
  });
}

async function openFallbacks(values: ConfigValues, provider: ModelProvider, deps: RuntimeDeps) {
  const { openModelFallbacks } = await import("../setup/open-model-fallbacks.ts");
  return openModelFallbacks(values, provider, deps);
}

/** Prepares the thread's MCP servers; a required one that fails keeps the thread from starting. */
async function prepareMcp(
  { threadId, resolved, overrides, extensions, origin }: Loading,
  deps: RuntimeDeps,
): Promise<ThreadRefusal | null> {
  const { values } = resolved.effective;
  if (Object.keys(values.mcp_servers ?? {}).length === 0) return null;
  const prepared = await (await deps.mcp.get()).prepare({
    values,
    cwd: resolved.settings.cwd,
    extensions,
    isUsers: origin.threadSource === "user",
    // A call is checked against the settings of its turn.
    settings: () => deps.engine.find(threadId)?.turnSettings ?? resolved.settings,
    async reread() {
      const again = await resolveThread(overrides, deps);
      return isRefusal(again) ? again : again.effective.values;
    },
  });
  if (prepared.kind === "missing") return cannotLoad(origin, prepared.message);
  prepared.register(threadId);
  return null;
}

/** The wording is that of the peer. */
function cannotLoad({ beginning }: Loading["origin"], reason: string): ThreadRefusal {
  const doing = beginning === "cold_resume" ? "resuming" : "creating";
  return refusal(
    "unavailable",
    `error ${doing} thread: Fatal error: Failed to initialize session: ${reason}`,
  );
}

/** The first line of a new thread. */
export function describeOrigin(
  threadId: string,
  { settings }: Resolved,
  { overrides, owner }: { readonly overrides: ThreadOverrides; readonly owner: string | null },
  { identity, config }: Pick<RuntimeDeps, "identity" | "config">,
) {
  return {
    threadId,
    owner,
    cwd: settings.cwd,
    workspaceRoots: storedRootsOf(settings),
    originator: identity.originator,
    version: peerVersion,
    source: identity.source,
    threadSource: overrides.threadSource ?? null,
    modelProvider: settings.modelProvider,
    baseInstructions: settings.baseInstructions ?? BASE_INSTRUCTIONS,
    git: readGitInfo(settings.cwd, config.stat),
  } satisfies ForkOrigin;
}

export function readDynamicTools(
  given: NonNullable<ThreadStartParams["dynamicTools"]>,
): readonly DynamicToolSpec[] | ThreadRefusal {
  const read = readOfferedTools(given);
  return read.kind === "wrong" ? refuseInvalid(read.message) : read.tools;
}
