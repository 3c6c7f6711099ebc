// Pages of turns and items of threads, loaded or not, and searches within a thread.

import { isRefusal } from "../../base/refusal.ts";
import type { Engine } from "../../engine/engine.ts";
import type { ThreadItemsListParams } from "../../protocol/generated/types.ts";
import { parseThreadId } from "../../runtime/threads/thread-id.ts";
import type { ItemPageOptions, ThreadStore } from "../../store/thread-store.ts";
import {
  type Handlers,
  invalidParams,
  invalidRequest,
  notSupportedYet,
  unwrap,
  unwrapStored,
} from "../connections/handler.ts";
import { type WaitingThreads, withRunningHooks, withWaitingTurn } from "./stored-threads.ts";
import { pageSize } from "./thread-list-query.ts";

export interface ThreadPageOptions {
  readonly engine: Engine;
  readonly threadStore: () => Promise<ThreadStore>;
  readonly waitingThreads: (threadId?: string) => Promise<WaitingThreads>;
}

type PageMethod =
  | "thread/turns/list"
  | "thread/items/list"
  | "thread/items/read"
  | "thread/timeline/list"
  | "thread/searchOccurrences";

const MAX_IDS = 100;

export function createThreadPageHandlers({
  engine,
  threadStore,
  waitingThreads,
}: ThreadPageOptions): Handlers<PageMethod> {
  /** Returns the id of a thread in the paginated format. Items of legacy files cannot be paged. */
  async function findPaged(threadId: string, method: PageMethod): Promise<string> {
    const id = unwrap(parseThreadId(threadId));
    const entry = await (await threadStore()).read(id);
    if (entry?.facts.historyMode !== "paginated") throw notSupportedYet(method);
    return id;
  }

  return {
    async "thread/turns/list"({ threadId, cursor = null, limit, sortDirection, itemsView }) {
      const id = unwrap(parseThreadId(threadId));
      const page = await (await threadStore()).turns(id, {
        cursor,
        limit: pageSize(limit),
        ...(sortDirection == null ? {} : { direction: sortDirection }),
        ...(itemsView == null ? {} : { itemsView }),
      });
      if (isRefusal(page) && page.reason === "missing") throw refuseTurns(engine, id);
      const { data, nextCursor, backwardsCursor } = unwrapStored(page);
      const waiting = (await waitingThreads(id)).get(id);
      const turns = withWaitingTurn(withRunningHooks(data, engine.find(id)), waiting);
      return { data: turns, nextCursor, backwardsCursor };
    },

    async "thread/items/list"(params) {
      const id = unwrap(parseThreadId(params.threadId));
      const options = toItemPage(params);
      await findPaged(id, "thread/items/list");
      const page = await (await threadStore()).items(id, options);
      if (isRefusal(page) && page.reason === "input") {
        throw invalidParams("cursor.itemId does not identify an item in the requested history scope");
      }
      const { data, nextCursor, backwardsCursor } = unwrapStored(page);
      return { data: [...data], nextCursor, backwardsCursor };
    },

    async "thread/items/read"({ threadId, turnId, itemIds }) {
      const id = unwrap(parseThreadId(threadId));
      if (itemIds.length === 0 || itemIds.length > MAX_IDS) {
        throw invalidRequest(`itemIds must contain 1 to ${MAX_IDS} IDs`);
      }
      await findPaged(id, "thread/items/read");
      return { data: [...unwrapStored(await (await threadStore()).itemsById(id, turnId, itemIds)).data] };
    },

    async "thread/timeline/list"({ threadId, cursor = null, limit }) {
      const id = await findPaged(threadId, "thread/timeline/list");
      const page = await (await threadStore()).timeline(id, { cursor, limit: pageSize(limit) });
      if (isRefusal(page) && page.reason === "cursor") throw invalidRequest("invalid thread timeline cursor");
      const { data, nextCursor } = unwrapStored(page);
      return { data: [...data], nextCursor, activeRealtimeSessionAtPageStart: null };
    },

    async "thread/searchOccurrences"({ threadId, searchTerm, cursor = null, limit }) {
      const id = unwrap(parseThreadId(threadId));
      if (searchTerm.trim() === "") {
        throw invalidRequest("thread/searchOccurrences requires a non-empty searchTerm");
      }
      await findPaged(id, "thread/searchOccurrences");
      const options = { cursor, limit: pageSize(limit) };
      const { data, nextCursor } = unwrapStored(
        await (await threadStore()).searchOccurrences(id, searchTerm, options),
      );
      return { data: [...data], nextCursor };
    },
  };
}

/** The error for a thread without a stored history. */
function refuseTurns(engine: Engine, id: string) {
  const loaded = engine.find(id);
  if (loaded === undefined) return invalidRequest(`thread not loaded: ${id}`);
  if (loaded.view().ephemeral) return invalidRequest("ephemeral threads do not support thread/turns/list");
  return invalidRequest(
    `thread ${id} is not materialized yet; thread/turns/list is unavailable before first user message`,
  );
}

function toItemPage({ turnId = null, cursor, limit, sortDirection }: ThreadItemsListParams): ItemPageOptions {
  const page = {
    turnId,
    limit: pageSize(limit),
    ...(sortDirection == null ? {} : { direction: sortDirection }),
  };
  if (cursor == null || typeof cursor === "string") return { ...page, cursor: cursor ?? null };
  if (turnId === null) throw invalidParams("turnId is required when cursor is an item anchor");
  return { ...page, anchorItemId: cursor.itemId };
}
