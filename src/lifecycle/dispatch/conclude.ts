import type { PlacedPayload } from "../harness/render-context.ts";
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
  dispatchRefusal,
  type Refused,
  type Run,
} from "./run.ts";

/** The checked payloads and the negotiated capabilities of a dispatch. */
export interface Agreement {
  readonly payloads: readonly PayloadEnvelope[];
  readonly faults: PayloadFaults;
  readonly negotiation: Negotiation;
}

/** For a dispatch without payloads and required capabilities. */
export const EMPTY_AGREEMENT: Agreement = {
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

/** Drafts and records the receipt, announces it, and returns the result to render. */
export async function conclude(
  run: Run,
  response: CallbackResponse,
  agreement: Agreement | null,
  attempts: number,
): Promise<Dispatched> {
  const { envelope, ports, options, context, fingerprint } = run;
  const { payloads, faults, negotiation } = agreement ?? EMPTY_AGREEMENT;
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
  if (!drafted.ok) return dispatchRefusal("invalid_request", drafted.error.kind, drafted.error.detail);
  const recorded = await record(ports, drafted.receipt, fingerprint, guarded.result);
  if (recorded.kind !== "recorded") return recorded;
  return {
    ...recorded,
    result: guarded.result,
    placed: recorded.receipt.status === "failed" ? [] : placedOf(ended),
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

async function record(
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
      return dispatchRefusal("state_conflict", "conflict", `the key belongs to ${outcome.receipt_id}`);
    case "receipt_id_taken":
      return dispatchRefusal(
        "internal_error",
        "receipt_id_taken",
        `${receipt.receipt_id} is another receipt`,
      );
    case "recorded": {
      const notify = (announcement: Announcement): void => {
        try {
          announce?.(announcement);
        } catch {
          // The receipt is recorded even if a listener throws.
        }
      };
      if (outcome.gap !== null) notify({ event: "receipt.gap_detected", gap: outcome.gap });
      notify({ event: "receipt.emitted", receipt: outcome.receipt });
      return { kind: "recorded", receipt: outcome.receipt };
    }
  }
}
