// `thread/resume`: loads a stored thread, or subscribes to one that is loaded.

import type { Engine } from "../../engine/engine.ts";
import { accepted } from "../../engine/state/accepted.ts";
import { toCollaborationMode } from "../../engine/state/settings.ts";
import type { Thread } from "../../engine/thread-options.ts";
import type {
  ThreadResumeParams,
  ThreadTokenUsageUpdatedNotification,
  Turn,
  TurnsPage,
} from "../../protocol/generated/types.ts";
import { readWithDeadline } from "../../runtime/machine/mount-check.ts";
import { describeSettings } from "../../runtime/setup/thread-settings.ts";
import { readGoal } from "../../runtime/threads/goal-change.ts";
import { hasOverrides } from "../../runtime/threads/resolve-thread.ts";
import type { Store } from "../../store/store.ts";
import type { Page, ThreadStore } from "../../store/thread-store.ts";
import type { ClientConnection } from "../connections/client-connection.ts";
import { type Handlers, invalidRequest, unwrap, WrongLane } from "../connections/handler.ts";
import { encodeLargeHistory } from "./large-history.ts";
import {
  acceptPage,
  HYDRATION_NOTICE,
  readWholeHistory,
  showLoaded,
  withRunningHooks,
} from "./stored-threads.ts";
import { readPosition } from "./thread-subscribe.ts";
import type { LoadingParts, ThreadHandlersOptions } from "./threads.ts";
import { usageTurnOf } from "./usage-turn.ts";

export function createResumeHandler(
  options: ThreadHandlersOptions,
  { findStored, clientOf, sendWarnings }: LoadingParts,
): Handlers<"thread/resume"> {
  const { engine, subscriptions, notifier, requests, threads } = options;

  /** Whether a loaded thread is idle and has no subscribers. */
  function isUnused(threadId: string): boolean {
    const isFollowed = subscriptions.of(threadId).size > 0;
    return !isFollowed && engine.find(threadId)?.status().type === "idle";
  }

  /** Clients that request the whole history of a paginated thread get a deprecation notice. */
  async function warnOfHydration(threadId: string, connection: ClientConnection): Promise<void> {
    const entry = await (await options.threadStore()).read(threadId);
    if (entry?.facts.historyMode === "paginated" && !entry.archived)
      notifier.to([connection], "deprecationNotice", HYDRATION_NOTICE);
  }

  /** All turns of the thread, including items of the running turn that are not stored yet. */
  async function turnsOf(thread: Thread): Promise<Turn[]> {
    if (thread.view().ephemeral) return [];
    const turns = withRunningHooks(await readWholeHistory(await options.threadStore(), thread.id), thread);
    const last = turns.at(-1);
    if (last?.status !== "inProgress") return turns;
    const known = new Set(last.items.map(({ id }) => id));
    const open = thread.openItems().filter(({ id }) => !known.has(id));
    return [...turns.slice(0, -1), { ...last, items: [...last.items, ...open] }];
  }

  return {
    /** A loaded thread is joined with its current settings. */
    async "thread/resume"(params, { connection, lane, afterResponse }) {
      const wantsTurns = params.excludeTurns !== true;
      const after = readPosition(connection, "thread/resume", params.afterSeq ?? null);
      checkLoaded(engine, params);
      const threadId = await findStored(params);
      // The path may resolve to another thread than the one whose lane the request holds.
      if (threadId !== lane.threadId) throw new WrongLane(threadId);
      if (params.path) await refuseStale(await options.store(), threadId, params.path);
      if (isUnused(threadId) && hasOverrides(params)) await engine.release(threadId);
      const loaded = engine.find(threadId);
      if (wantsTurns) await warnOfHydration(threadId, connection);
      const how = { takeOver: params.takeOver ?? false, client: clientOf(connection) };
      const resumed =
        loaded === undefined ? unwrap(await threads.resume(lane, params, how)) : accepted(loaded);
      const thread = resumed.value;
      if (after === null) subscriptions.add(thread.id, connection);
      else options.replays.hold(connection, thread.id, after);
      const turns = wantsTurns ? await turnsOf(thread) : [];
      if (loaded === undefined) {
        notifier.toAll("thread/status/changed", { threadId, status: thread.status() });
      }
      const threadStore = await options.threadStore();
      const pages = await firstPages(threadStore, thread, params.initialTurnsPage);
      const stored = await threadStore.read(threadId);
      const goal = readGoal(threadId, stored?.facts.goal ?? null);
      // When a thread is loaded, recovery of its queue notifies all clients; only a client that joins needs
      // the notice.
      const queue = loaded === undefined ? null : await options.queueNotice(threadId);
      const usage = usageOf(thread, { turns, wantsTurns, isJoined: loaded !== undefined });
      afterResponse(() => {
        if (loaded === undefined) {
          resumed.begin();
          sendWarnings(thread);
        }
        if (usage !== null) notifier.to([connection], "thread/tokenUsage/updated", usage);
        if (goal === null) notifier.toAll("thread/goal/cleared", { threadId });
        else notifier.toAll("thread/goal/updated", { threadId, turnId: null, goal });
        if (after !== null) return options.replays.run(connection, threadId);
        options.replays.announce(connection, threadId);
        if (queue !== null) notifier.to([connection], "thread/queue/changed", queue);
        requests.replay(threadId, connection);
      });
      const result = {
        thread: { ...showLoaded(thread, stored), turns },
        ...describeSettings(thread),
        collaborationMode: toCollaborationMode(thread.settings),
        ...pages,
      };
      return encodeLargeHistory(result, options);
    },
  };
}

