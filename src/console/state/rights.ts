/** What this page may ask the server for. The scope that a method needs is that of its row in the protocol. */
import { requestRows } from "../../protocol/generated/table.ts";
import type { AccessScope, ClientRequests } from "../../protocol/generated/types.ts";
import { heldScopes, status } from "./server.ts";

export type Method = keyof ClientRequests;

export const scopeOf = (method: Method): AccessScope => requestRows[method].scope;

/** The scope that this page lacks for a method, as a sentence; null if it has it. */
export function missingScope(method: Method): string | null {
  const scope = scopeOf(method);
  return heldScopes.value.includes(scope)
    ? null
    : `Needs the scope ${scope}: pair this device again with it.`;
}

/** Why the page may not call a method now; null if it may. */
export const lackOf = (method: Method): string | null =>
  status.value.kind === "live" ? missingScope(method) : "There is no connection to the server.";
