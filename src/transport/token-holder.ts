import type { AccessScope } from "../protocol/generated/types.ts";

/** The holder of a token. */
export interface TokenHolder {
  /** The `sub` claim; null if missing. */
  readonly subject: string | null;
  /** The scopes of the token. */
  readonly scopes: ReadonlySet<AccessScope>;
  /** When the token expires; null if it does not. */
  readonly expiresAtMs: number | null;
  /** Absent if the token cannot be revoked. */
  readonly revocation?: Revocation;
}

export interface Revocation {
  /** Calls `end` when the token is revoked, and soon if it is already; returns the function that stops this. */
  onRevoked(end: () => void): () => void;
}

export interface Sessions {
  /** The holder of a session by its secret; null if there is no such session. */
  find(secret: string): Promise<TokenHolder | null>;
}
