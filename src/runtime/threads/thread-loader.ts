import { isDeepStrictEqual } from "node:util";
import { once } from "../../base/tasks.ts";
import { settingsApplied } from "../../engine/history/turn-lines.ts";
import { TURN_ABORTED } from "../../engine/items/response-items.ts";
import { changeSettings } from "../../engine/state/settings.ts";
import { keepsSettings } from "../../engine/state/stored-settings.ts";
import type { Thread } from "../../engine/thread-options.ts";
import type { ConfigWarningNotification, ThreadStartParams } from "../../protocol/generated/types.ts";
import { noFacts } from "../../store/lines/thread-facts.ts";
import type { OpenedThread, ThreadStore } from "../../store/thread-store.ts";
import type { ClientExtensions } from "../../tools/mcp/client-extensions.ts";
import { TRUST_BYPASSED } from "../setup/hooks.ts";
import { openRules, rulesWarning } from "../setup/open-rules.ts";
import { applyRequirements } from "../setup/requirements.ts";
import { accept } from "./accept.ts";
import {
  describeOrigin,
  type Loading,
  loadThread,
  readDynamicTools,
  type ThreadLoaderOptions,
} from "./load-thread.ts";
import { recallPermissions, recallProfile, recallThread } from "./recall-thread.ts";
import {
  hasOverrides,
  type Resolved,
  resolveKnown,
  resolveTrusting,
  type ThreadOverrides,
  withKnownProvider,
} from "./thread-resolution.ts";

/** Loads threads as the configuration and their clients say. */
export interface ThreadLoader {
  start(params: ThreadStartParams, client: LoadingClient): Promise<Thread>;
  /** A thread that is stored and not loaded. */
  resume(
    threadId: string,
    overrides: ThreadOverrides,
    options: { readonly takeOver: boolean; readonly client: LoadingClient },
  ): Promise<Thread>;
  /** A new thread that begins with a part of another. */
  fork(
    threadId: string,
    overrides: ThreadOverrides,
    options: { readonly boundary: ForkBoundary; readonly client: LoadingClient },
  ): Promise<Thread>;
}

/** Whoever asks for a thread. */
export interface LoadingClient {
  /** What it can do for MCP servers. */
  readonly extensions: ClientExtensions;
  /** Tells it what is configured or wanted and does not count. */
  readonly warn: (warning: ConfigWarningNotification) => void;
}

export type ForkBoundary = Parameters<ThreadStore["fork"]>[1];

/** What each way to load a thread ends with; a thread that cannot be loaded leaves nothing open. */
export interface LoaderParts {
  readonly options: ThreadLoaderOptions;
  /** The rules of a thread, read when they are first asked for. */
  readonly rulesOf: (resolved: Resolved) => Loading["rules"];
  readonly load: (
    given: Omit<Loading, "rules" | "extensions">,
    client: LoadingClient,
    rules?: Loading["rules"],
  ) => Promise<Thread>;
}

export function createThreadLoader(options: ThreadLoaderOptions): ThreadLoader {
  const rulesOf: LoaderParts["rulesOf"] = ({ effective, settings }) =>
    once(() => openRules(effective, { ...options.config, cwd: settings.cwd }, options.log)).get;

  const load: LoaderParts["load"] = async (given, { warn, extensions }, rules = rulesOf(given.resolved)) => {
    const { threadId, journal, resolved } = given;
    const { settings, warnings } = applyRequirements(resolved.settings, resolved.effective.requirements);
    const isNew = given.origin.beginning === "new";
    const bypass = isNew && resolved.effective.bypassesHookTrust ? [TRUST_BYPASSED] : [];
    for (const summary of [...warnings, ...bypass]) warn({ summary, details: null });
    try {
      return await loadThread({ ...given, resolved: { ...resolved, settings }, rules, extensions }, options);
    } catch (error) {
      options.forget(threadId);
      await journal?.close();
      throw error;
    }
  };

  const parts = { options, rulesOf, load };
  return {
    start: (...call) => startThread(parts, ...call),
    resume: (...call) => resumeThread(parts, ...call),
    fork: (...call) => forkThread(parts, ...call),
  };
}

