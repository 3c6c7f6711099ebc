/** The way of events to one subscriber: each has its receipt first, then it is told, one after the other. */
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
  /** Takes what a hook would be told, and returns at once. */
  take(input: JsonObject): void;
  /** Lets what was taken go: the client knows that it has subscribed. */
  begin(): void;
  /** Nothing is told any more. */
  end(): void;
  /** Resolves when everything that was taken is told, or nothing is told any more. */
  settled(): Promise<void>;
}

export interface EventDeliveryOptions {
  readonly subscriptionId: string;
  readonly threadId: string;
  readonly clientId: string;
  readonly events: ReadonlySet<EventName>;
  readonly ledger: () => Promise<ReceiptLedger>;
  readonly tell: (notification: LifecycleEventNotification) => void;
  /** In which the deliveries of all subscribers take their steps: many of them must not hold up a turn. */
  readonly lane: SliceQueue;
  readonly createId: () => string;
  readonly clock: Clock;
  readonly log: Logger;
}

/** How many events of a subscription may wait for their receipts; those beyond it are left out. */
export const MAX_WAITING_EVENTS = 128;

const MOST_EVIDENCE = 500;

type Waiting =
  | { readonly kind: "input"; readonly input: JsonObject }
  /** Stands where they would have stood. */
  | { readonly kind: "leftOut"; count: number };

type Details = Readonly<Record<string, JsonValue>>;

export function createEventDelivery(options: EventDeliveryOptions): EventDelivery {
  const { subscriptionId, threadId, events, lane, log } = options;
  const keep = createKeeper(options);
  const about = (event: EventName, details: Details): ObservableEvent => ({
    adapter_id: "heddle",
    event,
    harness_session_id: threadId,
    details,
  });
  const waiting: Waiting[] = [];
  let phase: "new" | "open" | "over" = "new";
  let work: Promise<void> | null = null;

  function tell(event: ObservableEvent, receiptId: string | null, sequence: number | null): Promise<void> {
    const { harness_task_id: turnId = null } = event;
    // Both types are of one shape; that of the wire is not made for reading only.
    const told = event as LifecycleEventNotification["event"];
    return lane(() => {
      if (phase !== "over")
        options.tell({ subscriptionId, threadId, turnId, event: told, receiptId, sequence });
    });
  }

  /** Keeps the receipt, then tells. What has no receipt is not told, but that there was something to tell. */
  async function deliver(event: ObservableEvent): Promise<Observed["gap"]> {
    if (phase === "over" || !events.has(event.event)) return null;
    const kept = await keep(event);
    if ("error" in kept) {
      const details = { capability: "receipt_ledger", untold: event.event, evidence: kept.error };
      if (events.has("capability.degraded")) await tell(about("capability.degraded", details), null, null);
      return null;
    }
    await tell(event, kept.receipt.receipt_id, kept.receipt.sequence);
    return kept.gap;
  }

  async function deliverNext(next: Waiting): Promise<void> {
    if (next.kind === "leftOut") {
      const details = { capability: "lifecycle_events", untold_count: next.count };
      await deliver(about("capability.degraded", details));
      return;
    }
    const outcome = await lane(() => read("heddle", next.input));
    const gap = outcome.ok ? await deliver(outcome.event) : null;
    // A ledger that loses this one as well is told of with the next event: there must be an end.
    if (gap !== null) await deliver(about("receipt.gap_detected", { ...gap }));
  }

  async function deliverAll(): Promise<void> {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      try {
        await deliverNext(next);
      } catch (error) {
        logFailure(log, "telling of a lifecycle event", error);
      }
    }
    work = null;
  }

  function start(): void {
    if (phase === "open" && waiting.length > 0) work ??= deliverAll();
  }

  async function settled(): Promise<void> {
    if (work === null) return;
    await work;
    return settled();
  }

  return {
    take(input) {
      if (phase === "over") return;
      const last = waiting.at(-1);
      if (waiting.length < MAX_WAITING_EVENTS) waiting.push({ kind: "input", input });
      else if (last?.kind === "leftOut") last.count += 1;
      else waiting.push({ kind: "leftOut", count: 1 });
      start();
    },
    begin() {
      if (phase === "new") phase = "open";
      start();
    },
    end() {
      phase = "over";
      waiting.length = 0;
    },
    settled,
  };
}

/** Keeps receipts; the log is told once of a ledger that fails, until it works again. */
function createKeeper({
  subscriptionId,
  clientId,
  ledger,
  lane,
  createId,
  clock,
  log,
}: EventDeliveryOptions) {
  let isLedgerWell = true;
  return async (event: ObservableEvent): Promise<Observed | { readonly error: string }> => {
    try {
      const ports = { ledger: await ledger(), newId: createId, clock };
      const kept = await lane(() => observe(event, ports, { clientId, runId: subscriptionId }));
      isLedgerWell = true;
      return kept;
    } catch (error) {
      if (isLedgerWell) logFailure(log, "keeping the receipt of a lifecycle event", error);
      isLedgerWell = false;
      return { error: messageOf(error).slice(0, MOST_EVIDENCE) };
    }
  };
}
