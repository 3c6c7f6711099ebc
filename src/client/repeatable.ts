import { idempotentMethods } from "../protocol/generated/idempotent-methods.ts";

/** Whether a request whose response was lost can be resent: it is read-only, or has an idempotency key. */
export function isRepeatable(method: string, params: unknown): boolean {
  const by = Object.hasOwn(idempotentMethods, method) ? idempotentMethods[method] : undefined;
  return by === true || (by !== undefined && hasKey(params, by));
}

function hasKey(params: unknown, name: string): boolean {
  const key = (params as Readonly<Record<string, unknown>> | null)?.[name];
  return typeof key === "string" && key !== "";
}
