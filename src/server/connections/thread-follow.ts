import type { EventToken } from "../../store/event-token.ts";

/** How far a client has been sent the durable events of a thread. */
export interface ThreadFollow {
  /** The `seq` of the last event that it was sent, or the position after which it follows. */
  through: EventToken;
  /** Stored events are being sent: no other notifications of the thread are. */
  isReplaying: boolean;
  /** Live notifications since the replay, as long as snapshots of the same states are being read; null otherwise. */
  sentMeanwhile: Set<string> | null;
}

/** Before every event. */
export const BEFORE_ALL: EventToken = "";
