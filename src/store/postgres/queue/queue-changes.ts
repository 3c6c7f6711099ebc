/**
 * Notifies of changes that other processes make to queues. Every change inserts an entry in its transaction. A process
 * that watches reads the entries when it is notified, and every second, because a notification may be lost.
 */
import { logFailure } from "../../../base/tasks.ts";
import type { PostgresLink } from "../connection/link.ts";
import { type AnnouncerOptions, CHANNEL, createChangeAnnouncer } from "./announcer.ts";
import { type ChangeReader, createChangeReader } from "./change-reader.ts";

export interface PostgresQueueChanges {
  /** Notifies other processes after the commit of a change. */
  announce(): void;
  watch(onChange: (threadId: string) => void): () => void;
  /** Sends the announcement that waits, and notifies of what other processes have changed. */
  settle(): Promise<void>;
  close(): Promise<void>;
}

const POLL_EVERY_MS = 1000;

export type PostgresQueueOptions = AnnouncerOptions;

export function createPostgresQueueChanges(options: PostgresQueueOptions): PostgresQueueChanges {
  const { database, nodeId, clock, log } = options;
  const announcer = createChangeAnnouncer(options);
  const listeners = new Set<(threadId: string) => void>();
  let reader: ChangeReader | null = null;
  let polling: Promise<void> = Promise.resolve();
  let cancelPoll = (): void => {};
  const listening = createListening(options, () => void pollNow());

  async function poll(): Promise<void> {
    const from = reader;
    const changed = await from?.read();
    // The watch may have ended meanwhile.
    if (changed === undefined || from !== reader) return;
    for (const threadId of changed) for (const listener of listeners) listener(threadId);
  }

  function pollNow(): Promise<void> {
    polling = polling
      .then(poll)
      .catch((error: unknown) => logFailure(log, "reading changes of queues", error));
    return polling;
  }

  function pollLater(): void {
    const task = (): void => {
      pollLater();
      listening.open();
      void pollNow();
    };
    cancelPoll = clock.after(POLL_EVERY_MS, task, { keepsAlive: false });
  }

  function stop(): void {
    cancelPoll();
    reader = null;
  }

  return {
    announce: announcer.announce,
    watch(onChange) {
      const listener = (threadId: string): void => onChange(threadId);
      if (listeners.size === 0) {
        reader = createChangeReader(database, nodeId);
        pollLater();
        listening.open();
      }
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
        if (listeners.size === 0) stop();
      };
    },
    async settle() {
      await announcer.flush();
      await pollNow();
    },
    async close() {
      listeners.clear();
      stop();
      await announcer.flush();
      await polling;
      await listening.close();
    },
  };
}

/** The one connection of a process that is kept for notifications; `open` opens it again where it was lost. */
function createListening({ database, nodeId }: PostgresQueueOptions, onNotification: () => void) {
  let link: Promise<PostgresLink | null> | null = null;

  async function connect(): Promise<PostgresLink | null> {
    try {
      const opened = await database.connect({
        onNotification: (from) => {
          if (from !== nodeId) onNotification();
        },
        onEnd: () => {
          link = null;
        },
      });
      await opened.script(`LISTEN ${CHANNEL}`);
      return opened;
    } catch {
      // Polls find the changes meanwhile.
      link = null;
      return null;
    }
  }

  return {
    open(): void {
      link ??= connect();
    },
    async close(): Promise<void> {
      await (await link)?.close();
    },
  };
}
