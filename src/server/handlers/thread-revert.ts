// Taking a thread back to the state before one of its turns.

import type { Engine } from "../../engine/engine.ts";
import type { Thread } from "../../engine/thread-options.ts";
import type { ThreadService } from "../../runtime/thread-service.ts";
import { findThread } from "../../runtime/threads/find-thread.ts";
import { changeReadState, readStateOf } from "../../runtime/threads/read-states.ts";
import { missingThread } from "../../store/refusal.ts";
import type { ThreadStore } from "../../store/thread-store.ts";
import { mcpExtensionsOf } from "../connections/client-connection.ts";
import { type Handlers, invalidRequest, unwrap, unwrapStored } from "../connections/handler.ts";
import type { Notifier } from "../connections/notifier.ts";
import type { ThreadSubscriptions } from "../connections/thread-subscriptions.ts";
import { showLoaded } from "./stored-threads.ts";

export interface ThreadRevertOptions {
  readonly engine: Engine;
  readonly subscriptions: ThreadSubscriptions;
  readonly notifier: Notifier;
  readonly threadStore: () => Promise<ThreadStore>;
  readonly threads: Pick<ThreadService, "resume">;
  /** A random id, whose order says nothing. */
  readonly createRevision: () => string;
}

export function createThreadRevertHandlers(options: ThreadRevertOptions): Handlers<"thread/revert"> {
  const { engine, subscriptions, notifier, createRevision } = options;

  /** A turn that is gone is no longer unread. */
  async function forgetUnread(threadStore: ThreadStore, threadId: string): Promise<void> {
    const parts = { threadStore, engine };
    const entry = await threadStore.read(threadId);
    const before = entry === null ? null : await readStateOf(parts, entry);
    if (entry === null || before?.firstUnread?.type !== "turn") return;
    const { turnId } = before.firstUnread;
    if (unwrapStored(await threadStore.items(threadId, { turnId, limit: 1 })).data.length > 0) return;
    const change = {
      entry,
      firstUnread: null,
      expectedRevision: before.revision,
      revision: createRevision(),
    };
    const outcome = await changeReadState(parts, change);
    if (outcome.kind !== "changed") return;
    const { readState } = outcome;
    notifier.to(subscriptions.of(threadId), "thread/readState/changed", { threadId, readState });
  }

  return {
    /** The thread is loaded anew, whether or not there was a way back; its subscribers stay. */
    async "thread/revert"({ threadId: text, beforeTurnId }, { connection, lane, afterResponse }) {
      const thread = unwrap(findThread(engine, text));
      const { id: threadId } = thread;
      const threadStore = await options.threadStore();
      await refuseRevert(threadStore, thread);
      subscriptions.add(threadId, connection);
      await engine.release(threadId);
      const reverted = await threadStore.revert(threadId, beforeTurnId);
      const resumed = await options.threads.resume(lane, toWishes(thread), {
        takeOver: false,
        // Its settings are those that it had, which were allowed.
        client: { extensions: mcpExtensionsOf(connection), warn: () => {} },
      });
      const { value: again, begin } = unwrap(resumed);
      // The store may have an older revision than the one that clients know.
      if (thread.readState.current !== null) again.readState.set(thread.readState.current);
      if (reverted.kind === "done") await forgetUnread(threadStore, threadId);
      notifier.toAll("thread/status/changed", { threadId, status: again.status() });
      afterResponse(begin);
      unwrapStored(reverted);
      const cursors = await lastPlaces(threadStore, threadId);
      const view = showLoaded(again, await threadStore.read(threadId));
      afterResponse(() => notifier.toAll("thread/reverted", { threadId }));
      return { thread: view, ...cursors };
    },
  };
}

async function refuseRevert(threadStore: ThreadStore, thread: Thread): Promise<void> {
  if (thread.view().ephemeral) throw invalidRequest("ephemeral threads do not support thread/revert");
  const entry = await threadStore.read(thread.id);
  if (entry === null) throw invalidRequest(missingThread(thread.id).message);
  if (entry.facts.historyMode !== "paginated") {
    throw invalidRequest("thread/revert only supports paginated threads");
  }
}

/** What a client asked for when it loaded the thread, as far as the file does not have it. */
function toWishes({ settings }: Thread) {
  const { baseInstructions, developerInstructions, personality, serviceTier, approvalsReviewer } = settings;
  return { baseInstructions, developerInstructions, personality, serviceTier, approvalsReviewer };
}

async function lastPlaces(threadStore: ThreadStore, threadId: string) {
  const turns = unwrapStored(await threadStore.turns(threadId, { limit: 1 }));
  const items = unwrapStored(await threadStore.items(threadId, { limit: 1, direction: "desc" }));
  return { turnsBackwardsCursor: turns.backwardsCursor, itemsBackwardsCursor: items.backwardsCursor };
}
