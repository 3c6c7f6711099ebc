/**
 * The port for tokens that let programs without any other access wake one thread. Only the hash of a token is stored.
 * Deleting a thread deletes its tokens.
 */

export interface WakeTokens {
  /** Adds a token, unless its thread has `maxPerThread`. */
  add(token: NewWakeToken, maxPerThread: number): Promise<AddTokenOutcome>;
  /** The tokens of a thread, oldest first. */
  list(threadId: string): Promise<readonly StoredWakeToken[]>;
  /** False if the thread has no such token. */
  revoke(threadId: string, tokenId: string): Promise<boolean>;
  /** The token with this hash; null if there is none. */
  find(hash: string): Promise<StoredWakeToken | null>;
}

export interface StoredWakeToken {
  readonly tokenId: string;
  readonly threadId: string;
  /** The purpose of the token; null if none was given. */
  readonly name: string | null;
  readonly createdAtMs: number;
}

export interface NewWakeToken extends Omit<StoredWakeToken, "createdAtMs"> {
  /** The SHA-256 of the token, in hexadecimal form. */
  readonly hash: string;
}

export type AddTokenOutcome =
  | { readonly kind: "added"; readonly token: StoredWakeToken }
  | { readonly kind: "full" };
