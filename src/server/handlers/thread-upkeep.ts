// Archives, restores and deletes threads.

import type { Engine } from "../../engine/engine.ts";
import { parseThreadId } from "../../runtime/threads/thread-id.ts";
import { missingThread } from "../../store/refusal.ts";
import type { ThreadStore } from "../../store/thread-store.ts";
import { type Handlers, invalidRequest, unwrap, unwrapStored } from "../connections/handler.ts";
import type { Notifier } from "../connections/notifier.ts";
import type { ThreadSubscriptions } from "../connections/thread-subscriptions.ts";
import { showStored } from "./stored-threads.ts";

export interface ThreadUpkeepOptions {
  readonly engine: Engine;
  readonly subscriptions: ThreadSubscriptions;
  readonly notifier: Notifier;
  readonly threadStore: () => Promise<ThreadStore>;
  /** Denies the open questions of threads that were archived or deleted. */
  readonly closeQuestions: (threadIds: readonly string[]) => Promise<void>;
}

type UpkeepMethod = "thread/archive" | "thread/unarchive" | "thread/delete";

const MAX_DESCENDANTS = 10_000;

export function createThreadUpkeepHandlers(options: ThreadUpkeepOptions): Handlers<UpkeepMethod> {
  const { engine, subscriptions, notifier } = options;

  async function descendantsOf(threadId: string, archived: boolean): Promise<string[]> {
    const query = { archived, ancestorThreadId: threadId, limit: MAX_DESCENDANTS };
    return unwrapStored(await (await options.threadStore()).list(query)).data.map(({ threadId }) => threadId);
  }

  /** Unloads a thread and its spawned threads, and removes their subscriptions. */
  async function unloadFamily(threadId: string): Promise<void> {
    for (const id of [threadId, ...(await descendantsOf(threadId, false))]) {
      await engine.release(id);
      for (const connection of subscriptions.of(id)) subscriptions.remove(id, connection);
    }
  }

  return {
    async "thread/archive"(params, { afterResponse }) {
      const threadId = unwrap(parseThreadId(params.threadId, "session id"));
      const threadStore = await options.threadStore();
      const isLoaded = engine.find(threadId)?.view().ephemeral === false;
      // A thread without a turn has no file yet; this creates it.
      if (isLoaded) unwrapStored(await threadStore.updateMetadata(threadId, {}));
      const entry = await threadStore.read(threadId);
      if (entry === null || entry.archived) throw invalidRequest(missingThread(threadId).message);
      await unloadFamily(threadId);
      const [first = threadId, ...others] = unwrapStored(await threadStore.archive(threadId)).threadIds;
      await options.closeQuestions([first, ...others]);
      afterResponse(() => {
        for (const id of [first, ...others.toReversed()]) notifier.toAll("thread/archived", { threadId: id });
      });
      return {};
    },

    async "thread/unarchive"(params, { afterResponse }) {
      const threadId = unwrap(parseThreadId(params.threadId, "session id"));
      const threadStore = await options.threadStore();
      const done = [...unwrapStored(await threadStore.unarchive(threadId)).threadIds];
      for (const id of await descendantsOf(threadId, true)) {
        if ((await threadStore.unarchive(id)).kind === "done") done.push(id);
      }
      const entry = await threadStore.read(threadId);
      if (entry === null) throw invalidRequest(missingThread(threadId).message);
      afterResponse(() => {
        for (const id of done) notifier.toAll("thread/unarchived", { threadId: id });
      });
      return { thread: showStored(engine, entry) };
    },

    async "thread/delete"(params, { afterResponse }) {
      const threadId = unwrap(parseThreadId(params.threadId));
      const loaded = engine.find(threadId);
      if (loaded?.view().ephemeral === true) {
        throw invalidRequest(`thread is not persisted and cannot be deleted: ${threadId}`);
      }
      const threadStore = await options.threadStore();
      const isStored = (await threadStore.read(threadId)) !== null;
      if (!isStored && loaded === undefined) throw invalidRequest(missingThread(threadId).message);
      await unloadFamily(threadId);
      const done = isStored ? unwrapStored(await threadStore.delete(threadId)).threadIds : [threadId];
      await options.closeQuestions(done);
      afterResponse(() => {
        for (const id of done.toReversed()) notifier.toAll("thread/deleted", { threadId: id });
      });
      return {};
    },
  };
}
