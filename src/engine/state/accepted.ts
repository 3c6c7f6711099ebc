/**
 * A request that is durable and has not taken effect yet. The caller calls `begin` once, after it has sent its
 * response: notifications of the effect then follow the response.
 */
export interface Accepted<T> {
  readonly kind: "accepted";
  readonly value: T;
  readonly begin: () => void;
}

export function accepted<T>(value: T, begin: () => void = () => {}): Accepted<T> {
  return { kind: "accepted", value, begin };
}
