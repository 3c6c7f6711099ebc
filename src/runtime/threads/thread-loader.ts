import { isDeepStrictEqual } from "node:util";
import { isRefusal } from "../../base/refusal.ts";
import { once } from "../../base/tasks.ts";
import { settingsApplied } from "../../engine/history/turn-lines.ts";
import { TURN_ABORTED } from "../../engine/items/response-items.ts";
import { changeSettings } from "../../engine/state/settings.ts";
import { matchesStoredSettings } from "../../engine/state/stored-settings.ts";
import type { Thread } from "../../engine/thread-options.ts";
import type { ContinuedWork } from "../../engine/turn/suspended-turn.ts";
import type {
  ConfigWarningNotification,
  ThreadHistoryMode,
  ThreadStartParams,
} from "../../protocol/generated/types.ts";
import type { Journal } from "../../store/journal.ts";
import { type EventState, nextEventState } from "../../store/lines/thread-events.ts";
import { noFacts } from "../../store/lines/thread-facts.ts";
import type { ThreadOrigin } from "../../store/lines/thread-lines.ts";
import { turnInterrupted } from "../../store/lines/turn-lines.ts";
import type { OpenedThread, ThreadStore } from "../../store/thread-store.ts";
import type { ClientExtensions } from "../../tools/mcp/client-extensions.ts";
import { storeOutcome, type ThreadRefusal } from "../configuration/thread-refusal.ts";
import { applyCeiling } from "../setup/ceiling.ts";
import { TRUST_BYPASSED } from "../setup/hooks.ts";
import { keepsQuestions } from "../setup/keeps-questions.ts";
import { openRules, rulesWarning } from "../setup/open-rules.ts";
import { limitSettings } from "../setup/requirements.ts";
import type { RuntimeDeps } from "../setup/runtime-deps.ts";
import { describeOrigin, type Loading, loadThread, readDynamicTools } from "./load-thread.ts";
import { recallPermissions, recallProfile, recallThread } from "./recall-thread.ts";
import { releaseThread } from "./release-thread.ts";
import {
  hasOverrides,
  type Resolved,
  resolveKnown,
  resolveTrusting,
  type ThreadOverrides,
  withKnownProvider,
} from "./resolve-thread.ts";
import { recallAgent, type SpawnRequest, spawnThread } from "./spawn-thread.ts";

/** Creates and loads threads from the configuration and the overrides of clients. */
export interface ThreadLoader {
  /** With a given id, other processes may create the same thread: the first one does, and the others are fenced. */
  start(
    params: ThreadStartParams,
    client: LoadingClient,
    given?: { readonly threadId: string },
  ): Promise<Thread | ThreadRefusal>;
  /** Loads a stored thread. */
  resume(
    threadId: string,
    overrides: ThreadOverrides,
    options: { readonly takeOver: boolean; readonly client: LoadingClient },
  ): Promise<Thread | ThreadRefusal>;
  /** Creates a thread with a part of another one's history. */
  fork(
    threadId: string,
    overrides: ThreadOverrides,
    options: { readonly boundary: ForkBoundary; readonly client: LoadingClient },
  ): Promise<Thread | ThreadRefusal>;
  /** Creates a thread for a task of another one. */
  spawn(parent: Thread, request: SpawnRequest, client: LoadingClient): Promise<Thread | ThreadRefusal>;
}

/** Limits settings to the administrator's requirements and to the rights of the parent thread. */
function limitRights({ resolved, origin }: Pick<Loading, "resolved" | "origin">) {
  const required = limitSettings(resolved.settings, resolved.effective.requirements);
  if (origin.agent === null) return required;
  const { settings, warnings } = applyCeiling(required.settings, origin.agent.ceiling);
  return { settings, warnings: [...required.warnings, ...warnings] };
}

/** The client that requests a thread. */
export interface LoadingClient {
  /** The subject of its token, who owns the threads that it creates; null without one. */
  readonly subject: string | null;
  /** Its capabilities for MCP servers. */
  readonly extensions: ClientExtensions;
  /** Called with settings that have no effect, and the reason. */
  readonly warn: (warning: ConfigWarningNotification) => void;
}

export type ForkBoundary = Parameters<ThreadStore["fork"]>[1];

/** Shared by all ways to load a thread. A thread that cannot be loaded releases its resources. */
export interface LoaderParts {
  readonly deps: RuntimeDeps;
  /** The rules of a thread, read on first use. */
  readonly rulesOf: (resolved: Resolved) => Loading["rules"];
  readonly load: (
    given: Omit<Loading, "rules" | "extensions">,
    client: LoadingClient,
    rules?: Loading["rules"],
  ) => Promise<Thread | ThreadRefusal>;
}

