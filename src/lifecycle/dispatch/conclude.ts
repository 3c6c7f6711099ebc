import type { PlacedPayload } from "../harness/tell-context.ts";
import type { Negotiation } from "../placement/negotiate.ts";
import type { PayloadFaults } from "../placement/payload-faults.ts";
import { draftReceipt, type FinishedDispatch } from "../receipts/draft-receipt.ts";
import type { NewReceipt } from "../receipts/ledger.ts";
import type { LifecycleResult } from "../vocabulary/result.ts";
import type { PayloadEnvelope } from "../wire/payload-envelope.ts";
import type { LifecycleReceipt } from "../wire/receipt.ts";
import type { CallbackResponse } from "../wire/response.ts";
import { epochSeconds } from "./clock.ts";
import { guardContinuation, MOST_CONTINUATIONS } from "./continuations.ts";
import {
  type Announcement,
  type Dispatched,
  type DispatchPorts,
  type Refused,
  type Run,
  refused,
} from "./run.ts";

/** What was found out about payloads and capabilities. */
export interface Agreed {
  readonly payloads: readonly PayloadEnvelope[];
  readonly faults: PayloadFaults;
  readonly negotiation: Negotiation;
}

/** Where there is nothing to place and nothing was asked for. */
export const NOTHING_AGREED: Agreed = {
  payloads: [],
  faults: new Map(),
  negotiation: {
    outcome: "satisfied",
    blocks_dispatch: false,
    failure_class: null,
    retry_class: null,
    capability_degradations: [],
    placement_decisions: [],
    warnings: [],
  },
};

/** Makes the receipt, keeps it, tells of it, and returns what is to be rendered. */
export async function conclude(
  run: Run,
  response: CallbackResponse,
  agreed: Agreed | null,
  attempts: number,
): Promise<Dispatched> {
  const { envelope, ports, options, context, fingerprint } = run;
  const { payloads, faults, negotiation } = agreed ?? NOTHING_AGREED;
  const guarded = await guardContinuation(response.result ?? {}, envelope.request, {
    most: options.mostContinuations ?? MOST_CONTINUATIONS,
    counter: ports.continuations,
  });
  const ended: FinishedDispatch = { request: envelope.request, payloads, negotiation, response };
  const drafted = draftReceipt(ended, {
    ...context,
    at_epoch_s: epochSeconds(run.clock),
    warnings: guarded.warning === null ? [] : [guarded.warning],
  });
  if (!drafted.ok) return refused("invalid_request", drafted.error.kind, drafted.error.detail);
  const kept = await keep(ports, drafted.receipt, fingerprint, guarded.result);
  if (kept.kind !== "recorded") return kept;
  return {
    ...kept,
    result: guarded.result,
    placed: kept.receipt.status === "failed" ? [] : placedOf(ended),
    faults,
    attempts,
  };
}

function placedOf({ payloads, negotiation }: FinishedDispatch): PlacedPayload[] {
  return negotiation.placement_decisions.flatMap((decision, index) => {
    const payload = payloads[index];
    return decision.decision === "chosen" && payload !== undefined
      ? { placement: decision.placement, envelope: payload }
      : [];
  });
}

async function keep(
  { ledger, announce }: DispatchPorts,
  receipt: NewReceipt,
  fingerprint: string,
  result: LifecycleResult,
): Promise<
  { kind: "recorded"; receipt: LifecycleReceipt } | Extract<Dispatched, { kind: "replayed" }> | Refused
> {
  const outcome = await ledger.record(receipt, fingerprint, result);
  switch (outcome.kind) {
    case "replayed":
      return outcome;
    case "conflict":
      return refused("state_conflict", "conflict", `the key belongs to ${outcome.receipt_id}`);
    case "receipt_id_taken":
      return refused("internal_error", "receipt_id_taken", `${receipt.receipt_id} is another receipt`);
    case "recorded": {
      const tell = (announcement: Announcement): void => {
        try {
          announce?.(announcement);
        } catch {
          // The receipt is kept, whoever could not hear of it.
        }
      };
      if (outcome.gap !== null) tell({ event: "receipt.gap_detected", gap: outcome.gap });
      tell({ event: "receipt.emitted", receipt: outcome.receipt });
      return { kind: "recorded", receipt: outcome.receipt };
    }
  }
}