/** Refuses params that are invalid for a loaded thread, and a history in the params. */
function checkLoaded(engine: Engine, { threadId, path, history }: ThreadResumeParams): void {
  const active = engine.find(threadId)?.view();
  if (history != null) {
    if (active !== undefined)
      throw invalidRequest(`cannot resume thread ${threadId} with history while it is already running`);
    if (history.length === 0) throw invalidRequest("history must not be empty");
    throw invalidRequest("`history` of thread/resume is not supported by heddle");
  }
  if (active === undefined || path == null || path === "" || path === active.path) return;
  const paths = `requested \`${path}\`, active \`${active.path}\``;
  throw invalidRequest(`cannot resume running thread ${threadId} with stale path: ${paths}`);
}

/** A revert continues in a new file. Resuming from the old file would bring reverted turns back. */
async function refuseStale(
  { threads, files }: Pick<Store, "threads" | "files">,
  threadId: string,
  path: string,
): Promise<void> {
  const stored = await threads.read(threadId);
  const current = stored?.facts.historyMode === "paginated" ? stored.location : null;
  if (current === null || files === null) return;
  if (await readWithDeadline(path, () => files.isSameFile(current, path))) return;
  const paths = `requested ${path}, current ${current}`;
  const advice = "omit path and resume by thread id";
  throw invalidRequest(`cannot resume paginated thread ${threadId} with stale path: ${paths}; ${advice}`);
}

interface UsageRequest {
  /** The turns in the response. */
  readonly turns: readonly Turn[];
  readonly wantsTurns: boolean;
  /** Whether the thread was loaded before the request. */
  readonly isJoined: boolean;
}

/** The token usage notification, if the client can know the turn that it names. */
function usageOf(
  thread: Thread,
  { turns, wantsTurns, isJoined }: UsageRequest,
): ThreadTokenUsageUpdatedNotification | null {
  const tokenUsage = thread.usage();
  const isLegacy = thread.view().historyMode === "legacy";
  const turnId = usageTurnOf(thread, turns);
  // Turns of legacy files may have generated ids, which only clients with the turns in their response know.
  const knowsTurn = wantsTurns || (!isJoined && !isLegacy);
  return tokenUsage === null || turnId === null || !knowsTurn
    ? null
    : { threadId: thread.id, turnId, tokenUsage };
}

async function firstPages(
  threadStore: ThreadStore,
  thread: Thread,
  wanted: ThreadResumeParams["initialTurnsPage"],
) {
  const turns = acceptPage(await threadStore.turns(thread.id, { limit: 1, itemsView: "notLoaded" }));
  const items = acceptPage(await threadStore.items(thread.id, { limit: 1, direction: "desc" }));
  const page = wanted == null ? null : acceptPage(await threadStore.turns(thread.id, toPageOptions(wanted)));
  return {
    initialTurnsPage:
      page === null ? null : toTurnsPage({ ...page, data: withRunningHooks(page.data, thread) }),
    turnsBackwardsCursor: turns?.backwardsCursor ?? null,
    itemsBackwardsCursor: items?.backwardsCursor ?? null,
  };
}

function toPageOptions({
  limit,
  sortDirection,
  itemsView,
}: NonNullable<ThreadResumeParams["initialTurnsPage"]>) {
  return {
    ...(limit == null ? {} : { limit }),
    ...(sortDirection == null ? {} : { direction: sortDirection }),
    ...(itemsView == null ? {} : { itemsView }),
  };
}

function toTurnsPage({ data, nextCursor, backwardsCursor }: Page<Turn>): TurnsPage {
  return { data: [...data], nextCursor, backwardsCursor };
}