export function createThreadLoader(deps: RuntimeDeps): ThreadLoader {
  const rulesOf: LoaderParts["rulesOf"] = ({ effective, settings }) =>
    once(() => openRules(effective, deps.config, settings.cwd, deps.host.log)).get;

  const load: LoaderParts["load"] = async (given, { warn, extensions }, rules = rulesOf(given.resolved)) => {
    const { threadId, journal, resolved } = given;
    const { settings, warnings } = limitRights(given);
    const isNew = given.origin.beginning === "new";
    const bypass = isNew && resolved.effective.bypassesHookTrust ? [TRUST_BYPASSED] : [];
    for (const summary of [...warnings, ...bypass]) warn({ summary, details: null });
    const giveUp = async (): Promise<void> => {
      releaseThread(deps, threadId);
      await journal?.close();
    };
    try {
      const complete = { ...given, resolved: { ...resolved, settings }, rules, extensions };
      const thread = await loadThread(complete, deps);
      if (isRefusal(thread)) await giveUp();
      return thread;
    } catch (error) {
      await giveUp();
      throw error;
    }
  };

  const parts = { deps, rulesOf, load };
  return {
    start: (...call) => startThread(parts, ...call),
    resume: (...call) => resumeThread(parts, ...call),
    fork: (...call) => loadForkedThread(parts, ...call),
    spawn: (...call) => spawnThread(parts, ...call),
  };
}

/** Creates a thread; its file is created with its first turn. */
export async function startThread(
  { deps, rulesOf, load }: LoaderParts,
  params: ThreadStartParams,
  client: LoadingClient,
  given: { readonly threadId: string } | null = null,
): Promise<Thread | ThreadRefusal> {
  const resolved = await resolveTrusting(params, deps);
  if (isRefusal(resolved)) return resolved;
  const rules = rulesOf(resolved);
  const warning = rulesWarning(await rules());
  if (warning !== null && !isDeepStrictEqual(warning, await deps.rulesWarning())) client.warn(warning);
  const threadId = given?.threadId ?? deps.host.createId();
  const dynamicTools = readDynamicTools(params.dynamicTools ?? []);
  if (isRefusal(dynamicTools)) return dynamicTools;
  const origin = describeOrigin(threadId, resolved, { overrides: params, owner: client.subject }, deps);
  const stored = { ...origin, dynamicTools, ...(given !== null && { mayExist: true as const }) };
  const { journal, historyMode } = await createJournal(stored, params, deps);
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
    { ...loading, origin: { ...origin, historyMode, forkedFromId: null, agent: null, beginning: "new" } },
    client,
    rules,
  );
}

/** An ephemeral thread has no journal, and works even if the store cannot be opened. */
async function createJournal(
  origin: ThreadOrigin,
  { ephemeral, historyMode }: ThreadStartParams,
  { store }: RuntimeDeps,
): Promise<{ readonly journal: Journal | null; readonly historyMode: ThreadHistoryMode }> {
  if (ephemeral === true) return { journal: null, historyMode: historyMode ?? "paginated" };
  const { threads, files } = await store.get();
  if (historyMode === "legacy" && files !== null)
    return { journal: files.createLegacy(origin), historyMode: "legacy" };
  return { journal: threads.create(origin), historyMode: "paginated" };
}

/** Loads a stored thread with its own settings and the overrides of the client. */
export async function resumeThread(
  { deps, load }: LoaderParts,
  threadId: string,
  overrides: ThreadOverrides,
  { takeOver, client }: { readonly takeOver: boolean; readonly client: LoadingClient },
): Promise<Thread | ThreadRefusal> {
  const threadStore = (await deps.store.get()).threads;
  await deps.engine.whenClosed(threadId);
  const opened = storeOutcome(await threadStore.open(threadId, { takeOver }));
  if (isRefusal(opened)) return opened;
  const recalled = await recall(opened, threadId, overrides, deps).catch(async (error: unknown) => {
    await opened.journal.close();
    throw error;
  });
  if (isRefusal(recalled)) {
    await opened.journal.close();
    return recalled;
  }
  const { readState, ...known } = recalled;
  const thread = await load({ threadId, overrides, journal: opened.journal, ...known }, client);
  if (!isRefusal(thread) && readState !== undefined) thread.readState.set(readState);
  return thread;
}

