// Summaries of threads that have changed, for connections that asked for them in `initialize`.

import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { ThreadEvent } from "../../engine/state/events.ts";
import type { ThreadSummaries } from "../../runtime/activity/thread-summaries.ts";
import type { ThreadService } from "../../runtime/thread-service.ts";
import { type CoalescedNotices, createCoalescedNotices } from "../connections/coalesced-notices.ts";
import type { Notifier } from "../connections/notifier.ts";

export interface ThreadSummaryFeedOptions {
  readonly summaries: Pick<ThreadSummaries, "read">;
  readonly notifier: Pick<Notifier, "to">;
  readonly threads: Pick<ThreadService, "onEvent">;
  readonly onQueueChange: (listener: (threadId: string) => void) => () => void;
  readonly clock: Clock;
  readonly log: Logger;
}

/** The events that change what a summary says. */
const CHANGES: ReadonlySet<ThreadEvent["type"]> = new Set<ThreadEvent["type"]>([
  "loaded",
  "turnStarted",
  "turnEnded",
  "statusChanged",
  "readStateChanged",
  "unloaded",
  "modelAnswered",
  "turnWaiting",
  "turnResumed",
]);

export function createThreadSummaryFeed(options: ThreadSummaryFeedOptions): CoalescedNotices {
  const { summaries, notifier, threads, onQueueChange, clock, log } = options;
  return createCoalescedNotices({
    clock,
    log,
    read: summaries.read,
    send: (connections, summary) => notifier.to(connections, "thread/summary/changed", { summary }),
    observe(touch) {
      const stops = [
        threads.onEvent((threadId, event) => {
          if (CHANGES.has(event.type)) touch(threadId);
        }),
        onQueueChange(touch),
      ];
      return () => {
        for (const stop of stops) stop();
      };
    },
  });
}
