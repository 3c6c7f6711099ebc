import type { PlacedPayload } from "../harness/tell-context.ts";
import type { CapabilityNeed } from "../placement/negotiate.ts";
import type { PayloadFaults, Sha256 } from "../placement/payload-faults.ts";
import type { SequenceGap } from "../receipts/gaps.ts";
import type { KeptReceipt, ReceiptLedger, ReceiptScope } from "../receipts/ledger.ts";
import { fingerprintOf } from "../receipts/receipt-content.ts";
import { type Failure, type FailureClass, failureOf } from "../vocabulary/failures.ts";
import type { LifecycleResult } from "../vocabulary/result.ts";
import type { AdapterManifest } from "../wire/manifest.ts";
import type { LifecycleReceipt } from "../wire/receipt.ts";
import { type DispatchEnvelope, harnessIds } from "../wire/request.ts";
import type { CallLimits, LifecycleClient } from "./call-client.ts";
import { type LifecycleClock, systemClock } from "./clock.ts";
import type { ContinuationCounter } from "./continuations.ts";

/** What whoever listens is told of, and no client is called for. */
export type Announcement =
  | { readonly event: "receipt.emitted"; readonly receipt: LifecycleReceipt }
  | { readonly event: "receipt.gap_detected"; readonly gap: SequenceGap };

export interface DispatchPorts {
  readonly client: LifecycleClient;
  readonly ledger: ReceiptLedger;
  /** Who can do what; see `findManifest`. */
  readonly manifestFor: (adapterId: string) => AdapterManifest | undefined;
  readonly newId: () => string;
  readonly clock?: LifecycleClock;
  readonly random?: () => number;
  readonly sha256?: Sha256;
  /** What it throws is its own affair. */
  readonly announce?: (announcement: Announcement) => void;
  readonly continuations?: ContinuationCounter;
}

export interface DispatchOptions {
  readonly clientId: string;
  readonly parentReceiptId?: string;
  readonly capabilities?: readonly CapabilityNeed[];
  readonly extensions?: boolean;
  /** For one attempt; 5 seconds unless told. */
  readonly deadlineMs?: number;
  /** With a key 3 unless told, without one always 1: only with a key can a client know a second attempt. */
  readonly mostAttempts?: number;
  readonly backoffMs?: number;
  readonly mostContinuations?: number;
  readonly signal?: AbortSignal;
}

export interface DispatchError extends Failure {
  readonly kind: string;
  readonly detail: unknown;
}

export type Dispatched =
  /** It was dispatched, or failed on the way, and this is the receipt. */
  | {
      readonly kind: "recorded";
      readonly receipt: LifecycleReceipt;
      /** What the client wants to happen; nothing if it has not said. */
      readonly result: LifecycleResult;
      /** What is to be rendered. Nothing if the receipt says failed. */
      readonly placed: readonly PlacedPayload[];
      readonly faults: PayloadFaults;
      readonly attempts: number;
    }
  /** It was dispatched before. The client has not been called again, and what it wanted is to be heeded again. */
  | ({ readonly kind: "replayed" } & KeptReceipt)
  /** There is no receipt: the request is none, its key belongs to another one, or the ledger does not work. */
  | { readonly kind: "refused"; readonly error: DispatchError };

export type Refused = Extract<Dispatched, { kind: "refused" }>;

export function refused(failureClass: FailureClass, kind: string, detail: unknown): Refused {
  return { kind: "refused", error: { kind, detail, ...failureOf(failureClass) } };
}

/** One dispatch with everything that it needs. */
export type Run = ReturnType<typeof openRun>;

export function openRun(parsed: DispatchEnvelope, ports: DispatchPorts, options: DispatchOptions) {
  const manifest = ports.manifestFor(parsed.request.adapter_id);
  // Other names of an adapter must not make other keys.
  const request = { ...parsed.request, adapter_id: manifest?.adapter_id ?? parsed.request.adapter_id };
  const { idempotency_key: key } = request;
  const scope: ReceiptScope | null =
    key === undefined
      ? null
      : { client_id: options.clientId, adapter_id: request.adapter_id, idempotency_key: key };
  const limits = limitsOf(ports, options, key !== undefined);
  const context = {
    client_id: options.clientId,
    receipt_id: ports.newId(),
    ...(options.parentReceiptId !== undefined && { parent_receipt_id: options.parentReceiptId }),
    ...harnessIds(request),
  };
  const payloads = parsed.payloads ?? [];
  const fingerprint = fingerprintOf(request, payloads, options.parentReceiptId ?? null);
  return {
    envelope: { ...parsed, request },
    payloads,
    ports,
    options,
    clock: limits.clock,
    limits,
    scope,
    context,
    fingerprint,
  };
}

function limitsOf(ports: DispatchPorts, options: DispatchOptions, hasKey: boolean): CallLimits {
  return {
    clock: ports.clock ?? systemClock,
    random: ports.random ?? Math.random,
    deadlineMs: options.deadlineMs ?? 5000,
    mostAttempts: hasKey ? Math.max(1, options.mostAttempts ?? 3) : 1,
    backoffMs: options.backoffMs ?? 100,
    signal: options.signal,
  };
}
