/**
 * Announces changes of queues to other processes, several together and after their commits: a notification within a
 * commit would make all commits wait for one another.
 */
import type { Clock } from "../../../base/clock.ts";
import type { Logger } from "../../../base/logger.ts";
import { logFailure } from "../../../base/tasks.ts";
import type { PostgresDatabase } from "../connection/database.ts";

export const CHANNEL = "heddle_queue";
const ANNOUNCE_AFTER_MS = 20;
const NOTIFY = `SELECT pg_notify('${CHANNEL}', $1)`;

export interface ChangeAnnouncer {
  announce(): void;
  /** Sends the announcement that waits. */
  flush(): Promise<void>;
}

export interface AnnouncerOptions {
  readonly database: PostgresDatabase;
  readonly nodeId: string;
  readonly clock: Clock;
  readonly log: Logger;
}

export function createChangeAnnouncer({ database, nodeId, clock, log }: AnnouncerOptions): ChangeAnnouncer {
  let cancel: (() => void) | null = null;
  let sent: Promise<unknown> = Promise.resolve();

  function send(): void {
    cancel?.();
    cancel = null;
    sent = sent
      .then(() => database.query(NOTIFY, nodeId))
      // Others find the changes when they look for themselves.
      .catch((error: unknown) => logFailure(log, "announcing changes of queues", error));
  }

  return {
    announce() {
      cancel ??= clock.after(ANNOUNCE_AFTER_MS, send, { keepsAlive: false });
    },
    async flush() {
      if (cancel !== null) send();
      await sent;
    },
  };
}
