/**
 * Delivers lifecycle events to one subscriber, in order. The receipt of an event is stored before the event
 * is sent.
 */
import type { Clock } from "../../base/clock.ts";
import { messageOf } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json-object.ts";
import type { Logger } from "../../base/logger.ts";
import { logFailure } from "../../base/tasks.ts";
import type { SliceQueue } from "../../base/time-slices.ts";
import {
  type EventName,
  type JsonValue,
  type ObservableEvent,
  type Observed,
  observe,
  type ReceiptLedger,
  read,
} from "../../lifecycle/index.ts";
import type { LifecycleEventNotification } from "../../protocol/generated/types.ts";

export interface EventDelivery {
  /** Enqueues the input of a hook; returns at once. */
  enqueue(input: JsonObject): void;
  /** Starts the delivery; called after the response to the subscription. */
  begin(): void;
  /** Stops the delivery and discards queued events. */
  stop(): void;
  /** Resolves when all queued events have been delivered or discarded. */
  drained(): Promise<void>;
}

export interface EventDeliveryOptions {
  readonly subscriptionId: string;
  readonly threadId: string;
  readonly clientId: string;
  readonly events: ReadonlySet<EventName>;
  readonly ledger: () => Promise<ReceiptLedger>;
  readonly send: (notification: LifecycleEventNotification) => void;
  /**
   * Shared by the deliveries of all subscribers, in short time slices, so that many of them do not delay a
   * turn.
   */
  readonly lane: SliceQueue;
  readonly createId: () => string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** Queued events of a subscription; events beyond that are dropped. */
export const MAX_WAITING_EVENTS = 128;

const MAX_EVIDENCE_CHARS = 500;

type QueuedInput =
  | { readonly kind: "input"; readonly input: JsonObject }
  /** A placeholder for dropped events, at their position in the queue. */
  | { readonly kind: "leftOut"; count: number };

type Details = Readonly<Record<string, JsonValue>>;

function toEvent(threadId: string, event: EventName, details: Details): ObservableEvent {
  return { adapter_id: "heddle", event, harness_session_id: threadId, details };
}

export function createEventDelivery(options: EventDeliveryOptions): EventDelivery {
  const { subscriptionId, threadId, events, lane, log } = options;
  const writeReceipt = createReceiptWriter(options);
  const about = (event: EventName, details: Details) => toEvent(threadId, event, details);
  const queued: QueuedInput[] = [];
  let phase: "new" | "open" | "over" = "new";
  let work: Promise<void> | null = null;

  function sendEvent(
    event: ObservableEvent,
    receiptId: string | null,
    sequence: number | null,
  ): Promise<void> {
    const { harness_task_id: turnId = null } = event;
    // The types differ only in `readonly`.
    const wireEvent = event as LifecycleEventNotification["event"];
    return lane(() => {
      if (phase !== "over")
        options.send({ subscriptionId, threadId, turnId, event: wireEvent, receiptId, sequence });
    });
  }

  /** Stores the receipt, then sends the event. Without a receipt only `capability.degraded` is sent. */
  async function deliver(event: ObservableEvent): Promise<Observed["gap"]> {
    if (phase === "over" || !events.has(event.event)) return null;
    const kept = await writeReceipt(event);
    if ("error" in kept) {
      const details = { capability: "receipt_ledger", untold: event.event, evidence: kept.error };
      if (events.has("capability.degraded"))
        await sendEvent(about("capability.degraded", details), null, null);
      return null;
    }
    await sendEvent(event, kept.receipt.receipt_id, kept.receipt.sequence);
    return kept.gap;
  }

  async function deliverNext(next: QueuedInput): Promise<void> {
    if (next.kind === "leftOut") {
      const details = { capability: "lifecycle_events", untold_count: next.count };
      await deliver(about("capability.degraded", details));
      return;
    }
    const outcome = await lane(() => read("heddle", next.input));
    const gap = outcome.ok ? await deliver(outcome.event) : null;
    // The gap of this delivery is ignored, to end the recursion; the next event reports it.
    if (gap !== null) await deliver(about("receipt.gap_detected", { ...gap }));
  }

  async function deliverAll(): Promise<void> {
    for (let next = queued.shift(); next !== undefined; next = queued.shift()) {
      try {
        await deliverNext(next);
      } catch (error) {
        logFailure(log, "sending a lifecycle event", error);
      }
    }
    work = null;
  }

  function start(): void {
    if (phase === "open" && queued.length > 0) work ??= deliverAll();
  }

  async function drained(): Promise<void> {
    if (work === null) return;
    await work;
    return drained();
  }

  return {
    enqueue(input) {
      if (phase === "over") return;
      const last = queued.at(-1);
      if (queued.length < MAX_WAITING_EVENTS) queued.push({ kind: "input", input });
      else if (last?.kind === "leftOut") last.count += 1;
      else queued.push({ kind: "leftOut", count: 1 });
      start();
    },
    begin() {
      if (phase === "new") phase = "open";
      start();
    },
    stop() {
      phase = "over";
      queued.length = 0;
    },
    drained,
  };
}

/** Stores receipts. A failing ledger is logged once, until it works again. */
function createReceiptWriter({
  subscriptionId,
  clientId,
  ledger,
  lane,
  createId,
  clock,
  log,
}: EventDeliveryOptions) {
  let isLedgerWorking = true;
  return async (event: ObservableEvent): Promise<Observed | { readonly error: string }> => {
    try {
      const ports = { ledger: await ledger(), newId: createId, clock };
      const kept = await lane(() => observe(event, ports, { clientId, runId: subscriptionId }));
      isLedgerWorking = true;
      return kept;
    } catch (error) {
      if (isLedgerWorking) logFailure(log, "storing the receipt of a lifecycle event", error);
      isLedgerWorking = false;
      return { error: messageOf(error).slice(0, MAX_EVIDENCE_CHARS) };
    }
  };
}
