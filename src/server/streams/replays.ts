/**
 * Sends a client the durable events that it has missed, from the store, and then lets it follow the live ones. The
 * change happens in one step, when every line that is kept was read, so that each event is sent exactly once.
 */
import type { Logger } from "../../base/logger.ts";
import { inBackground } from "../../base/tasks.ts";
import type { Engine } from "../../engine/engine.ts";
import { encodeNotification } from "../../jsonrpc/message.ts";
import type { ServerNotifications } from "../../protocol/generated/types.ts";
import { type ReadPosition, readStoredEvents } from "../../runtime/events/stored-events.ts";
import type { QueuedTurns } from "../../runtime/queue/queued-turns.ts";
import { readStateOf } from "../../runtime/threads/read-states.ts";
import {
  type EventPlace,
  type EventToken,
  eventToken,
  FIRST_PLACE,
  parseEventToken,
} from "../../store/event-token.ts";
import type { LinePosition } from "../../store/line-position.ts";
import type { ThreadStore } from "../../store/thread-store.ts";
import type { ClientConnection } from "../connections/client-connection.ts";
import type { Notifier } from "../connections/notifier.ts";
import type { OutboundRequests } from "../connections/outbound-requests.ts";
import { BEFORE_ALL, type ThreadFollow } from "../connections/thread-follow.ts";
import type { ThreadSubscriptions } from "../connections/thread-subscriptions.ts";

export interface ReplayOptions {
  readonly engine: Pick<Engine, "find">;
  readonly subscriptions: ThreadSubscriptions;
  readonly notifier: Notifier;
  readonly requests: Pick<OutboundRequests, "replay">;
  readonly threadStore: () => Promise<ThreadStore>;
  readonly queueNotice: QueuedTurns["noticeOf"];
  readonly now: () => number;
  readonly log: Logger;
}

export interface Replays {
  /** Subscribes a client and holds its notifications of the thread back until `run`. */
  hold(connection: ClientConnection, threadId: string, after: EventPlace): void;
  /** Notifies a client that follows a thread from now on of its position. */
  announce(connection: ClientConnection, threadId: string): void;
  /** Sends what the client has missed; it follows the thread when that is done. */
  run(connection: ClientConnection, threadId: string): void;
  /** Sends all followers what they have missed: a thread that was just loaded may have changed before, as by a revert. */
  runAll(threadId: string): void;
}

export function createReplays(options: ReplayOptions): Replays {
  const { engine, subscriptions, log } = options;
  /** The last replay of each connection. They run one after the other, so that a client has one file open at a time. */
  const last = new WeakMap<ClientConnection, Promise<unknown>>();

  function run(connection: ClientConnection, threadId: string): void {
    const follow = connection.follows?.get(threadId);
    if (follow === undefined) return;
    const isCurrent = () => connection.follows?.get(threadId) === follow && follow.isReplaying;
    const replay = { connection, threadId, follow, isCurrent };
    const before = last.get(connection) ?? Promise.resolve();
    const sent = before.then(() => (isCurrent() ? send(replay, options) : undefined));
    // A failed replay does not keep the next one from running.
    last.set(
      connection,
      sent.catch(() => {}),
    );
    inBackground(log, "sending the missed events of a thread", sent);
  }

  return {
    hold(connection, threadId, after) {
      subscriptions.add(threadId, connection);
      const through = eventToken(after);
      connection.follows?.set(threadId, { through, isReplaying: true, sentMeanwhile: null });
    },
    announce(connection, threadId) {
      const throughSeq = connection.follows?.get(threadId)?.through ?? BEFORE_ALL;
      if (throughSeq !== BEFORE_ALL)
        options.notifier.to([connection], "thread/synced", { threadId, throughSeq });
    },
    run,
    runAll(threadId) {
      for (const connection of subscriptions.of(threadId)) {
        const follow = connection.follows?.get(threadId);
        if (follow === undefined) continue;
        const through = follow.through === BEFORE_ALL ? engineEnd(engine, threadId) : follow.through;
        connection.follows?.set(threadId, { through, isReplaying: true, sentMeanwhile: null });
        run(connection, threadId);
      }
    },
  };
}

const engineEnd = (engine: ReplayOptions["engine"], threadId: string): EventToken =>
  engine.find(threadId)?.eventsEnd() ?? eventToken(FIRST_PLACE);

interface Replay {
  readonly connection: ClientConnection;
  readonly threadId: string;
  readonly follow: ThreadFollow;
  /** False after the client has left, unsubscribed or asked again. */
  readonly isCurrent: () => boolean;
}

