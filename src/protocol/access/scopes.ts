// The scopes that a token can have. Each request names the scope that it needs.

import type { AccessScope } from "../generated/types.ts";

export const scopes = ["read", "answer", "operate", "admin"] as const satisfies readonly AccessScope[];

/** The requests that each scope allows, in words. */
export const scopeMeanings: Readonly<Record<AccessScope, string>> = {
  read: "Connects, lists, reads and subscribes. Every other scope needs it.",
  answer: "Is asked for approvals and answers questions.",
  operate: "Starts and changes turns, queues, threads and schedules, within the rights of the configuration.",
  admin:
    "Changes the configuration and rights, reads and writes files, runs processes, and manages tokens and devices.",
};

export const ALL_SCOPES: ReadonlySet<AccessScope> = new Set(scopes);

/** The scopes of a list that is separated by spaces or commas; null if it names another one, or none. */
export function parseScopes(list: string): ReadonlySet<AccessScope> | null {
  const names = list.split(/[\s,]+/).filter((name) => name !== "");
  return names.length > 0 && names.every(isScope)
    ? new Set(scopes.filter((one) => names.includes(one)))
    : null;
}

function isScope(name: string): name is AccessScope {
  return (scopes as readonly string[]).includes(name);
}
