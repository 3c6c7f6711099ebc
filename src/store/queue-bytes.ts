import type { ByteLimits, Full } from "./queue.ts";

/** What a row takes up in its queue; both texts are JSON. */
export function rowBytes(params: string, clientId: string | null): number {
  return Buffer.byteLength(params) + (clientId === null ? 0 : Buffer.byteLength(clientId));
}

/** Which limit a row goes beyond, beside others of its thread; null where there is room. */
export function beyond({ maxRowBytes, maxBytes }: ByteLimits, own: number, others: number): Full | null {
  if (own > maxRowBytes) return { kind: "full", limit: "maxRowBytes" };
  return own + others > maxBytes ? { kind: "full", limit: "maxBytes" } : null;
}
