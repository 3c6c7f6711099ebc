import { joinWords } from "../../base/shlex.ts";
import type { AdditionalPermissions } from "../permission.ts";

/** Permissions beyond the sandbox that the user has granted to commands. */
export interface GrantedPermissions {
  readonly writableRoots: readonly string[];
  readonly network: boolean;
}

export const NOTHING_GRANTED: GrantedPermissions = { writableRoots: [], network: false };

/** The grants of one thread: for a turn, or while the thread is loaded. */
export interface PermissionGrants {
  grant(turnId: string, scope: "turn" | "session", permissions: GrantedPermissions): void;
  /** The grants that hold in a turn. */
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

/** A text description of requested or granted permissions; empty for none. */
export function describeAdditionalPermissions({ network, read, write }: AdditionalPermissions): string {
  return [
    ...(network ? ["the network"] : []),
    ...(read.length === 0 ? [] : [`read ${joinWords(read)}`]),
    ...(write.length === 0 ? [] : [`write ${joinWords(write)}`]),
  ].join(", ");
}