/** The stored state of a thread, with its settings resolved. */
async function recall(opened: OpenedThread, threadId: string, overrides: ThreadOverrides, deps: RuntimeDeps) {
  const recalled = recallThread(opened, overrides);
  const known = await withKnownProvider(recalled.overrides, deps);
  if (isRefusal(known)) return known;
  const resolved = await resolveKnown(known, overrides, deps);
  if (isRefusal(resolved)) return resolved;
  const settings = changeSettings(resolved.settings, recalled.change);
  const { facts } = opened;
  const work = await recallWaiting(opened, resolved, deps);
  if (work === null) await endCutTurn(opened);
  const { threads } = await deps.store.get();
  const suspended = work === null ? null : { ...work, eventState: await readOpenTurn(threads, threadId) };
  // A file without settings gets them once there are settings to store.
  const hasCurrentSettings =
    facts.settings === null ? !hasOverrides(overrides) : matchesStoredSettings(facts.settings, settings);
  const { originator, source, threadSource, forkedFromId, owner, historyMode, gitInfo: git } = facts;
  const dynamicTools = Array.isArray(facts.dynamicTools) ? readDynamicTools(facts.dynamicTools) : [];
  if (isRefusal(dynamicTools)) return dynamicTools;
  return {
    resolved: { ...resolved, settings },
    dynamicTools,
    recordedModel: facts.model,
    resumed: { ...recalled.resumed, hasCurrentSettings, suspended },
    origin: {
      originator,
      source,
      threadSource,
      forkedFromId,
      owner,
      historyMode,
      git,
      agent: recallAgent(facts),
      beginning: "cold_resume" as const,
    },
    readState: (await (await deps.store.get()).threads.readStates([threadId])).get(threadId),
  };
}

/** The turn without an end, as the lines of the history describe it. */
async function readOpenTurn(threads: ThreadStore, threadId: string): Promise<EventState> {
  let state: EventState = null;
  const from = await threads.end(threadId);
  if (from === null) return state;
  for await (const { line } of threads.lines(threadId, { from, wholeTurn: true }))
    state = nextEventState(state, line);
  return state;
}

/** Ends a turn that was cut off with its process, so that clients which follow the thread learn of the end. */
async function endCutTurn({ journal, unfinishedTurnId }: OpenedThread): Promise<void> {
  if (unfinishedTurnId === null) return;
  // Where it cannot be written, the turn still reads as interrupted.
  await journal.append([turnInterrupted({ turnId: unfinishedTurnId, rootTurnId: null, startedAt: null })]);
}

/**
 * The process that asked the open questions of the thread has ended; otherwise it could not have been opened. They are
 * asked again with the turn that waits for them, or denied. A turn that waits for the end of a usage limit waits again.
 */
async function recallWaiting(
  opened: OpenedThread,
  { effective }: Pick<Resolved, "effective">,
  deps: RuntimeDeps,
): Promise<ContinuedWork | null> {
  const store = await deps.store.get();
  const waiting =
    opened.unfinishedTurnId === null
      ? null
      : await (await import("../waits/recall-wait.ts")).recallWait(opened, store, deps.host.log);
  if (waiting === null && opened.unfinishedTurnId !== null && keepsQuestions(effective.values, deps))
    return (await import("./recall-suspended.ts")).recallSuspended(opened, store);
  const { fence } = opened.journal;
  if (fence !== null) await store.decisions.closeUnanswered(fence);
  return waiting;
}

/** Creates a thread with a part of another one's history and with its permissions. */
export async function loadForkedThread(
  { deps, load }: LoaderParts,
  sourceId: string,
  overrides: ThreadOverrides,
  { boundary, client }: { readonly boundary: ForkBoundary; readonly client: LoadingClient },
): Promise<Thread | ThreadRefusal> {
  const threadStore = (await deps.store.get()).threads;
  const facts = (await threadStore.read(sourceId))?.facts ?? noFacts;
  const permissions = recallProfile(facts, overrides);
  const asked = { ...overrides, cwd: overrides.cwd ?? (facts.cwd || null) };
  const recalled = permissions === null ? asked : { ...asked, permissions };
  const found = await resolveKnown(recalled, overrides, deps);
  if (isRefusal(found)) return found;
  const settings = changeSettings(found.settings, recallPermissions(facts, overrides));
  const threadId = deps.host.createId();
  const resolved = { ...found, settings };
  const owner = client.subject ?? facts.owner;
  const origin = describeOrigin(threadId, resolved, { overrides: asked, owner }, deps);
  // The store reads the journal, which a running turn may be ahead of.
  await deps.engine.find(sourceId)?.flush();
  const opened = storeOutcome(
    overrides.ephemeral === true
      ? await threadStore.copy(sourceId, boundary, TURN_ABORTED)
      : await threadStore.fork(sourceId, boundary, {
          ...origin,
          opening: [settingsApplied(threadId, settings)],
          marker: TURN_ABORTED,
        }),
  );
  if (isRefusal(opened)) return opened;
  const { resumed } = recallThread(opened, asked);
  const createdAtMs = "journal" in opened ? opened.facts.createdAtMs : deps.host.clock.now();
  return load(
    {
      threadId,
      resolved,
      overrides: asked,
      dynamicTools: [],
      journal: "journal" in opened ? opened.journal : null,
      recordedModel: null,
      resumed: { ...resumed, createdAtMs, updatedAtMs: createdAtMs, hasCurrentSettings: true },
      origin: {
        ...origin,
        historyMode: opened.facts.historyMode,
        forkedFromId: sourceId,
        agent: null,
        beginning: "warm_fork",
      },
    },
    client,
  );
}
