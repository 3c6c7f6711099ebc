import { joinWords } from "../../base/shlex.ts";
import type { AdditionalPermissions } from "../permission.ts";

/** What commands may do beyond their sandbox, because the user has granted it. */
export interface GrantedPermissions {
  readonly writableRoots: readonly string[];
  readonly network: boolean;
}

export const NOTHING_GRANTED: GrantedPermissions = { writableRoots: [], network: false };

/** The grants of one thread: for a turn, or for as long as the thread is loaded. */
export interface PermissionGrants {
  grant(turnId: string, scope: "turn" | "session", permissions: GrantedPermissions): void;
  /** What holds in a turn. */
  of(turnId: string): GrantedPermissions;
}

export function createPermissionGrants(): PermissionGrants {
  let session = NOTHING_GRANTED;
  let turn: { readonly id: string; readonly granted: GrantedPermissions } | null = null;
  const of = (turnId: string) => (turn?.id === turnId ? join(session, turn.granted) : session);
  return {
    of,
    grant(turnId, scope, permissions) {
      if (scope === "session") session = join(session, permissions);
      else
        turn = {
          id: turnId,
          granted: join(turn?.id === turnId ? turn.granted : NOTHING_GRANTED, permissions),
        };
    },
  };
}

function join(a: GrantedPermissions, b: GrantedPermissions): GrantedPermissions {
  return {
    writableRoots: [...new Set([...a.writableRoots, ...b.writableRoots])],
    network: a.network || b.network,
  };
}

/** What is wanted or granted, in words; empty when it is nothing. */
export function describePermissions({ network, read, write }: AdditionalPermissions): string {
  return [
    ...(network ? ["the network"] : []),
    ...(read.length === 0 ? [] : [`read ${joinWords(read)}`]),
    ...(write.length === 0 ? [] : [`write ${joinWords(write)}`]),
  ].join(", ");
}
