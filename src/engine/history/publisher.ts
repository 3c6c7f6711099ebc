/**
 * Sends all notifications of a thread, in event order. A notification is held until every earlier append has settled. An
 * item whose append failed is not shown as completed. Deltas of an item that clients know are sent immediately.
 */

import type { Logger } from "../../base/logger.ts";
import { createDeferred, type Deferred, logFailure } from "../../base/tasks.ts";
import type { CompletedEvent } from "../../model/model.ts";
import { notificationRows } from "../../protocol/generated/table.ts";
import type {
  ItemCompletedNotification,
  ItemStartedNotification,
  ResponseItem,
  ServerNotifications,
  ThreadItem,
} from "../../protocol/generated/types.ts";
import type { LineBody } from "../../store/lines/line.ts";
import { itemCompleted } from "../../store/lines/turn-lines.ts";
import type { Emit, OnThreadEvent } from "../state/events.ts";
import type { Commit, JournalCommits } from "./journal-commits.ts";
import { OpenItems, type OpenNotice, type Piece } from "./open-items.ts";

export interface Publisher {
  /** Notifies clients, and appends completed items to the journal. */
  readonly emit: Emit;
  /** Notifies clients of what is already in the journal. */
  readonly notify: Emit;
  /** Resolves when all held notices have been sent; null where none is held. */
  whenFlushed(): Promise<void> | null;
  /** Backpressure: `whenFlushed` where more than `MAX_HELD_NOTICES` are held, and null otherwise. */
  pace(): Promise<void> | null;
  /** Items that clients have seen start and not complete, for clients that subscribe during a turn. */
  openItems(): ThreadItem[];
  /** The notifications that show the open items and what was streamed of them so far, one delta for each text. */
  openNotices(): readonly OpenNotice[];
  /** Clears the open items at the end of a turn. */
  endItems(): void;
}

/** Notices of one thread that may be held for pending appends before producers are paused. */
export const MAX_HELD_NOTICES = 10_000;

type Method = keyof ServerNotifications;

interface HeldNotice {
  readonly method: Method;
  readonly params: ServerNotifications[Method];
  readonly commit: Commit;
  /** Whether the notice is dropped if the commit fails. */
  readonly requiresCommit: boolean;
}

export interface PublisherOptions {
  /** Sends a notification to clients. */
  readonly send: Emit;
  readonly commits: JournalCommits;
  readonly onEvent: OnThreadEvent;
  readonly log: Logger;
}

export function createPublisher({ send, commits, onEvent, log }: PublisherOptions): Publisher {
  const held: HeldNotice[] = [];
  let sentCount = 0;
  /** Ids of items whose `item/started` is held. */
  const unannounced = new Set<string>();
  const open = new OpenItems();
  let flushed: Deferred<void> | null = null;

  function deliver(method: Method, params: ServerNotifications[Method]): void {
    if (method === "item/started") open.start(params as ItemStartedNotification);
    else if (method === "item/completed") {
      const { item } = params as ItemCompletedNotification;
      open.complete(item.id);
      onEvent({ type: "itemCompleted", item });
    } else if (notificationRows[method].isPiece === true) open.add(method, params as Piece);
    send(method, params);
  }

  function hold(notice: HeldNotice): void {
    const { method, params } = notice;
    if (method === "item/started") unannounced.add((params as ItemStartedNotification).item.id);
    held.push(notice);
  }

  /** The first branch is the hot path of almost every notice. */
  function notify(method: Method, params: ServerNotifications[Method]): void {
    const commit = commits.last;
    if (held.length === 0 && commit.fault !== undefined) deliver(method, params);
    else if (
      notificationRows[method].isPiece === true &&
      !unannounced.has((params as { itemId: string }).itemId)
    )
      deliver(method, params);
    else hold({ method, params, commit, requiresCommit: false });
  }

  function complete(params: ItemCompletedNotification): void {
    const commit = commits.append(toLine(params));
    if (held.length > 0 || commit.fault === undefined) {
      hold({ method: "item/completed", params, commit, requiresCommit: true });
    } else if (commit.fault === null) deliver("item/completed", params);
  }

  /** Sends the held notices before the first one whose commit is pending. */
  function flushHeld(): void {
    while (sentCount < held.length) {
      const { method, params, commit, requiresCommit } = held[sentCount] as HeldNotice;
      if (commit.fault === undefined) return;
      sentCount += 1;
      if (method === "item/started") unannounced.delete((params as ItemStartedNotification).item.id);
      if (requiresCommit && commit.fault !== null) continue;
      try {
        deliver(method, params);
      } catch (error) {
        // The emitter has already returned, and the exception must not reach the journal's callback.
        logFailure(log, "notifying clients of a thread", error);
      }
    }
    held.length = 0;
    sentCount = 0;
    flushed?.resolve();
    flushed = null;
  }

  function whenFlushed(): Promise<void> | null {
    if (held.length === 0) return null;
    flushed ??= createDeferred();
    return flushed.promise;
  }

  commits.onSettled(flushHeld);
  return {
    emit(method, params) {
      if (method === "item/completed") complete(params as ItemCompletedNotification);
      else notify(method, params);
    },
    notify,
    whenFlushed,
    pace: () => (held.length - sentCount > MAX_HELD_NOTICES ? whenFlushed() : null),
    openItems: () => open.items(),
    openNotices: () => open.notices(),
    endItems: () => open.clear(),
  };
}

function toLine({ threadId, turnId, item, completedAtMs }: ItemCompletedNotification): LineBody {
  const startedAtMs = item.startedAtMs ?? completedAtMs;
  return itemCompleted({ threadId, turnId, item, startedAtMs, completedAtMs });
}

/** Notifies clients of history items in the provider's format. */
export interface RawEvents {
  items(turnId: string, items: readonly ResponseItem[]): void;
  /** Called when a response has completed. */
  answered(turnId: string, completed: CompletedEvent): void;
}

export function createRawEvents(threadId: string, emit: Emit): RawEvents {
  return {
    items(turnId, items) {
      for (const item of items) emit("rawResponseItem/completed", { threadId, turnId, item });
    },
    answered(turnId, { responseId, usage, rawUsage = null }) {
      const usageMetadata = usage === null ? null : { amount: null, metadata: rawUsage };
      emit("rawResponse/completed", { threadId, turnId, responseId, usage, usageMetadata });
    },
  };
}

/** For threads without raw events. */
export const NO_RAW_EVENTS: RawEvents = { items() {}, answered() {} };
