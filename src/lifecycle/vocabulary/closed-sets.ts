/** The closed sets of names on the wire. Unknown names are rejected. */

/** From strongest to weakest. */
export const SUPPORT_STATES = ["native", "synthesized", "partial", "manual", "unavailable"] as const;
export type SupportState = (typeof SUPPORT_STATES)[number];

/** The placements that a payload may request. */
export const PLACEMENTS = [
  "developer_equivalent_frame",
  "pre_prompt_frame",
  "side_channel_context",
  "receipt_only",
] as const;
export type Placement = (typeof PLACEMENTS)[number];

/** The placements of an adapter by time, in manifests that have no placements per event. */
export const TIMED_PLACEMENTS = [
  "pre_session",
  "pre_frame_leading",
  "pre_frame_trailing",
  "tool_result",
  "manual_operator",
] as const;
export type TimedPlacement = (typeof TIMED_PLACEMENTS)[number];

export const REQUIREMENTS = ["required", "preferred", "optional"] as const;
export type Requirement = (typeof REQUIREMENTS)[number];

/** From best to worst. */
export const OUTCOMES = ["satisfied", "degraded", "requires_operator", "unsupported"] as const;
export type Outcome = (typeof OUTCOMES)[number];

export const INTEGRATION_MODES = [
  "manual_skill",
  "launcher_wrapper",
  "native_hook",
  "reference_adapter",
  "telemetry_only",
] as const;
export type IntegrationMode = (typeof INTEGRATION_MODES)[number];

export const ADAPTER_ROLES = ["primary_worker", "worker", "supervisor", "observer"] as const;
export type AdapterRole = (typeof ADAPTER_ROLES)[number];

export const RECEIPT_STATUSES = ["observed", "delivered", "skipped", "degraded", "failed"] as const;
export type ReceiptStatus = (typeof RECEIPT_STATUSES)[number];

export const PAYLOAD_STATUSES = ["delivered", "skipped", "degraded", "failed"] as const;
export type PayloadStatus = (typeof PAYLOAD_STATUSES)[number];

export const FRAME_CLASSES = ["top_level", "subcall"] as const;
export type FrameClass = (typeof FRAME_CLASSES)[number];

/** A higher number is a stronger state. */
export function supportRank(state: SupportState): number {
  return SUPPORT_STATES.length - 1 - SUPPORT_STATES.indexOf(state);
}

/**
 * Whether an available state satisfies a wanted one. A manual capability satisfies only a manual need; an unavailable
 * one satisfies none.
 */
export function supports(have: SupportState, wanted: SupportState): boolean {
  if (have === "unavailable") return false;
  if (wanted === "manual") return true;
  return have !== "manual" && supportRank(have) >= supportRank(wanted);
}

export function worstOutcome(outcomes: readonly Outcome[]): Outcome {
  return outcomes.reduce<Outcome>(
    (worst, outcome) => (OUTCOMES.indexOf(outcome) > OUTCOMES.indexOf(worst) ? outcome : worst),
    "satisfied",
  );
}
