// `thread/fork`: a new thread that begins with the history of another one.

import type { ThreadForkParams, Turn } from "../../protocol/generated/types.ts";
import { describeSettings } from "../../runtime/setup/thread-settings.ts";
import { readGoal } from "../../runtime/threads/goal-change.ts";
import type { ForkBoundary } from "../../runtime/threads/thread-loader.ts";
import { missingThread } from "../../store/refusal.ts";
import type { StoredThread } from "../../store/thread-store.ts";
import { type Handlers, invalidRequest, unwrap, unwrapStored } from "../connections/handler.ts";
import { encodeLargeHistory } from "./large-history.ts";
import { HYDRATION_NOTICE, readWholeHistory, showLoaded } from "./stored-threads.ts";
import type { LoadingParts, ThreadHandlersOptions } from "./threads.ts";
import { usageTurnOf } from "./usage-turn.ts";

export function createForkHandler(
  options: ThreadHandlersOptions,
  { findStored, clientOf, sendWarnings }: LoadingParts,
): Handlers<"thread/fork"> {
  const { subscriptions, notifier, threads } = options;

  async function turnsOf(source: StoredThread, threadId: string, params: ThreadForkParams): Promise<Turn[]> {
    if (params.excludeTurns === true) return [];
    const threadStore = await options.threadStore();
    if (params.ephemeral !== true) return readWholeHistory(threadStore, threadId);
    return upTo(toBoundary(params), await readWholeHistory(threadStore, source.threadId));
  }

  /** Copies the name, and the goal if requested, to a persistent fork. */
  async function inherit({ facts, details }: StoredThread, threadId: string, params: ThreadForkParams) {
    const threadStore = await options.threadStore();
    if (params.ephemeral === true) return null;
    if (details.name !== null) unwrapStored(await threadStore.rename(threadId, details.name));
    const goal = params.deferGoalContinuation === true ? readGoal(threadId, facts.goal) : null;
    if (goal !== null) unwrapStored(await threadStore.setGoal(threadId, { ...goal }));
    return goal;
  }

  return {
    async "thread/fork"(params, { connection, afterResponse }) {
      const threadStore = await options.threadStore();
      const sourceId = await findStored(params);
      const source = await threadStore.read(sourceId);
      if (source === null) throw invalidRequest(missingThread(sourceId).message);
      const isPaginated = source.facts.historyMode !== "legacy";
      const wantsTurns = params.excludeTurns !== true;
      checkFork(params, isPaginated);
      if (isPaginated && wantsTurns && !source.archived) {
        notifier.to([connection], "deprecationNotice", HYDRATION_NOTICE);
      }
      const boundary = toBoundary(params);
      const forked = await threads.fork(sourceId, params, { boundary, client: clientOf(connection) });
      const { value: thread, begin } = unwrap(forked);
      subscriptions.add(thread.id, connection);
      const turns = await turnsOf(source, thread.id, params);
      const goal = await inherit(source, thread.id, params);
      const isPersistent = params.ephemeral !== true;
      const view = {
        ...showLoaded(thread, isPersistent ? await threadStore.read(thread.id) : null),
        name: source.details.name,
        // The preview of a paginated fork comes from its own messages, and it has none yet.
        ...(isPersistent && isPaginated ? { preview: "" } : {}),
        historyMode: source.facts.historyMode,
      };
      const tokenUsage = wantsTurns ? thread.usage() : null;
      const turnId = usageTurnOf(thread, turns);
      afterResponse(() => {
        begin();
        if (tokenUsage !== null && turnId !== null) {
          const usage = { threadId: thread.id, turnId, tokenUsage };
          notifier.to([connection], "thread/tokenUsage/updated", usage);
        }
        notifier.toAll("thread/started", { thread: view });
        options.replays.announce(connection, thread.id);
        sendWarnings(thread);
        if (goal !== null) notifier.toAll("thread/goal/updated", { threadId: thread.id, turnId: null, goal });
      });
      return encodeLargeHistory({ thread: { ...view, turns }, ...describeSettings(thread) }, options);
    },
  };
}

/** Refuses params that contradict each other. */
function checkFork(params: ThreadForkParams, isPaginated: boolean): void {
  const isEphemeral = params.ephemeral === true;
  if (params.sandbox != null && params.permissions != null) {
    throw invalidRequest("`permissions` cannot be combined with `sandbox`");
  }
  if (params.lastTurnId != null && params.beforeTurnId != null) {
    throw invalidRequest("`beforeTurnId` cannot be combined with `lastTurnId`");
  }
  if (isEphemeral && params.deferGoalContinuation === true) {
    throw invalidRequest("`deferGoalContinuation` cannot be combined with `ephemeral`");
  }
  if (isEphemeral && isPaginated && params.excludeTurns !== true) {
    throw invalidRequest("ephemeral paginated thread/fork requires `excludeTurns: true`");
  }
}

function toBoundary({ lastTurnId, beforeTurnId }: ThreadForkParams): ForkBoundary {
  if (lastTurnId != null) return { kind: "through", turnId: lastTurnId };
  if (beforeTurnId != null) return { kind: "before", turnId: beforeTurnId };
  return { kind: "whole" };
}

function upTo(boundary: ForkBoundary, turns: readonly Turn[]): Turn[] {
  if (boundary.kind === "whole") return [...turns];
  const at = turns.findIndex(({ id }) => id === boundary.turnId);
  return turns.slice(0, boundary.kind === "through" ? at + 1 : at);
}
