import type { Clock } from "../../base/clock.ts";
import {
  type AttemptOutcome,
  type AttemptResult,
  CLAIM_MS,
  type ClaimedDelivery,
  DELIVERY_TTL_MS,
  type Delivery,
  type DeliveryState,
  type EndpointState,
  type EnqueueOutcome,
  MAX_DELIVERIES,
  type NewDelivery,
  type Outbox,
  type RetryTarget,
  toResult,
} from "../outbox.ts";

/** Deliveries in memory. */
export interface OutboxMemory {
  readonly entries: Map<number, Entry>;
  readonly endpoints: Map<string, EndpointState>;
  last: number;
}

interface Entry {
  readonly number: number;
  readonly given: NewDelivery;
  readonly createdAtMs: number;
  expiresAtMs: number;
  state: DeliveryState;
  attempts: number;
  dueAtMs: number;
  finishedAtMs: number | null;
  result: AttemptResult | null;
}

export const emptyOutboxMemory = (): OutboxMemory => ({ entries: new Map(), endpoints: new Map(), last: 0 });

export interface MemoryOutbox extends Outbox {
  /** `enqueue` in the same step as the lines of a journal. */
  enqueueNow(deliveries: readonly NewDelivery[]): EnqueueOutcome;
}

export function createMemoryOutbox(
  memory: OutboxMemory,
  clock: Pick<Clock, "now">,
  maxDeliveries = MAX_DELIVERIES,
): MemoryOutbox {
  const { entries, endpoints } = memory;
  const all = () => [...entries.values()];
  const isOpen = ({ state }: Entry) => state === "pending" || state === "claimed";
  const endpointOf = (endpointId: string): EndpointState =>
    endpoints.get(endpointId) ?? { endpointId, off: null, dropped: 0 };

  function enqueueNow(deliveries: readonly NewDelivery[]): EnqueueOutcome {
    let [added, dropped] = [0, 0];
    for (const given of deliveries) {
      const { endpointId, eventId } = given;
      const isSame = (entry: Entry) =>
        entry.given.endpointId === endpointId && entry.given.eventId === eventId;
      if (all().some(isSame) || endpointOf(endpointId).off !== null) continue;
      if (makeRoom()) {
        add(given);
        added += 1;
        continue;
      }
      const state = endpointOf(endpointId);
      endpoints.set(endpointId, { ...state, dropped: state.dropped + 1 });
      dropped += 1;
    }
    return { added, dropped };
  }

  function makeRoom(): boolean {
    if (entries.size < maxDeliveries) return true;
    const finished = all().filter((entry) => !isOpen(entry));
    const [oldest] = finished.sort((one, other) => (one.finishedAtMs ?? 0) - (other.finishedAtMs ?? 0));
    return oldest !== undefined && entries.delete(oldest.number);
  }

  function add(given: NewDelivery): void {
    const now = clock.now();
    memory.last += 1;
    const number = memory.last;
    const entry: Entry = {
      number,
      given,
      createdAtMs: now,
      expiresAtMs: now + DELIVERY_TTL_MS,
      state: "pending",
      attempts: 0,
      dueAtMs: now,
      finishedAtMs: null,
      result: null,
    };
    entries.set(number, entry);
  }

  function isFirst({ number, given: { threadId, endpointId } }: Entry): boolean {
    if (threadId === null) return true;
    return !all().some(
      (other) =>
        isOpen(other) &&
        other.number < number &&
        other.given.threadId === threadId &&
        other.given.endpointId === endpointId,
    );
  }

  function end(entry: Entry, state: "delivered" | "abandoned"): void {
    entry.state = state;
    entry.finishedAtMs = clock.now();
  }

  function applyOutcome(entry: Entry, outcome: AttemptOutcome): void {
    const now = clock.now();
    if (outcome.kind === "released") {
      Object.assign(entry, { state: "pending", dueAtMs: now, attempts: entry.attempts - 1 });
      return;
    }
    entry.result = toResult(outcome.result, now);
    if (outcome.kind === "delivered") end(entry, "delivered");
    else if (now + outcome.retryAfterMs > entry.expiresAtMs) end(entry, "abandoned");
    else Object.assign(entry, { state: "pending", dueAtMs: now + outcome.retryAfterMs });
  }

  const isMeant = ({ number, given }: Entry, target: RetryTarget): boolean =>
    "number" in target ? number === target.number : given.endpointId === target.endpointId;

  return {
    enqueueNow,
    enqueue: async (deliveries) => enqueueNow(deliveries),
    async claim(endpointId, limit) {
      const now = clock.now();
      const due = all()
        .filter((entry) => entry.given.endpointId === endpointId && isOpen(entry) && entry.dueAtMs <= now)
        .filter(isFirst)
        .sort((one, other) => one.dueAtMs - other.dueAtMs || one.number - other.number)
        .slice(0, limit);
      return due.map((entry): ClaimedDelivery => {
        Object.assign(entry, { state: "claimed", dueAtMs: now + CLAIM_MS, attempts: entry.attempts + 1 });
        return { ...entry.given, number: entry.number, attempts: entry.attempts };
      });
    },
    async finish({ number, attempts }, outcome) {
      const entry = entries.get(number);
      if (entry === undefined || entry.state !== "claimed" || entry.attempts !== attempts) return "lost";
      applyOutcome(entry, outcome);
      return entry.state;
    },
    async nextDueMs(endpointIds) {
      const waiting = all().filter(
        (entry) => isOpen(entry) && endpointIds.includes(entry.given.endpointId) && isFirst(entry),
      );
      return waiting.length === 0 ? null : Math.min(...waiting.map(({ dueAtMs }) => dueAtMs));
    },
    async list({ endpointId, state, before = Infinity, limit }) {
      const wanted = all().filter(
        (entry) =>
          entry.number < before &&
          (endpointId === undefined || entry.given.endpointId === endpointId) &&
          (state === undefined || entry.state === state),
      );
      return wanted
        .sort((one, other) => other.number - one.number)
        .slice(0, limit)
        .map(toDelivery);
    },
    async retry(target) {
      const now = clock.now();
      const wanted = all().filter(
        (entry) => isMeant(entry, target) && (entry.state === "pending" || entry.state === "abandoned"),
      );
      const again = {
        state: "pending",
        dueAtMs: now,
        finishedAtMs: null,
        expiresAtMs: now + DELIVERY_TTL_MS,
      };
      for (const entry of wanted) Object.assign(entry, again);
      return wanted.length;
    },
    async switchOff(endpointId, reason) {
      const now = clock.now();
      endpoints.set(endpointId, { ...endpointOf(endpointId), off: { reason, atMs: now } });
      const left = all().filter((entry) => entry.given.endpointId === endpointId && isOpen(entry));
      for (const entry of left) end(entry, "abandoned");
    },
    async switchOn(endpointId) {
      const state = endpointOf(endpointId);
      endpoints.set(endpointId, { ...state, off: null });
      return state.off !== null;
    },
    endpoints: async () => [...endpoints.values()].filter(({ off, dropped }) => off !== null || dropped > 0),
    async totals() {
      const open = all().filter(isOpen);
      return {
        pending: open.length,
        abandoned: all().filter(({ state }) => state === "abandoned").length,
        oldestAtMs: open.length === 0 ? null : Math.min(...open.map(({ createdAtMs }) => createdAtMs)),
      };
    },
  };
}

function toDelivery(entry: Entry): Delivery {
  const { number, given, state, attempts, createdAtMs, dueAtMs, finishedAtMs, result } = entry;
  const { body: _, ...shown } = given;
  const due = finishedAtMs === null ? dueAtMs : null;
  return { ...shown, number, state, attempts, createdAtMs, dueAtMs: due, finishedAtMs, result };
}
