import { type NeutralEvent, requestOf } from "../harness/read.ts";
import { draftReceipt } from "../receipts/draft-receipt.ts";
import type { SequenceGap } from "../receipts/gaps.ts";
import type { ReceiptLedger } from "../receipts/ledger.ts";
import type { LifecycleReceipt } from "../wire/receipt.ts";
import { harnessIds } from "../wire/request.ts";
import { WIRE_VERSION } from "../wire/wire-error.ts";
import { epochSeconds, type LifecycleClock, systemLifecycleClock } from "./clock.ts";
import { EMPTY_AGREEMENT } from "./conclude.ts";

/** An event of a harness, or one of the dispatch itself, such as a receipt gap, which has no hook. */
export type ObservableEvent = Omit<NeutralEvent, "hook_event_name"> &
  Partial<Pick<NeutralEvent, "hook_event_name">>;

export interface ObservePorts {
  readonly ledger: ReceiptLedger;
  readonly newId: () => string;
  readonly clock?: Pick<LifecycleClock, "now">;
}

export interface Observed {
  readonly receipt: LifecycleReceipt;
  /** Earlier sequence numbers of the run whose receipts are missing. */
  readonly gap: SequenceGap | null;
}

/**
 * Records the receipt of an event that a client only observes and cannot answer. Rejects where the receipt cannot be
 * recorded; the caller then must not send the event.
 */
export async function observe(
  event: ObservableEvent,
  { ledger, newId, clock = systemLifecycleClock }: ObservePorts,
  { clientId, runId }: { readonly clientId: string; readonly runId: string },
): Promise<Observed> {
  const request = requestOf(event, { eventId: newId(), invocationId: newId(), runId });
  const drafted = draftReceipt(
    {
      request,
      payloads: [],
      negotiation: EMPTY_AGREEMENT.negotiation,
      response: { schema_version: WIRE_VERSION, status: "observed" },
    },
    {
      client_id: clientId,
      receipt_id: newId(),
      at_epoch_s: epochSeconds(clock),
      ...harnessIds(request),
    },
  );
  if (!drafted.ok) throw new Error(`${drafted.error.kind}: ${drafted.error.detail}`);
  const outcome = await ledger.record(drafted.receipt, null);
  if (outcome.kind !== "recorded") throw new Error(`the ledger returned ${outcome.kind} for a new receipt`);
  return { receipt: outcome.receipt, gap: outcome.gap };
}
