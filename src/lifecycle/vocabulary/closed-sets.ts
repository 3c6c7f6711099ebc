/** Names that cross the wire and come from closed sets. An unknown one is refused, never guessed at. */

/** From the strongest to the weakest. */
export const SUPPORT_STATES = ["native", "synthesized", "partial", "manual", "unavailable"] as const;
export type SupportState = (typeof SUPPORT_STATES)[number];

/** Where a payload may go, in the words of those who send it. */
export const PLACEMENTS = [
  "developer_equivalent_frame",
  "pre_prompt_frame",
  "side_channel_context",
  "receipt_only",
] as const;
export type Placement = (typeof PLACEMENTS)[number];

/** Where an adapter can place something, by time: the words of manifests that have no table for each event. */
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

/** From the best to the worst. */
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

/** How strong a state is: a higher number is stronger. */
export function supportRank(state: SupportState): number {
  return SUPPORT_STATES.length - 1 - SUPPORT_STATES.indexOf(state);
}

/**
 * Whether what there is does for what is wanted. An operator does for one who wants an operator and for nobody else;
 * what is not there does for nobody.
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
