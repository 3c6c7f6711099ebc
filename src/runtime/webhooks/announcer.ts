/** Turns events of threads into deliveries, and delivers them where this server does so. */
import { messageOf } from "../../base/errors.ts";
import { inBackground } from "../../base/tasks.ts";
import type { EndEffects } from "../../engine/history/turn-records.ts";
import type { ThreadEvent } from "../../engine/state/events.ts";
import type { TurnOutcome } from "../../engine/state/turn-state.ts";
import type { Effect } from "../../store/journal.ts";
import { NO_EFFECTS } from "../../store/journal.ts";
import type { NewDelivery } from "../../store/outbox.ts";
import type { RowList } from "../../store/queue.ts";
import { createThreadNames, findAnnouncedThread, toAnnouncedThread } from "./announced-thread.ts";
import type { AnnouncementDeps, AnnouncementsOptions } from "./announcements.ts";
import { createDeliverer, type Deliverer } from "./deliverer.ts";
import { describeQuestion, describeQueue, describeTurnEnd, describeWait } from "./describe-event.ts";
import { renderBody } from "./event-body.ts";
import { createPostWebhook } from "./post-webhook.ts";
import { NO_WEBHOOKS, readWebhooks, type Webhooks } from "./read-webhooks.ts";
import { wantsEvent } from "./wants-event.ts";
import { type AnnouncedThread, eventData, type WebhookEvent } from "./webhook-events.ts";

export interface Announcer {
  /** Reads the value of `webhooks` and logs its faults. */
  configure(value: unknown): void;
  webhooks(): Webhooks;
  endEffects(threadId: string, ...end: Parameters<EndEffects>): readonly Effect[];
  onEvent(threadId: string, event: ThreadEvent): void;
  questionOpened(threadId: string, method: string, params: unknown): void;
  queueChanged(threadId: string, rows: RowList): void;
  announce(event: WebhookEvent): Promise<void>;
  deliver(): Promise<void>;
  check(): void;
  close(): Promise<void>;
}

export function createAnnouncer(deps: AnnouncementDeps, options: AnnouncementsOptions): Announcer {
  const { host, engine, store } = deps;
  const { clock, log, env, createId } = host;
  let webhooks: Webhooks = NO_WEBHOOKS;
  const delivery = createDelivery(deps, options, () => webhooks.endpoints);
  const names = createThreadNames(async () => (await store.get()).threads, log);

  function configure(value: unknown): void {
    const next = readWebhooks(value, env);
    for (const fault of next.faults)
      if (!webhooks.faults.includes(fault)) log.error("a webhook is not used", { fault });
    webhooks = next;
  }

  function loadedThread(threadId: string): AnnouncedThread | null {
    const thread = engine.find(threadId);
    if (thread === undefined) return null;
    const { cwd, source } = thread.view();
    return toAnnouncedThread({ threadId, cwd, source, name: names.of(threadId) });
  }

  async function enqueue(deliveries: readonly NewDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    const { dropped } = await (await store.get()).outbox.enqueue(deliveries);
    if (dropped > 0) log.warn("the outbox of webhooks is full: events were dropped", { dropped });
    delivery.check();
  }

  async function announce(event: WebhookEvent): Promise<void> {
    if (webhooks.endpoints.length === 0) return;
    try {
      const { threadId } = event;
      const thread =
        threadId === null
          ? null
          : (loadedThread(threadId) ?? (await findAnnouncedThread((await store.get()).threads, threadId)));
      await enqueue(toDeliveries(event, thread, { webhooks, nowMs: clock.now() }));
    } catch (error) {
      log.error("an event for webhooks was lost", { type: event.type, error: messageOf(error) });
    }
  }

  function turnWaits(threadId: string): void {
    const waiting = engine.find(threadId)?.waiting();
    const event = waiting ? describeWait(threadId, waiting) : null;
    if (event !== null) inBackground(log, "announcing a wait", announce(event));
  }

  return {
    configure,
    webhooks: () => webhooks,
    endEffects(threadId, turn, outcome: TurnOutcome) {
      if (webhooks.endpoints.length === 0) return NO_EFFECTS;
      try {
        const event = describeTurnEnd(threadId, turn, outcome);
        const deliveries = toDeliveries(event, loadedThread(threadId), { webhooks, nowMs: clock.now() });
        return deliveries.length === 0
          ? NO_EFFECTS
          : [{ kind: "turnAnnounced", turnId: turn.id, deliveries }];
      } catch (error) {
        // A turn must end, whatever becomes of its announcement.
        log.error("an event for webhooks was lost", { threadId, error: messageOf(error) });
        return NO_EFFECTS;
      }
    },
    onEvent(threadId, event) {
      if (webhooks.endpoints.length > 0) names.onEvent(threadId, event);
      if (event.type === "turnEnded") delivery.check();
      if (event.type === "turnWaiting") turnWaits(threadId);
    },
    questionOpened(threadId, method, params) {
      const event = describeQuestion(threadId, { method, params, eventId: `evt_${createId()}` });
      if (event !== null) inBackground(log, "announcing a question", announce(event));
    },
    queueChanged(threadId, rows) {
      const event = describeQueue(threadId, rows);
      if (event !== null) inBackground(log, "announcing a blocked queue", announce(event));
    },
    announce,
    deliver: delivery.start,
    check: delivery.check,
    close: delivery.close,
  };
}

/** The deliverer of a server that delivers, opened once there is an endpoint. */
function createDelivery(
  { host, store }: AnnouncementDeps,
  options: AnnouncementsOptions,
  endpoints: () => Webhooks["endpoints"],
) {
  const { clock, log, env } = host;
  let deliverer: Deliverer | null = null;
  let isClosed = false;
  return {
    async start(): Promise<void> {
      if (deliverer !== null || endpoints().length === 0) return;
      const { outbox } = await store.get();
      if (isClosed) return;
      const { random, onAttempt } = options;
      const post = createPostWebhook({ env, clock });
      deliverer ??= createDeliverer({ outbox, endpoints, post, clock, log, random, onAttempt });
      deliverer.check();
    },
    check: (): void => deliverer?.check(),
    async close(): Promise<void> {
      isClosed = true;
      await deliverer?.stop();
    },
  };
}

interface Announcing {
  readonly webhooks: Webhooks;
  readonly nowMs: number;
}

/** One for each endpoint that wants the event. */
function toDeliveries(
  event: WebhookEvent,
  thread: AnnouncedThread | null,
  { webhooks, nowMs }: Announcing,
): readonly NewDelivery[] {
  const wanting = webhooks.endpoints.filter((endpoint) => wantsEvent(endpoint, event.type, thread));
  if (wanting.length === 0) return [];
  const { type, eventId, threadId } = event;
  const body = renderBody({ type, atMs: nowMs, data: eventData(event, thread) });
  return wanting.map(({ id: endpointId }) => ({ eventId, endpointId, type, threadId, body }));
}
