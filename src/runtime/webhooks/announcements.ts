/**
 * Notifies webhook endpoints of events. Without a configured webhook this is all that a server has of them: the rest is
 * loaded with the first configuration that has one, and nothing is asked of the store.
 */
import { inBackground, type Once } from "../../base/tasks.ts";
import type { Layer } from "../../config/layer.ts";
import type { Engine } from "../../engine/engine.ts";
import type { EndEffects } from "../../engine/history/turn-records.ts";
import type { Clients } from "../../engine/permissions/questions.ts";
import type { OnEngineEvent } from "../../engine/state/events.ts";
import { NO_EFFECTS } from "../../store/journal.ts";
import type { RowList } from "../../store/queue.ts";
import type { Store } from "../../store/store.ts";
import type { ConfigSource } from "../configuration/config-source.ts";
import type { Host } from "../configuration/host.ts";
import type { Announcer } from "./announcer.ts";
import type { AttemptKind } from "./deliverer.ts";
import { ownWebhooks } from "./own-webhooks.ts";
import type { Webhooks } from "./read-webhooks.ts";
import type { WebhookEvent } from "./webhook-events.ts";

export interface Announcements {
  /** Reads the webhooks of a configuration; null where nothing has changed. */
  configure(layers: readonly Layer[]): Promise<void> | null;
  /** The effects of a turn's end in a thread: its announcement is durable with it. */
  endEffects(threadId: string): EndEffects;
  readonly onEvent: OnEngineEvent;
  /** Wraps `clients`: their questions are announced. */
  announceQuestions(clients: Clients): Clients;
  /** Announces that a queue is blocked, if it is. */
  queueChanged(threadId: string, rows: RowList): void;
  /** Announces an event. Never rejects: a failure is logged. */
  announce(event: WebhookEvent): Promise<void>;
  /** The webhooks of the current configuration. */
  current(): Promise<Webhooks>;
  /** Delivers from now on what is in the outbox. */
  deliver(): Promise<void>;
  /** Looks for due deliveries at once, if this server delivers. */
  check(): void;
  close(): Promise<void>;
}

export interface AnnouncementDeps {
  readonly host: Host;
  readonly config: Pick<ConfigSource, "get">;
  readonly engine: Pick<Engine, "find">;
  readonly store: Pick<Once<Store>, "get">;
}

export interface AnnouncementsOptions {
  readonly random: () => number;
  readonly onAttempt: (kind: AttemptKind) => void;
}

/** A server that delivers reads its configuration again after this time, also where no thread is loaded. */
export const REREAD_MS = 60_000;

export function createAnnouncements(deps: AnnouncementDeps, options: AnnouncementsOptions): Announcements {
  const { config, host } = deps;
  const { clock, log } = host;
  let written: unknown;
  let announcer: Announcer | null = null;
  let isDelivering = false;
  let isClosed = false;
  let cancelReading = (): void => {};

  function configure(layers: readonly Layer[]): Promise<void> | null {
    const now = ownWebhooks(layers);
    if (now === written) return null;
    written = now;
    return apply(now);
  }

  async function apply(value: unknown): Promise<void> {
    if (announcer === null) {
      const { createAnnouncer } = await import("./announcer.ts");
      announcer ??= createAnnouncer(deps, options);
    }
    announcer.configure(value);
    if (isDelivering && !isClosed) await announcer.deliver();
  }

  async function reread(): Promise<void> {
    const effective = await (await config.get()).effective();
    // Requests report an invalid configuration; the webhooks of the last valid one stay in use.
    if (effective.ok) await configure(effective.value.layers);
  }

  function rereadLater(): void {
    if (isClosed) return;
    const again = (): void => inBackground(log, "reading webhooks", reread().finally(rereadLater));
    cancelReading = clock.after(REREAD_MS, again, { keepsAlive: false });
  }

  return {
    configure,
    endEffects: (threadId) => (turn, outcome) =>
      announcer === null ? NO_EFFECTS : announcer.endEffects(threadId, turn, outcome),
    onEvent(threadId, event) {
      if (announcer !== null) announcer.onEvent(threadId, event);
    },
    announceQuestions: (clients) => ({
      open(threadId, method, params) {
        const request = clients.open(threadId, method, params);
        announcer?.questionOpened(threadId, method, params);
        return request;
      },
    }),
    queueChanged: (threadId, rows) => announcer?.queueChanged(threadId, rows),
    async announce(event) {
      await announcer?.announce(event);
    },
    async current() {
      await reread();
      return announcer?.webhooks() ?? { endpoints: [], faults: [] };
    },
    async deliver() {
      isDelivering = true;
      await reread();
      await announcer?.deliver();
      rereadLater();
    },
    check: () => announcer?.check(),
    async close() {
      isClosed = true;
      cancelReading();
      await announcer?.close();
    },
  };
}
