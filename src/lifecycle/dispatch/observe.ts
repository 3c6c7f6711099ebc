import { type NeutralEvent, requestOf } from "../harness/read.ts";
import { draftReceipt } from "../receipts/draft-receipt.ts";
import type { SequenceGap } from "../receipts/gaps.ts";
import type { ReceiptLedger } from "../receipts/ledger.ts";
import type { LifecycleReceipt } from "../wire/receipt.ts";
import { harnessIds } from "../wire/request.ts";
import { WIRE_VERSION } from "../wire/wire-error.ts";
import { epochSeconds, type LifecycleClock, systemClock } from "./clock.ts";
import { NOTHING_AGREED } from "./conclude.ts";

/** An event of a harness, or one about the telling itself, which no hook stands for. */
export type ToldEvent = Omit<NeutralEvent, "hook_event_name"> &
  Partial<Pick<NeutralEvent, "hook_event_name">>;

export interface ObservePorts {
  readonly ledger: ReceiptLedger;
  readonly newId: () => string;
  readonly clock?: Pick<LifecycleClock, "now">;
}

export interface Observed {
  readonly receipt: LifecycleReceipt;
  /** Numbers of the run before this one whose receipts are gone. */
  readonly gap: SequenceGap | null;
}

/**
 * Keeps the receipt of an event that a client is only told of: it is asked nothing, so nothing can come of it. Rejects
 * where the receipt cannot be kept, and then the client is not to be told.
 */
export async function observe(
  event: ToldEvent,
  { ledger, newId, clock = systemClock }: ObservePorts,
  { clientId, runId }: { readonly clientId: string; readonly runId: string },
): Promise<Observed> {
  const request = requestOf(event, { eventId: newId(), invocationId: newId(), runId });
  const drafted = draftReceipt(
    {
      request,
      payloads: [],
      negotiation: NOTHING_AGREED.negotiation,
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
  if (outcome.kind !== "recorded") throw new Error(`the ledger says ${outcome.kind} of a new receipt`);
  return { receipt: outcome.receipt, gap: outcome.gap };
}
