import type { ContextEntry } from "../context/context-entry.ts";
import { fencedSize, fenceFor } from "../context/fenced-context.ts";
import type { Placement, SupportState } from "../vocabulary/closed-sets.ts";
import type { FailureClass } from "../vocabulary/failures.ts";
import type { PlacementClaim } from "../wire/manifest.ts";
import { measuredSize, type PayloadEnvelope } from "../wire/payload-envelope.ts";
import type { PayloadFault, PayloadFaults } from "./payload-faults.ts";

/** Why a payload does not go where it could have gone, with the numbers. */
export type Rejection = { readonly placement: Placement } & (
  | { readonly reason: "unsupported" | "requires_operator"; readonly manifest_support: SupportState }
  | { readonly reason: "payload_too_large"; readonly byte_size: number; readonly max_bytes: number }
  | {
      readonly reason: "budget_exhausted";
      /** With its fences. */
      readonly needed_bytes: number;
      readonly left_bytes: number;
      readonly budget_bytes: number;
    }
  /** It is required where a model sees it, and a receipt is read by no model. */
  | { readonly reason: "reaches_no_model" }
  | PayloadFault
);

export type PlacementDecision = {
  readonly payload_id: string;
  /** Measured, not declared. */
  readonly byte_size: number;
  readonly rejected: readonly Rejection[];
} & (
  | { readonly decision: "chosen"; readonly placement: Placement; readonly first_preference: boolean }
  | { readonly decision: "skipped" }
  | { readonly decision: "failed"; readonly failure_class: FailureClass }
);

export type PlacementClaims = Partial<Readonly<Record<Placement, PlacementClaim>>>;

/** The room that there is at one event. It shrinks as payloads are placed. */
export interface Room {
  readonly claims: PlacementClaims;
  readonly budgetBytes: number | null;
  readonly fence: string;
  usedBytes: number;
}

export function openRoom(
  claims: PlacementClaims,
  budgetBytes: number | null,
  payloads: readonly ContextEntry[],
): Room {
  return { claims, budgetBytes, fence: fenceFor(payloads), usedBytes: 0 };
}

/** Places payloads in their order. The first place in which one fits is its place. */
export function placePayloads(
  payloads: readonly PayloadEnvelope[],
  room: Room,
  faults: PayloadFaults = new Map(),
): PlacementDecision[] {
  return payloads.map((payload) => placePayload(payload, room, faults.get(payload)));
}

function placePayload(
  payload: PayloadEnvelope,
  room: Room,
  fault: PayloadFault | undefined,
): PlacementDecision {
  const measured = measure(payload);
  const known = { payload_id: payload.payload_id, byte_size: measured.size };
  const rejected: Rejection[] = [];
  // One that stands there twice gets the same answer twice.
  for (const placement of new Set(payload.acceptable_placements.map((each) => each.placement))) {
    const rejection = fault === undefined ? rejectionOf(measured, placement, room) : { placement, ...fault };
    if (rejection === null) {
      if (placement !== "receipt_only") room.usedBytes += measured.fencedSize(room.fence);
      return { ...known, decision: "chosen", placement, first_preference: rejected.length === 0, rejected };
    }
    rejected.push(rejection);
  }
  const isRequired = payload.acceptable_placements.some(({ requirement }) => requirement === "required");
  return isRequired || rejected.length === 0
    ? { ...known, decision: "failed", failure_class: failureClassOf(rejected), rejected }
    : { ...known, decision: "skipped", rejected };
}

/** What is asked of a payload several times and must not be measured each time. */
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

/** Null if it fits there. Rendering asks the same question of the place that was chosen. */
export function rejectionOf(measured: Measured, placement: Placement, room: Room): Rejection | null {
  if (placement === "receipt_only")
    return measured.mustReachModel ? { placement, reason: "reaches_no_model" } : null;
  const { support, max_bytes: maxBytes } = room.claims[placement] ?? { support: "unavailable" };
  if (support === "unavailable") return { placement, reason: "unsupported", manifest_support: support };
  if (support === "manual") return { placement, reason: "requires_operator", manifest_support: support };
  if (maxBytes !== undefined && measured.size > maxBytes)
    return { placement, reason: "payload_too_large", byte_size: measured.size, max_bytes: maxBytes };
  if (room.budgetBytes === null) return null;
  const needed = measured.fencedSize(room.fence);
  const left = room.budgetBytes - room.usedBytes;
  if (needed <= left) return null;
  return {
    placement,
    reason: "budget_exhausted",
    needed_bytes: needed,
    left_bytes: left,
    budget_bytes: room.budgetBytes,
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
