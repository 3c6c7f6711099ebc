// `thread/revert`: takes a thread back to the state before one of its turns.

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
  /** Creates a random id; revisions are compared for equality only. */
  readonly createRevision: () => string;
}

export function createThreadRevertHandlers(options: ThreadRevertOptions): Handlers<"thread/revert"> {
  const { engine, subscriptions, notifier, createRevision } = options;

  /** Marks the thread as read if its first unread turn was reverted. */
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
    /** The thread is loaded again even if the revert failed. Its subscribers are kept. */
    async "thread/revert"({ threadId: text, beforeTurnId }, { connection, lane, afterResponse }) {
      const thread = unwrap(findThread(engine, text));
      const { id: threadId } = thread;
      const threadStore = await options.threadStore();
      await refuseRevert(threadStore, thread);
      subscriptions.add(threadId, connection);
      await engine.release(threadId);
      const reverted = await threadStore.revert(threadId, beforeTurnId);
      const resumed = await options.threads.resume(lane, toOverrides(thread), {
        takeOver: false,
        // The settings were allowed when the thread was loaded, so there is nothing to warn about.
        client: { subject: connection.subject, extensions: mcpExtensionsOf(connection), warn: () => {} },
      });
      const { value: reloaded, begin } = unwrap(resumed);
      // The stored revision may be older than the one that clients know.
      const readState = thread.readState.current();
      if (readState !== null) reloaded.readState.set(readState);
      if (reverted.kind === "done") await forgetUnread(threadStore, threadId);
      notifier.toAll("thread/status/changed", { threadId, status: reloaded.status() });
      afterResponse(begin);
      unwrapStored(reverted);
      const cursors = await lastCursors(threadStore, threadId);
      const view = showLoaded(reloaded, await threadStore.read(threadId));
      // Clients that follow the events of the thread are sent this one as a part of them.
      afterResponse(() => notifier.ofThread(threadId, "thread/reverted", { threadId }));
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

/** Overrides of the client that are not stored in the file. */
function toOverrides({ settings }: Thread) {
  const { baseInstructions, developerInstructions, personality, serviceTier, approvalsReviewer } = settings;
  return { baseInstructions, developerInstructions, personality, serviceTier, approvalsReviewer };
}

async function lastCursors(threadStore: ThreadStore, threadId: string) {
  const turns = unwrapStored(await threadStore.turns(threadId, { limit: 1 }));
  const items = unwrapStored(await threadStore.items(threadId, { limit: 1, direction: "desc" }));
  return { turnsBackwardsCursor: turns.backwardsCursor, itemsBackwardsCursor: items.backwardsCursor };
}
