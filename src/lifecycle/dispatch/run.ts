import type { PlacedPayload } from "../harness/render-context.ts";
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
import { type LifecycleClock, systemLifecycleClock } from "./clock.ts";
import type { ContinuationCounter } from "./continuations.ts";

/** Events of the ledger itself, which are announced to a listener and sent to no client. */
export type Announcement =
  | { readonly event: "receipt.emitted"; readonly receipt: LifecycleReceipt }
  | { readonly event: "receipt.gap_detected"; readonly gap: SequenceGap };

export interface DispatchPorts {
  readonly client: LifecycleClient;
  readonly ledger: ReceiptLedger;
  /** Returns the manifest of an adapter; see `findManifest`. */
  readonly manifestFor: (adapterId: string) => AdapterManifest | undefined;
  readonly newId: () => string;
  readonly clock?: LifecycleClock;
  readonly random?: () => number;
  readonly sha256?: Sha256;
  /** Exceptions that it throws are ignored. */
  readonly announce?: (announcement: Announcement) => void;
  readonly continuations?: ContinuationCounter;
}

export interface DispatchOptions {
  readonly clientId: string;
  readonly parentReceiptId?: string;
  readonly capabilities?: readonly CapabilityNeed[];
  readonly extensions?: boolean;
  /** The deadline of one attempt; 5 seconds by default. */
  readonly deadlineMs?: number;
  /** With an idempotency key 3 by default, without one always 1: a client can recognise a retry only by the key. */
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
  /** The event was dispatched, or failed on the way. */
  | {
      readonly kind: "recorded";
      readonly receipt: LifecycleReceipt;
      /** The decision of the client; empty where it made none. */
      readonly result: LifecycleResult;
      /** The payloads to render; empty where the receipt has failed. */
      readonly placed: readonly PlacedPayload[];
      readonly faults: PayloadFaults;
      readonly attempts: number;
    }
  /** The event was dispatched before. The client was not called again, and its earlier result applies again. */
  | ({ readonly kind: "replayed" } & KeptReceipt)
  /** There is no receipt: the request is invalid, its key belongs to another one, or the ledger failed. */
  | { readonly kind: "refused"; readonly error: DispatchError };

export type Refused = Extract<Dispatched, { kind: "refused" }>;

export function dispatchRefusal(failureClass: FailureClass, kind: string, detail: unknown): Refused {
  return { kind: "refused", error: { kind, detail, ...failureOf(failureClass) } };
}

/** One dispatch with its dependencies. */
export type Run = ReturnType<typeof openRun>;

export function openRun(parsed: DispatchEnvelope, ports: DispatchPorts, options: DispatchOptions) {
  const manifest = ports.manifestFor(parsed.request.adapter_id);
  // Aliases of an adapter must map to the same key.
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
    clock: ports.clock ?? systemLifecycleClock,
    random: ports.random ?? Math.random,
    deadlineMs: options.deadlineMs ?? 5000,
    mostAttempts: hasKey ? Math.max(1, options.mostAttempts ?? 3) : 1,
    backoffMs: options.backoffMs ?? 100,
    signal: options.signal,
  };
}
