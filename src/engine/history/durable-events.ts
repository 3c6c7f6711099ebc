/**
 * The durable events of a loaded thread, for clients that follow them. Events are made from lines when these are kept,
 * and are sent when the engine notifies its other clients of the same, so that both kinds of clients are sent them in
 * the same order. An event that the engine does not notify of is sent before the next one.
 */
import type { ServerNotifications } from "../../protocol/generated/types.ts";
import { type EventToken, eventToken } from "../../store/event-token.ts";
import type { LinePosition } from "../../store/line-position.ts";
import type { LineBody } from "../../store/lines/line.ts";
import {
  type DurableEvent,
  type EventState,
  eventKey,
  eventsOf,
  nextEventState,
} from "../../store/lines/thread-events.ts";

export type StoredEvent = DurableEvent & { readonly seq: EventToken };

/** Sends durable events to the clients that follow a thread. */
export interface EventFollowers {
  /** Whether a client follows the thread; events are made only then. */
  isFollowed(threadId: string): boolean;
  send(threadId: string, event: StoredEvent): void;
  /** Sends a notification that no line is the origin of, as that of a turn whose end could not be stored. */
  sendUnstored<M extends keyof ServerNotifications>(
    threadId: string,
    method: M,
    params: ServerNotifications[M],
  ): void;
}

/** For threads that no client can follow. */
export const NO_FOLLOWERS: EventFollowers = { isFollowed: () => false, send() {}, sendUnstored() {} };

export interface DurableEventsOptions {
  readonly threadId: string;
  /** The position of the next line; null for a thread without positions. */
  readonly next: LinePosition | null;
  /** That of a turn that an earlier process has begun. */
  readonly state: EventState;
  readonly followers: EventFollowers;
}

export class DurableEvents {
  readonly #options: DurableEventsOptions;
  #next: LinePosition | null;
  #state: EventState;
  /** Events of kept lines that were not sent yet, in order. */
  #waiting: StoredEvent[] = [];

  constructor(options: DurableEventsOptions) {
    this.#options = options;
    this.#next = options.next;
    this.#state = options.state;
  }

  /** The place after the last kept line; null for a thread without positions. */
  end(): EventToken | null {
    return this.#next === null ? null : eventToken({ ...this.#next, index: 0 });
  }

  kept(lines: readonly LineBody[], firstSeq: number): void {
    if (this.#next === null) return;
    const { threadId, followers } = this.#options;
    const { generation } = this.#next;
    const isFollowed = followers.isFollowed(threadId);
    for (const [at, line] of lines.entries()) {
      if (isFollowed) this.#wait(line, { generation, seq: firstSeq + at });
      this.#state = nextEventState(this.#state, line);
    }
    this.#next = { generation, seq: firstSeq + lines.length };
  }

  /** Called with each durable notification of the engine. */
  notified<M extends keyof ServerNotifications>(method: M, params: ServerNotifications[M]): void {
    const { threadId, followers } = this.#options;
    const key = eventKey({ method, params });
    const at = this.#waiting.findIndex((event) => eventKey(event) === key);
    if (at >= 0) this.#send(at + 1);
    else if (followers.isFollowed(threadId)) followers.sendUnstored(threadId, method, params);
    if (method === "turn/completed") this.flush();
  }

  /** Sends the events that the engine does not notify of. */
  flush(): void {
    this.#send(this.#waiting.length);
  }

  #wait(line: LineBody, position: LinePosition): void {
    for (const [at, event] of eventsOf(this.#options.threadId, this.#state, line).entries())
      this.#waiting.push({ ...event, seq: eventToken({ ...position, index: at + 1 }) });
  }

  #send(count: number): void {
    if (count === 0) return;
    const { threadId, followers } = this.#options;
    for (const event of this.#waiting.splice(0, count)) followers.send(threadId, event);
  }
}
