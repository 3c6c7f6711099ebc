/** The failure classes, each with its default retry class. */
export const DEFAULT_RETRY = {
  adapter_unavailable: "retry_after_reconfigure",
  capability_unsupported: "do_not_retry",
  capability_degraded: "retry_after_reread",
  placement_unavailable: "retry_after_reconfigure",
  payload_too_large: "do_not_retry",
  payload_rejected: "retry_after_reconfigure",
  identity_unavailable: "retry_after_reconfigure",
  transport_error: "safe_retry",
  timeout: "safe_retry",
  operator_required: "retry_after_operator",
  state_conflict: "retry_after_reread",
  invalid_request: "do_not_retry",
  internal_error: "retry_after_reread",
} as const;

export type FailureClass = keyof typeof DEFAULT_RETRY;

export const RETRY_CLASSES = [
  "safe_retry",
  "retry_after_reread",
  "retry_after_reconfigure",
  "retry_after_operator",
  "do_not_retry",
] as const;
export type RetryClass = (typeof RETRY_CLASSES)[number];

export const FAILURE_CLASSES = Object.keys(DEFAULT_RETRY) as readonly FailureClass[];

export interface Failure {
  readonly failure_class: FailureClass;
  readonly retry_class: RetryClass;
}

export function failureOf(failureClass: FailureClass): Failure {
  return { failure_class: failureClass, retry_class: DEFAULT_RETRY[failureClass] };
}
