/** The events that webhook endpoints are notified of. What a kind of event adds to its data is in `EventFacts`. */
import type { JsonObject } from "../../base/json-object.ts";
import type { TurnKind } from "../../engine/state/turn-state.ts";

export const WEBHOOK_EVENTS = {
  "question.opened": "A turn waits for a decision or an answer of a person.",
  "turn.ended": "A turn was completed or interrupted.",
  "turn.failed": "A turn has failed.",
  "queue.blocked": "A queue starts nothing more until somebody acts.",
  "thread.suspended": "A turn waits for the end of a usage limit.",
  "schedule.missed": "A schedule was not run at its time.",
} as const;

export type WebhookEventType = keyof typeof WEBHOOK_EVENTS;

/** The event of `webhook/test`, which cannot be subscribed to. */
export const TEST_EVENT = "webhook.test";

export const isWebhookEvent = (type: string): type is WebhookEventType => Object.hasOwn(WEBHOOK_EVENTS, type);

interface EndedTurn {
  readonly turnId: string;
  readonly kind: TurnKind;
}

interface EventFacts {
  "question.opened": {
    readonly turnId: string | null;
    readonly itemId: string | null;
    /** The method of the question. */
    readonly question: string;
  };
  "turn.ended": EndedTurn & { readonly status: "completed" | "interrupted" };
  "turn.failed": EndedTurn;
  "queue.blocked": { readonly blockedBy: "failedTurn" | "pause"; readonly queuedTurnId: string | null };
  "thread.suspended": { readonly turnId: string | null; readonly until: string | null };
  "schedule.missed": { readonly scheduleId: string; readonly dueAt: string };
}

/** An event that has happened. `facts` are ids and words of ours; `text` and `reason` are redacted and clipped. */
export type WebhookEvent = {
  readonly [T in WebhookEventType]: {
    readonly type: T;
    /** The same for the same event, however often it is announced; letters, digits, `_` and `-`. */
    readonly eventId: string;
    /** Null for an event of no thread. */
    readonly threadId: string | null;
    readonly reason: string | null;
    readonly text: string | null;
    readonly facts: EventFacts[T];
  };
}[WebhookEventType];

/** The description of a thread in events, which filters match. */
export interface AnnouncedThread {
  readonly threadId: string;
  readonly name: string | null;
  readonly cwd: string;
  /** The word for its source, such as `vscode`. */
  readonly source: string;
}

/** `data` of the body. */
export function eventData(
  { reason, text, facts, threadId }: WebhookEvent,
  thread: AnnouncedThread | null,
): JsonObject {
  const { name = null, cwd = null, source = null } = thread ?? {};
  return { threadId, threadName: name, cwd, source, ...facts, reason, text };
}