async function send(replay: Replay, options: ReplayOptions): Promise<void> {
  const { connection, threadId, follow, isCurrent } = replay;
  const { engine, notifier } = options;
  const threads = await options.threadStore();
  const place = await sendStored(replay, threads, options);
  // Nothing is awaited between the last check of the end and this change.
  if (!isCurrent()) return;
  follow.through = place === null ? BEFORE_ALL : eventToken(place);
  follow.isReplaying = false;
  follow.sentMeanwhile = new Set();
  for (const { method, params } of engine.find(threadId)?.openNotices() ?? [])
    notifier.to([connection], method, params);
  notifier.to([connection], "thread/synced", { threadId, throughSeq: eventToken(place ?? FIRST_PLACE) });
  await sendStates(replay, threads, options);
  follow.sentMeanwhile = null;
  if (connection.follows?.get(threadId) === follow) options.requests.replay(threadId, connection);
}

/** Sends everything up to the end of the history, and returns that; null where the lines have no positions. */
async function sendStored(
  replay: Replay,
  threads: ThreadStore,
  options: ReplayOptions,
): Promise<EventPlace | null> {
  const { threadId } = replay;
  const start = await findStart(replay, threads, options);
  if (start === null) return null;
  let position: ReadPosition = { place: start };
  for (let reached = ""; replay.isCurrent(); ) {
    position = await sendEvents(replay, threads, position, options.now);
    const stored = await threads.end(threadId);
    const after = eventToken(position.place);
    const end = options.engine.find(threadId)?.eventsEnd() ?? (stored === null ? after : endToken(stored));
    // Lines that were kept meanwhile are read as well. A second read that finds none has seen all that can be read.
    if (end <= after || reached === `${end} ${after}`) break;
    reached = `${end} ${after}`;
  }
  return position.place;
}

const endToken = (end: LinePosition): EventToken => eventToken({ ...end, index: 0 });

/** The place to begin at; null for a thread whose lines have no positions. */
async function findStart(
  { connection, threadId, follow }: Replay,
  threads: ThreadStore,
  { notifier }: ReplayOptions,
): Promise<EventPlace | null> {
  const after = parseEventToken(follow.through) ?? FIRST_PLACE;
  const end = await threads.end(threadId);
  const last = end === null ? null : { ...end, index: 0 };
  if (last !== null && follow.through <= eventToken(last)) return after;
  const fromSeq = eventToken(last ?? FIRST_PLACE);
  const reason = last === null ? "noPositions" : "beyondEnd";
  notifier.to([connection], "thread/resync", { threadId, fromSeq, reason });
  return last;
}

/** Sends the events at the speed of the reader, and returns the position after those that were sent. */
async function sendEvents(
  { connection, threadId, follow, isCurrent }: Replay,
  threads: ThreadStore,
  start: ReadPosition,
  now: () => number,
): Promise<ReadPosition> {
  const stored = readStoredEvents(threads, threadId, start);
  for await (const { method, params, seq } of stored.events()) {
    if (!isCurrent()) break;
    follow.through = seq;
    if (connection.accepts(method))
      connection.send(encodeNotification(method, { ...params, seq }, now()), "notice");
    if (connection.backlog.isBehind()) await connection.backlog.whenCaughtUp();
  }
  return stored.end();
}

/** The states that are no part of the history, but for those that were sent since. */
async function sendStates(
  { connection, threadId, follow }: Replay,
  threadStore: ThreadStore,
  { engine, notifier, queueNotice }: ReplayOptions,
): Promise<void> {
  const status = engine.find(threadId)?.status() ?? { type: "notLoaded" as const };
  notifier.to([connection], "thread/status/changed", { threadId, status });
  const entry = await threadStore.read(threadId);
  const queue = await queueNotice(threadId);
  const readState = entry === null ? null : await readStateOf({ threadStore, engine }, entry);
  const isNew = (...methods: (keyof ServerNotifications)[]) =>
    methods.every((method) => follow.sentMeanwhile?.has(method) !== true);
  if (queue !== null && isNew("thread/queue/changed"))
    notifier.to([connection], "thread/queue/changed", queue);
  if (entry === null) return;
  const { archived, details } = entry;
  if (isNew("thread/name/updated"))
    notifier.to([connection], "thread/name/updated", {
      threadId,
      ...(details.name === null ? {} : { threadName: details.name }),
    });
  if (readState !== null && isNew("thread/readState/changed"))
    notifier.to([connection], "thread/readState/changed", { threadId, readState });
  if (isNew("thread/archived", "thread/unarchived"))
    notifier.to([connection], archived ? "thread/archived" : "thread/unarchived", { threadId });
}
