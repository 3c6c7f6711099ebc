import type { ByteLimits, QueueFull } from "./queue.ts";

/** The size of a row in its queue; both texts are JSON. */
export function rowBytes(params: string, clientId: string | null): number {
  return Buffer.byteLength(params) + (clientId === null ? 0 : Buffer.byteLength(clientId));
}

/** The limit that a row would exceed together with the other rows of its thread; null if it fits. */
export function exceededLimit(
  { maxRowBytes, maxBytes }: ByteLimits,
  own: number,
  others: number,
): QueueFull | null {
  if (own > maxRowBytes) return { kind: "full", limit: "maxRowBytes" };
  return own + others > maxBytes ? { kind: "full", limit: "maxBytes" } : null;
}
