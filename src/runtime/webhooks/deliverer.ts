/**
 * Delivers what is in the outbox. Several servers may do so on one home: a delivery is claimed by one of them. A server
 * that enqueues wakes its own deliverer; what other processes enqueue is found by looking.
 */
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import type { Logger } from "../../base/logger.ts";
import { inBackground } from "../../base/tasks.ts";
import { type ClaimedDelivery, DELIVERY_TTL_MS, type Outbox } from "../../store/outbox.ts";
import type { PostWebhook } from "./post-webhook.ts";
import type { WebhookEndpoint } from "./read-webhooks.ts";
import { retryDelayMs } from "./retry-delay.ts";
import { webhookHeaders } from "./sign-webhook.ts";

/** Attempts under way, of all endpoints and of one, so that a slow endpoint does not delay the others. */
export const MAX_ATTEMPTS = 8;
export const MAX_ENDPOINT_ATTEMPTS = 2;
/** The interval of looks while nothing is known to be due. */
export const LOOK_EVERY_MS = 2000;

const GONE = 410;

export type AttemptKind = "delivered" | "failed" | "abandoned" | "switchedOff";

export interface DelivererOptions {
  readonly outbox: Pick<Outbox, "claim" | "finish" | "nextDueMs" | "switchOff">;
  readonly endpoints: () => readonly WebhookEndpoint[];
  readonly post: PostWebhook;
  readonly clock: Clock;
  readonly log: Logger;
  readonly random: () => number;
  /** Called after each attempt that was not broken off. */
  readonly onAttempt: (kind: AttemptKind) => void;
}

export interface Deliverer {
  /** Looks for due deliveries now. */
  check(): void;
  /** Breaks off attempts under way, which then do not count. */
  stop(): Promise<void>;
}

export function createDeliverer(options: DelivererOptions): Deliverer {
  const { outbox, endpoints, clock, log } = options;
  const stopping = new AbortController();
  const attempts = createAttempts(options, stopping.signal);
  const running = new Map<Promise<void>, string>();
  let checking: "no" | "yes" | "again" = "no";
  let looking: Promise<void> = Promise.resolve();
  let cancelAlarm = (): void => {};
  /** The endpoint that is looked at first: each in turn. */
  let turn = 0;

  async function claimDue(endpoint: WebhookEndpoint): Promise<void> {
    const own = [...running.values()].filter((id) => id === endpoint.id).length;
    const room = Math.min(MAX_ENDPOINT_ATTEMPTS - own, MAX_ATTEMPTS - running.size);
    if (room <= 0) return;
    for (const claimed of await outbox.claim(endpoint.id, room)) {
      const attempt = attempts.make(endpoint, claimed).finally(() => {
        running.delete(attempt);
        check();
      });
      running.set(attempt, endpoint.id);
      inBackground(log, "delivering a webhook", attempt);
    }
  }

  async function claimAll(all: readonly WebhookEndpoint[]): Promise<void> {
    turn += 1;
    for (const at of all.keys()) {
      const endpoint = all[(at + turn) % all.length];
      if (endpoint !== undefined && !stopping.signal.aborted) await claimDue(endpoint);
    }
  }

  const findNext = (): Promise<number | null> => outbox.nextDueMs(endpoints().map(({ id }) => id));

  async function checkNow(): Promise<void> {
    cancelAlarm();
    let nextMs: number | null = null;
    try {
      do {
        checking = "yes";
        nextMs = await findNext();
        if (nextMs === null || nextMs > clock.now()) continue;
        await claimAll(endpoints());
        nextMs = await findNext();
      } while (mustCheckAgain());
    } catch (error) {
      log.error("the outbox of webhooks could not be read", { error: messageOf(error) });
    } finally {
      checking = "no";
      setAlarm(nextMs);
    }
  }

  const mustCheckAgain = (): boolean => checking === "again" && !stopping.signal.aborted;

  /** A delivery that is due already waits for an attempt under way, whose end checks again. */
  function setAlarm(nextMs: number | null): void {
    if (stopping.signal.aborted) return;
    const delayMs = (nextMs ?? 0) - clock.now();
    cancelAlarm = clock.after(delayMs > 0 ? Math.min(delayMs, LOOK_EVERY_MS) : LOOK_EVERY_MS, check, {
      keepsAlive: false,
    });
  }

  function check(): void {
    if (stopping.signal.aborted) return;
    if (checking !== "no") {
      checking = "again";
      return;
    }
    looking = checkNow();
    inBackground(log, "looking for due webhooks", looking);
  }

  return {
    check,
    async stop() {
      stopping.abort();
      cancelAlarm();
      // It may still claim deliveries, whose attempts are broken off at once.
      await looking;
      await Promise.allSettled(running.keys());
    },
  };
}

/** Makes single attempts, and logs when an endpoint begins to fail and when it works again. */
function createAttempts(options: DelivererOptions, signal: AbortSignal) {
  const { outbox, post, clock, log, random, onAttempt } = options;
  /** Bounded by the number of endpoints. */
  const failing = new Set<string>();

  async function succeed(claimed: ClaimedDelivery, status: number): Promise<void> {
    const { endpointId, eventId, attempts } = claimed;
    await outbox.finish(claimed, { kind: "delivered", result: { status, error: null } });
    onAttempt("delivered");
    if (failing.delete(endpointId)) log.info("a webhook works again", { endpointId });
    log.debug("a webhook was delivered", { endpointId, eventId, attempts, status });
  }

  async function fail(claimed: ClaimedDelivery, failure: Failure): Promise<void> {
    const { endpointId, eventId, attempts } = claimed;
    const { status, error, retryAfter } = failure;
    const isGone = status === GONE;
    const retryAfterMs = isGone
      ? DELIVERY_TTL_MS + 1
      : retryDelayMs(attempts, retryAfter, { now: clock.now(), random });
    const state = await outbox.finish(claimed, { kind: "failed", result: { status, error }, retryAfterMs });
    if (isGone) {
      await outbox.switchOff(endpointId, "it answered 410 Gone");
      log.error("a webhook answered 410 Gone and is off: `heddle webhooks retry` switches it on again", {
        endpointId,
      });
      return onAttempt("switchedOff");
    }
    const isAbandoned = state === "abandoned";
    if (isAbandoned)
      log.error("a webhook was not delivered in time and is abandoned", { endpointId, eventId, error });
    else if (!failing.has(endpointId))
      log.warn("a webhook failed and will be retried", { endpointId, eventId, error });
    failing.add(endpointId);
    onAttempt(isAbandoned ? "abandoned" : "failed");
  }

  return {
    async make({ url, secrets, allowsPrivate }: WebhookEndpoint, claimed: ClaimedDelivery): Promise<void> {
      const { eventId: id, body } = claimed;
      const headers = webhookHeaders(secrets, { id, atSeconds: Math.floor(clock.now() / 1000), body });
      const response = await post({ url, headers, body, allowsPrivate }, signal);
      if (response.kind === "aborted") await outbox.finish(claimed, { kind: "released" });
      else if (response.kind === "failed")
        await fail(claimed, { status: null, error: response.message, retryAfter: null });
      else if (isSuccess(response.status)) await succeed(claimed, response.status);
      else await fail(claimed, { ...response, error: `it answered ${response.status}` });
    },
  };
}

interface Failure {
  readonly status: number | null;
  readonly error: string;
  readonly retryAfter: string | null;
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}
