import type { Engine } from "../../engine/engine.ts";
import { toActiveProfile, toCollaborationMode, workspaceRootsOf } from "../../engine/settings.ts";
import type { Thread } from "../../engine/thread-options.ts";
import type {
  ConfigWarningNotification,
  ThreadResumeParams,
  ThreadStartResponse,
  Turn,
  TurnsPage,
} from "../../protocol/generated/types.ts";
import type { History } from "../../store/history/history.ts";
import type { Page } from "../../store/history/page-turns.ts";
import type { ClientRequests } from "../client-requests.ts";
import type { Connection } from "../connection.ts";
import { readGoal } from "../goal-change.ts";
import { type Handlers, invalidRequest } from "../handler.ts";
import type { Notifier } from "../notifier.ts";
import { parseIdAs, showLoaded } from "../stored-threads.ts";
import type { Subscriptions } from "../subscriptions.ts";
import type { ForkBoundary } from "../thread-loader.ts";
import type { ThreadServices } from "../thread-services.ts";
import { readWholeHistory } from "../whole-history.ts";

export interface ThreadHandlersOptions {
  readonly engine: Engine;
  readonly subscriptions: Subscriptions;
  readonly notifier: Notifier;
  readonly requests: ClientRequests;
  readonly threads: () => Promise<ThreadServices>;
  readonly history: () => Promise<History>;
}

type ThreadMethod = "thread/start" | "thread/resume" | "thread/fork";

const HYDRATION = {
  summary:
    "Full-history hydration is deprecated for paginated threads; use `excludeTurns: true`, then page with `thread/turns/list` and `thread/items/list`.",
  details: null,
};

export function createThreadHandlers(options: ThreadHandlersOptions): Handlers<ThreadMethod> {
  const { engine, subscriptions, notifier, requests, threads } = options;

  async function findStored({ threadId, path }: Pick<ThreadResumeParams, "threadId" | "path">) {
    if (path == null) return parseIdAs("session id", threadId);
    const found = (await options.history()).threadAt(path);
    if (found === null) throw invalidRequest(`no rollout found at ${path}`);
    return found;
  }

  /** The thread's turns, for clients that want all of them at once. */
  async function turnsOf(thread: Thread, excludeTurns: boolean | undefined): Promise<Turn[]> {
    if (excludeTurns === true || thread.view().ephemeral) return [];
    return readWholeHistory(await options.history(), thread);
  }

  const warnerOf = (connection: Connection) => (warning: ConfigWarningNotification) =>
    notifier.to([connection], "configWarning", warning);

  return {
    async "thread/start"(params, { connection, afterReply }) {
      const services = await threads();
      const thread = await services.start(params, warnerOf(connection));
      subscriptions.add(thread.id, connection);
      const view = thread.view();
      afterReply(() => {
        services.startServers(thread);
        notifier.toAll("thread/started", { thread: view });
      });
      return { thread: view, ...describeSettings(thread) };
    },

    /** A thread that is loaded is joined as it is; another one is loaded from its file. */
    async "thread/resume"(params, { connection, afterReply }) {
      const services = await threads();
      const threadId = await findStored(params);
      const loaded = engine.find(threadId);
      const how = { takeOver: params.takeOver ?? false, warn: warnerOf(connection) };
      const thread = loaded ?? (await services.resume(threadId, params, how));
      subscriptions.add(thread.id, connection);
      const turns = await turnsOf(thread, params.excludeTurns);
      if (params.excludeTurns !== true) notifier.to([connection], "deprecationNotice", HYDRATION);
      if (loaded === undefined) {
        notifier.toAll("thread/status/changed", { threadId, status: thread.status() });
      }
      const history = await options.history();
      const { lastTurnId, ...pages } = await firstPages(history, thread, params.initialTurnsPage);
      const goal = readGoal(threadId, await history.goal(threadId));
      const tokenUsage = thread.usage();
      afterReply(() => {
        if (loaded === undefined) services.startServers(thread);
        if (tokenUsage !== null && (loaded === undefined || params.excludeTurns !== true)) {
          const usage = { threadId, turnId: lastTurnId ?? "", tokenUsage };
          notifier.to([connection], "thread/tokenUsage/updated", usage);
        }
        if (goal === null) notifier.toAll("thread/goal/cleared", { threadId });
        else notifier.toAll("thread/goal/updated", { threadId, turnId: null, goal });
        requests.replay(threadId, connection);
      });
      return {
        thread: { ...showLoaded(thread, await history.read(threadId)), turns },
        ...describeSettings(thread),
        collaborationMode: toCollaborationMode(thread.settings),
        ...pages,
      };
    },

    async "thread/fork"(params, { connection, afterReply }) {
      const services = await threads();
      const sourceId = await findStored(params);
      const thread = await services.fork(sourceId, params, {
        boundary: toBoundary(params),
        warn: warnerOf(connection),
      });
      subscriptions.add(thread.id, connection);
      const turns = await turnsOf(thread, params.excludeTurns);
      if (params.excludeTurns !== true) notifier.to([connection], "deprecationNotice", HYDRATION);
      const stored = await (await options.history()).read(thread.id);
      // A fork is called by what is said in it, and nothing is yet.
      const view = { ...showLoaded(thread, stored), preview: "" };
      afterReply(() => {
        services.startServers(thread);
        notifier.toAll("thread/started", { thread: view });
      });
      return { thread: { ...view, turns }, ...describeSettings(thread) };
    },
  };
}

function toBoundary({
  lastTurnId,
  beforeTurnId,
}: {
  readonly lastTurnId?: string | null;
  readonly beforeTurnId?: string | null;
}): ForkBoundary {
  if (lastTurnId != null && beforeTurnId != null) {
    throw invalidRequest("`lastTurnId` cannot be combined with `beforeTurnId`");
  }
  if (lastTurnId != null) return { kind: "through", turnId: lastTurnId };
  if (beforeTurnId != null) return { kind: "before", turnId: beforeTurnId };
  return { kind: "whole" };
}

async function firstPages(history: History, thread: Thread, wanted: ThreadResumeParams["initialTurnsPage"]) {
  const turns = await history.turns(thread.id, { limit: 1 });
  const items = await history.items(thread.id, { limit: 1, direction: "desc" });
  const page = wanted == null ? null : await history.turns(thread.id, toPageOptions(wanted));
  return {
    lastTurnId: turns.kind === "page" ? (turns.data[0]?.id ?? null) : null,
    initialTurnsPage: page?.kind === "page" ? toTurnsPage(page) : null,
    turnsBackwardsCursor: turns.kind === "page" ? turns.backwardsCursor : null,
    itemsBackwardsCursor: items.kind === "page" ? items.backwardsCursor : null,
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

export function describeSettings({
  settings,
  instructionSources,
}: Thread): Omit<ThreadStartResponse, "thread"> {
  return {
    model: settings.model,
    modelProvider: settings.modelProvider,
    serviceTier: settings.serviceTier,
    disabledPluginIds: [],
    cwd: settings.cwd,
    runtimeWorkspaceRoots: [...workspaceRootsOf(settings)],
    instructionSources: [...instructionSources],
    approvalPolicy: settings.approvalPolicy,
    approvalsReviewer: settings.approvalsReviewer,
    sandbox: settings.sandbox,
    activePermissionProfile: toActiveProfile(settings),
    reasoningEffort: settings.effort,
    multiAgentMode: "explicitRequestOnly",
  };
}
