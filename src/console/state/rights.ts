/** The rights of this page. The scope that a method needs is that of its row in the protocol. */
import { requestRows } from "../../protocol/generated/table.ts";
import type { ClientRequests } from "../../protocol/generated/types.ts";
import { heldScopes, status } from "./server.ts";

export type GuardedMethod = keyof ClientRequests;

/** The scope that this page lacks for a method, as a sentence; null if it has it. */
export function missingScope(method: GuardedMethod): string | null {
  const { scope } = requestRows[method];
  return heldScopes.value.includes(scope)
    ? null
    : `Needs the scope ${scope}: pair this device again with it.`;
}

/** Why the page may not call a method now; null if it may. */
export const lackOf = (method: GuardedMethod): string | null =>
  status.value.kind === "live" ? missingScope(method) : "There is no connection to the server.";

interface GuardOptions {
  /** Said where nothing is missing. */
  readonly title?: string | undefined;
  readonly isDisabled?: boolean;
}

/** The attributes of a control that calls a method: without the right to it, it is switched off and says why. */
export function guard(method: GuardedMethod, { title, isDisabled = false }: GuardOptions = {}) {
  const lack = lackOf(method);
  return { disabled: lack !== null || isDisabled, title: lack ?? title };
}
