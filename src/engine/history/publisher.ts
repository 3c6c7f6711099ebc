/**
 * The one way by which clients are notified of a thread: in the order in which things happen, and of nothing before
 * what was appended up to then is kept. An item that could not be kept is not shown as finished. Pieces of an item that
 * clients know wait for nothing.
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

export interface Publisher {
  /** Also appends to the journal what is shown as finished. */
  readonly emit: Emit;
  /** The same for what is in the journal already. */
  readonly notify: Emit;
  /** Resolves when clients have been notified of everything so far; null where they have been. */
  caughtUp(): Promise<void> | null;
  /** The same where so much waits that whoever makes more should wait as well, and null elsewhere. */
  pace(): Promise<void> | null;
  /** What has begun and not ended as far as clients know, for those that join in the middle of a turn. */
  openItems(): ThreadItem[];
  /** A turn has ended, and with it whatever it had begun. */
  endItems(): void;
}

/** Notices of one thread that wait for the disk before whoever makes more is made to wait. */
export const MAX_HELD_NOTICES = 10_000;

type Method = keyof ServerNotifications;

interface Held {
  readonly method: Method;
  readonly params: ServerNotifications[Method];
  readonly commit: Commit;
  /** Whether it is sent only if the commit has succeeded. */
  readonly isFact: boolean;
}

/** What is still being written is shown piece by piece to whoever joins. */
const SHOWN_IN_PIECES: ReadonlySet<ThreadItem["type"]> = new Set([
  "agentMessage",
  "reasoning",
  "plan",
  "userMessage",
]);

export interface PublisherOptions {
  /** Sends a notification to clients. */
  readonly send: Emit;
  readonly commits: JournalCommits;
  readonly onEvent: OnThreadEvent;
  readonly log: Logger;
}

export function createPublisher({ send, commits, onEvent, log }: PublisherOptions): Publisher {
  const held: Held[] = [];
  let gone = 0;
  /** Items whose beginning is held. */
  const unknown = new Set<string>();
  const open = new Map<string, ThreadItem>();
  let caughtUp: Deferred<void> | null = null;

  function deliver(method: Method, params: ServerNotifications[Method]): void {
    if (method === "item/started") {
      const { item } = params as ItemStartedNotification;
      if (!SHOWN_IN_PIECES.has(item.type)) open.set(item.id, item);
    } else if (method === "item/completed") {
      const { item } = params as ItemCompletedNotification;
      open.delete(item.id);
      onEvent({ type: "itemCompleted", item });
    }
    send(method, params);
  }

  function hold(notice: Held): void {
    const { method, params } = notice;
    if (method === "item/started") unknown.add((params as ItemStartedNotification).item.id);
    held.push(notice);
  }

  /** The way of almost every notice is the first one, and should stay as short as it is. */
  function notify(method: Method, params: ServerNotifications[Method]): void {
    const commit = commits.last;
    if (held.length === 0 && commit.fault !== undefined) deliver(method, params);
    else if (notificationRows[method].isPiece === true && !unknown.has((params as { itemId: string }).itemId))
      deliver(method, params);
    else hold({ method, params, commit, isFact: false });
  }

  function complete(params: ItemCompletedNotification): void {
    const commit = commits.append(toLine(params));
    if (held.length > 0 || commit.fault === undefined) {
      hold({ method: "item/completed", params, commit, isFact: true });
    } else if (commit.fault === null) deliver("item/completed", params);
  }

  /** Everything in front of the first notice that has to wait. */
  function release(): void {
    while (gone < held.length) {
      const { method, params, commit, isFact } = held[gone] as Held;
      if (commit.fault === undefined) return;
      gone += 1;
      if (method === "item/started") unknown.delete((params as ItemStartedNotification).item.id);
      if (isFact && commit.fault !== null) continue;
      try {
        deliver(method, params);
      } catch (error) {
        // Whoever sent it has gone on, and the disk must not pay for it.
        logFailure(log, "notifying clients of a thread", error);
      }
    }
    held.length = 0;
    gone = 0;
    caughtUp?.resolve();
    caughtUp = null;
  }

  function waitForAll(): Promise<void> | null {
    if (held.length === 0) return null;
    caughtUp ??= createDeferred();
    return caughtUp.promise;
  }

  commits.onSettled(release);
  return {
    emit(method, params) {
      if (method === "item/completed") complete(params as ItemCompletedNotification);
      else notify(method, params);
    },
    notify,
    caughtUp: waitForAll,
    pace: () => (held.length - gone > MAX_HELD_NOTICES ? waitForAll() : null),
    openItems: () => [...open.values()],
    endItems: () => open.clear(),
  };
}

function toLine({ threadId, turnId, item, completedAtMs }: ItemCompletedNotification): LineBody {
  const startedAtMs = item.startedAtMs ?? completedAtMs;
  return itemCompleted({ threadId, turnId, item, startedAtMs, completedAtMs });
}

/** Notifies clients of the history as the provider has it, where they want to see it that way. */
export interface RawEvents {
  items(turnId: string, items: readonly ResponseItem[]): void;
  /** A response has come to its end. */
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

/** For threads whose clients do not want to know. */
export const NO_RAW_EVENTS: RawEvents = { items() {}, answered() {} };
