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

const isOpen = ({ state }: Entry): boolean => state === "pending" || state === "claimed";

const allOf = ({ entries }: OutboxMemory): Entry[] => [...entries.values()];

function endpointOf({ endpoints }: OutboxMemory, endpointId: string): EndpointState {
  return endpoints.get(endpointId) ?? { endpointId, off: null, dropped: 0 };
}

export function createMemoryOutbox(
  memory: OutboxMemory,
  clock: Pick<Clock, "now">,
  maxDeliveries = MAX_DELIVERIES,
): MemoryOutbox {
  const enqueueNow = createEnqueue(memory, clock, maxDeliveries);
  return {
    enqueueNow,
    enqueue: async (deliveries) => enqueueNow(deliveries),
    ...createClaims(memory, clock),
    ...createChanges(memory, clock),
    async list({ endpointId, state, before = Infinity, limit }) {
      const wanted = allOf(memory).filter(
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
    endpoints: async () =>
      [...memory.endpoints.values()].filter(({ off, dropped }) => off !== null || dropped > 0),
    async totals() {
      const open = allOf(memory).filter(isOpen);
      return {
        pending: open.length,
        abandoned: allOf(memory).filter(({ state }) => state === "abandoned").length,
        oldestAtMs: open.length === 0 ? null : Math.min(...open.map(({ createdAtMs }) => createdAtMs)),
      };
    },
  };
}

function createEnqueue(
  memory: OutboxMemory,
  clock: Pick<Clock, "now">,
  maxDeliveries: number,
): MemoryOutbox["enqueueNow"] {
  const { entries, endpoints } = memory;

  function makeRoom(): boolean {
    if (entries.size < maxDeliveries) return true;
    const finished = allOf(memory).filter((entry) => !isOpen(entry));
    const [oldest] = finished.sort((one, other) => (one.finishedAtMs ?? 0) - (other.finishedAtMs ?? 0));
    return oldest !== undefined && entries.delete(oldest.number);
  }

  function add(given: NewDelivery): void {
    const now = clock.now();
    memory.last += 1;
    const number = memory.last;
    const expiresAtMs = now + DELIVERY_TTL_MS;
    const fresh = { state: "pending", attempts: 0, finishedAtMs: null, result: null } as const;
    entries.set(number, { ...fresh, number, given, createdAtMs: now, dueAtMs: now, expiresAtMs });
  }

  function isKnown({ endpointId, eventId }: NewDelivery): boolean {
    const isSame = ({ given }: Entry) => given.endpointId === endpointId && given.eventId === eventId;
    return allOf(memory).some(isSame) || endpointOf(memory, endpointId).off !== null;
  }

  return (deliveries) => {
    let [added, dropped] = [0, 0];
    for (const given of deliveries) {
      if (isKnown(given)) continue;
      if (makeRoom()) {
        add(given);
        added += 1;
        continue;
      }
      const state = endpointOf(memory, given.endpointId);
      endpoints.set(given.endpointId, { ...state, dropped: state.dropped + 1 });
      dropped += 1;
    }
    return { added, dropped };
  };
}

function createClaims(
  memory: OutboxMemory,
  clock: Pick<Clock, "now">,
): Pick<Outbox, "claim" | "finish" | "nextDueMs"> {
  /** The first open one of its thread to its endpoint, while no later one is attempted. */
  function isFirst({ number, given: { threadId, endpointId } }: Entry, now: number): boolean {
    if (threadId === null) return true;
    return !allOf(memory).some(
      (other) =>
        isOpen(other) &&
        other.given.threadId === threadId &&
        other.given.endpointId === endpointId &&
        (other.number < number ||
          (other.number > number && other.state === "claimed" && other.dueAtMs > now)),
    );
  }

  return {
    async claim(endpointId, limit) {
      const now = clock.now();
      const due = allOf(memory)
        .filter((entry) => entry.given.endpointId === endpointId && isOpen(entry) && entry.dueAtMs <= now)
        .filter((entry) => isFirst(entry, now))
        .sort((one, other) => one.dueAtMs - other.dueAtMs || one.number - other.number)
        .slice(0, limit);
      return due.map((entry): ClaimedDelivery => {
        Object.assign(entry, { state: "claimed", dueAtMs: now + CLAIM_MS, attempts: entry.attempts + 1 });
        return { ...entry.given, number: entry.number, attempts: entry.attempts };
      });
    },
    async finish({ number, attempts }, outcome) {
      const entry = memory.entries.get(number);
      if (entry === undefined || entry.state !== "claimed" || entry.attempts !== attempts) return "lost";
      applyOutcome(entry, outcome, clock.now());
      return entry.state;
    },
    async nextDueMs(endpointIds) {
      const now = clock.now();
      const waiting = allOf(memory).filter(
        (entry) => isOpen(entry) && endpointIds.includes(entry.given.endpointId) && isFirst(entry, now),
      );
      return waiting.length === 0 ? null : Math.min(...waiting.map(({ dueAtMs }) => dueAtMs));
    },
  };
}

function applyOutcome(entry: Entry, outcome: AttemptOutcome, now: number): void {
  if (outcome.kind === "released") {
    Object.assign(entry, { state: "pending", dueAtMs: now, attempts: entry.attempts - 1 });
    return;
  }
  entry.result = toResult(outcome.result, now);
  if (outcome.kind === "delivered") end(entry, "delivered", now);
  else if (now + outcome.retryAfterMs > entry.expiresAtMs) end(entry, "abandoned", now);
  else Object.assign(entry, { state: "pending", dueAtMs: now + outcome.retryAfterMs });
}

function end(entry: Entry, state: "delivered" | "abandoned", now: number): void {
  entry.state = state;
  entry.finishedAtMs = now;
}

function createChanges(
  memory: OutboxMemory,
  clock: Pick<Clock, "now">,
): Pick<Outbox, "retry" | "switchOff" | "switchOn"> {
  const { endpoints } = memory;
  const isMeant = ({ number, given }: Entry, target: RetryTarget): boolean =>
    "number" in target ? number === target.number : given.endpointId === target.endpointId;

  return {
    async retry(target) {
      const now = clock.now();
      const wanted = allOf(memory).filter(
        (entry) => isMeant(entry, target) && (entry.state === "pending" || entry.state === "abandoned"),
      );
      const expiresAtMs = now + DELIVERY_TTL_MS;
      const again = { state: "pending", dueAtMs: now, finishedAtMs: null, expiresAtMs };
      for (const entry of wanted) Object.assign(entry, again);
      return wanted.length;
    },
    async switchOff(endpointId, reason) {
      const now = clock.now();
      endpoints.set(endpointId, { ...endpointOf(memory, endpointId), off: { reason, atMs: now } });
      const left = allOf(memory).filter((entry) => entry.given.endpointId === endpointId && isOpen(entry));
      for (const entry of left) end(entry, "abandoned", now);
    },
    async switchOn(endpointId) {
      const state = endpointOf(memory, endpointId);
      endpoints.set(endpointId, { ...state, off: null });
      return state.off !== null;
    },
  };
}

function toDelivery(entry: Entry): Delivery {
  const { number, given, state, attempts, createdAtMs, dueAtMs, finishedAtMs, result } = entry;
  const { body: _, ...shown } = given;
  const due = finishedAtMs === null ? dueAtMs : null;
  return { ...shown, number, state, attempts, createdAtMs, dueAtMs: due, finishedAtMs, result };
}