/** A new thread; its file is made with its first turn. */
export async function startThread(
  { options, rulesOf, load }: LoaderParts,
  params: ThreadStartParams,
  client: LoadingClient,
): Promise<Thread> {
  const resolved = await resolveTrusting(params, options);
  const rules = rulesOf(resolved);
  const warning = rulesWarning(await rules());
  if (warning !== null && !isDeepStrictEqual(warning, await options.rulesWarning())) client.warn(warning);
  const threadId = options.createId();
  const dynamicTools = readDynamicTools(params.dynamicTools ?? []);
  const origin = describeOrigin(threadId, resolved, params, options);
  // A thread that is not kept needs no store, which may be one that cannot be opened.
  const store = params.ephemeral === true ? null : await options.store.get();
  const isLegacy = params.historyMode === "legacy" && store?.files !== null;
  const historyMode = isLegacy ? "legacy" : "paginated";
  const create = (isLegacy ? store?.files?.createLegacy : store?.threads.create) ?? null;
  const journal = create === null ? null : create({ ...origin, dynamicTools });
  const loading = {
    threadId,
    resolved,
    overrides: params,
    dynamicTools,
    journal,
    resumed: null,
    recordedModel: null,
  };
  return load(
    { ...loading, origin: { ...origin, historyMode, forkedFromId: null, beginning: "new" } },
    client,
    rules,
  );
}

/** A thread that is stored and not loaded goes on as it was, but for what its client overrides. */
export async function resumeThread(
  { options, load }: LoaderParts,
  threadId: string,
  overrides: ThreadOverrides,
  { takeOver, client }: { readonly takeOver: boolean; readonly client: LoadingClient },
): Promise<Thread> {
  const threadStore = await options.threadStore();
  await options.engine.whenClosed(threadId);
  const opened = accept(await threadStore.open(threadId, { takeOver }));
  const { readState, ...recalled } = await recall(opened, threadId, overrides, options).catch(
    async (error: unknown) => {
      await opened.journal.close();
      throw error;
    },
  );
  const thread = await load({ threadId, overrides, journal: opened.journal, ...recalled }, client);
  if (readState !== undefined) thread.readState.become(readState);
  return thread;
}

/** What the thread goes on with. */
async function recall(
  opened: OpenedThread,
  threadId: string,
  overrides: ThreadOverrides,
  options: ThreadLoaderOptions,
) {
  // Whoever waited for these answers has ended, or the thread could not have been opened.
  const { fence } = opened.journal;
  if (fence !== null) await (await options.store.get()).decisions.closeUnanswered(fence);
  const recalled = recallThread(opened, overrides);
  const known = await withKnownProvider(recalled.overrides, options);
  const resolved = await resolveKnown(known, overrides, options);
  const settings = changeSettings(resolved.settings, recalled.change);
  const { facts } = opened;
  // A file without settings gets them when there are some to remember.
  const isKept = facts.settings === null ? !hasOverrides(overrides) : keepsSettings(facts.settings, settings);
  const { originator, source, threadSource, forkedFromId, historyMode, gitInfo: git } = facts;
  return {
    resolved: { ...resolved, settings },
    dynamicTools: Array.isArray(facts.dynamicTools) ? readDynamicTools(facts.dynamicTools) : [],
    recordedModel: facts.model,
    resumed: { ...recalled.resumed, keepsSettings: isKept },
    origin: {
      originator,
      source,
      threadSource,
      forkedFromId,
      historyMode,
      git,
      beginning: "cold_resume" as const,
    },
    readState: (await (await options.threadStore()).readStates([threadId])).get(threadId),
  };
}

/** A new thread that begins with a part of another, and has its permissions. */
export async function forkThread(
  { options, load }: LoaderParts,
  sourceId: string,
  overrides: ThreadOverrides,
  { boundary, client }: { readonly boundary: ForkBoundary; readonly client: LoadingClient },
): Promise<Thread> {
  const threadStore = await options.threadStore();
  const facts = (await threadStore.read(sourceId))?.facts ?? noFacts;
  const permissions = recallProfile(facts, overrides);
  const asked = { ...overrides, cwd: overrides.cwd ?? (facts.cwd || null) };
  const recalled = permissions === null ? asked : { ...asked, permissions };
  const found = await resolveKnown(recalled, overrides, options);
  const settings = changeSettings(found.settings, recallPermissions(facts, overrides));
  const threadId = options.createId();
  const resolved = { ...found, settings };
  const origin = describeOrigin(threadId, resolved, asked, options);
  const opened = accept(
    overrides.ephemeral === true
      ? await threadStore.copy(sourceId, boundary, TURN_ABORTED)
      : await threadStore.fork(sourceId, boundary, {
          ...origin,
          opening: [settingsApplied(threadId, settings)],
          marker: TURN_ABORTED,
        }),
  );
  const { resumed } = recallThread(opened, asked);
  const createdAtMs = "journal" in opened ? opened.facts.createdAtMs : options.clock.now();
  return load(
    {
      threadId,
      resolved,
      overrides: asked,
      dynamicTools: [],
      journal: "journal" in opened ? opened.journal : null,
      recordedModel: null,
      resumed: { ...resumed, createdAtMs, updatedAtMs: createdAtMs, keepsSettings: true },
      origin: {
        ...origin,
        historyMode: opened.facts.historyMode,
        forkedFromId: sourceId,
        beginning: "warm_fork",
      },
    },
    client,
  );
}
