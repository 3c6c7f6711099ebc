import type { ContextEntry } from "../context/context.ts";
import { fencedSize, fenceFor } from "../context/context.ts";
import type { Placement, SupportState } from "../vocabulary/closed-sets.ts";
import type { FailureClass } from "../vocabulary/failures.ts";
import type { PlacementClaim } from "../wire/manifest.ts";
import { measuredSize, type PayloadEnvelope } from "../wire/payload-envelope.ts";
import type { PayloadFault, PayloadFaults } from "./payload-faults.ts";

/** Why a payload was not placed at one of its acceptable placements. */
export type Rejection = { readonly placement: Placement } & (
  | { readonly reason: "unsupported" | "requires_operator"; readonly manifest_support: SupportState }
  | { readonly reason: "payload_too_large"; readonly byte_size: number; readonly max_bytes: number }
  | {
      readonly reason: "budget_exhausted";
      /** Including the fences. */
      readonly needed_bytes: number;
      readonly left_bytes: number;
      readonly budget_bytes: number;
    }
  /** The payload is required where a model reads it, and no model reads receipts. */
  | { readonly reason: "reaches_no_model" }
  | PayloadFault
);

export type PlacementDecision = {
  readonly payload_id: string;
  /** The measured size, not the declared one. */
  readonly byte_size: number;
  readonly rejected: readonly Rejection[];
} & (
  | { readonly decision: "chosen"; readonly placement: Placement; readonly first_preference: boolean }
  | { readonly decision: "skipped" }
  | { readonly decision: "failed"; readonly failure_class: FailureClass }
);

export type PlacementClaims = Partial<Readonly<Record<Placement, PlacementClaim>>>;

/** The space for context at one event. It shrinks as payloads are placed. */
export interface ContextSpace {
  readonly claims: PlacementClaims;
  readonly budgetBytes: number | null;
  readonly fence: string;
  usedBytes: number;
}

export function openSpace(
  claims: PlacementClaims,
  budgetBytes: number | null,
  payloads: readonly ContextEntry[],
): ContextSpace {
  return { claims, budgetBytes, fence: fenceFor(payloads), usedBytes: 0 };
}

/** Places payloads in order, each at its first acceptable placement where it fits. */
export function placePayloads(
  payloads: readonly PayloadEnvelope[],
  space: ContextSpace,
  faults: PayloadFaults = new Map(),
): PlacementDecision[] {
  return payloads.map((payload) => placePayload(payload, space, faults.get(payload)));
}

function placePayload(
  payload: PayloadEnvelope,
  space: ContextSpace,
  fault: PayloadFault | undefined,
): PlacementDecision {
  const measured = measure(payload);
  const known = { payload_id: payload.payload_id, byte_size: measured.size };
  const rejected: Rejection[] = [];
  // A set, because a repeated placement would be rejected twice.
  for (const placement of new Set(payload.acceptable_placements.map((each) => each.placement))) {
    const rejection = fault === undefined ? rejectionOf(measured, placement, space) : { placement, ...fault };
    if (rejection === null) {
      if (placement !== "receipt_only") space.usedBytes += measured.fencedSize(space.fence);
      return { ...known, decision: "chosen", placement, first_preference: rejected.length === 0, rejected };
    }
    rejected.push(rejection);
  }
  const isRequired = payload.acceptable_placements.some(({ requirement }) => requirement === "required");
  return isRequired || rejected.length === 0
    ? { ...known, decision: "failed", failure_class: failureClassOf(rejected), rejected }
    : { ...known, decision: "skipped", rejected };
}

/** Measurements of a payload, cached because several placements need them. */
export interface Measured {
  readonly size: number;
  readonly mustReachModel: boolean;
  fencedSize(fence: string): number;
}

export function measure(
  payload: ContextEntry & Pick<PayloadEnvelope, "byte_size" | "acceptable_placements">,
): Measured {
  return {
    size: measuredSize(payload),
    mustReachModel: payload.acceptable_placements.some(
      ({ placement, requirement }) => requirement === "required" && placement !== "receipt_only",
    ),
    fencedSize: (fence) => fencedSize(payload, fence),
  };
}

/** Null where the payload fits. Rendering repeats this check for the chosen placement. */
export function rejectionOf(measured: Measured, placement: Placement, space: ContextSpace): Rejection | null {
  if (placement === "receipt_only")
    return measured.mustReachModel ? { placement, reason: "reaches_no_model" } : null;
  const { support, max_bytes: maxBytes } = space.claims[placement] ?? { support: "unavailable" };
  if (support === "unavailable") return { placement, reason: "unsupported", manifest_support: support };
  if (support === "manual") return { placement, reason: "requires_operator", manifest_support: support };
  if (maxBytes !== undefined && measured.size > maxBytes)
    return { placement, reason: "payload_too_large", byte_size: measured.size, max_bytes: maxBytes };
  if (space.budgetBytes === null) return null;
  const needed = measured.fencedSize(space.fence);
  const remaining = space.budgetBytes - space.usedBytes;
  if (needed <= remaining) return null;
  return {
    placement,
    reason: "budget_exhausted",
    needed_bytes: needed,
    left_bytes: remaining,
    budget_bytes: space.budgetBytes,
  };
}

const FAULTS: ReadonlySet<string> = new Set([
  "expired",
  "digest_mismatch",
  "digest_unverifiable",
  "unfenceable",
]);
const SIZES: ReadonlySet<string> = new Set(["payload_too_large", "budget_exhausted"]);

function failureClassOf(rejected: readonly Rejection[]): FailureClass {
  if (rejected.some(({ reason }) => FAULTS.has(reason))) return "payload_rejected";
  if (rejected.some(({ reason }) => reason === "requires_operator")) return "operator_required";
  const reasons = rejected.filter(({ reason }) => reason !== "reaches_no_model");
  return reasons.length > 0 && reasons.every(({ reason }) => SIZES.has(reason))
    ? "payload_too_large"
    : "placement_unavailable";
}
