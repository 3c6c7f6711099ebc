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
import { describeQuestion, describeQueue, describeTurnEnd } from "./describe-event.ts";
import { renderBody } from "./event-body.ts";
import { createPostWebhook } from "./post-webhook.ts";
import { NO_WEBHOOKS, readWebhooks, type Webhooks } from "./read-webhooks.ts";
import { wantsEvent } from "./wants-event.ts";
import { type AnnouncedThread, type Announcement, eventData } from "./webhook-events.ts";

export interface Announcer {
  /** Reads the value of `webhooks` and logs its faults. */
  configure(value: unknown): void;
  webhooks(): Webhooks;
  endEffects(threadId: string, ...end: Parameters<EndEffects>): readonly Effect[];
  onEvent(threadId: string, event: ThreadEvent): void;
  questionOpened(threadId: string, method: string, params: unknown): void;
  queueChanged(threadId: string, rows: RowList): void;
  announce(event: Announcement): Promise<void>;
  deliver(): Promise<void>;
  check(): void;
  close(): Promise<void>;
}

export function createAnnouncer(deps: AnnouncementDeps, options: AnnouncementsOptions): Announcer {
  const { host, engine, store } = deps;
  const { clock, log, env, createId } = host;
  let webhooks: Webhooks = NO_WEBHOOKS;
  let deliverer: Deliverer | null = null;
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

  function toDeliveries(event: Announcement, thread: AnnouncedThread | null): readonly NewDelivery[] {
    const wanting = webhooks.endpoints.filter((endpoint) => wantsEvent(endpoint, event.type, thread));
    if (wanting.length === 0) return [];
    const { type, eventId, threadId } = event;
    const body = renderBody({ type, atMs: clock.now(), data: eventData(event, thread) });
    return wanting.map(({ id: endpointId }) => ({ eventId, endpointId, type, threadId, body }));
  }

  async function enqueue(deliveries: readonly NewDelivery[]): Promise<void> {
    if (deliveries.length === 0) return;
    const { dropped } = await (await store.get()).outbox.enqueue(deliveries);
    if (dropped > 0) log.warn("the outbox of webhooks is full: events were dropped", { dropped });
    deliverer?.check();
  }

  async function announce(event: Announcement): Promise<void> {
    if (webhooks.endpoints.length === 0) return;
    try {
      const { threadId } = event;
      const thread =
        threadId === null
          ? null
          : (loadedThread(threadId) ?? (await findAnnouncedThread((await store.get()).threads, threadId)));
      await enqueue(toDeliveries(event, thread));
    } catch (error) {
      log.error("an event for webhooks was lost", { type: event.type, error: messageOf(error) });
    }
  }

  return {
    configure,
    webhooks: () => webhooks,
    endEffects(threadId, turn, outcome: TurnOutcome) {
      if (webhooks.endpoints.length === 0) return NO_EFFECTS;
      const deliveries = toDeliveries(describeTurnEnd(threadId, turn, outcome), loadedThread(threadId));
      return deliveries.length === 0 ? NO_EFFECTS : [{ kind: "turnAnnounced", turnId: turn.id, deliveries }];
    },
    onEvent(threadId, event) {
      if (webhooks.endpoints.length > 0) names.onEvent(threadId, event);
      if (event.type === "turnEnded") deliverer?.check();
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
    async deliver() {
      if (deliverer !== null || webhooks.endpoints.length === 0) return;
      const { outbox } = await store.get();
      deliverer ??= createDeliverer({
        outbox,
        endpoints: () => webhooks.endpoints,
        post: createPostWebhook({ env, clock }),
        clock,
        log,
        random: options.random,
        onAttempt: options.onAttempt,
      });
      deliverer.check();
    },
    check: () => deliverer?.check(),
    async close() {
      await deliverer?.stop();
    },
  };
}
