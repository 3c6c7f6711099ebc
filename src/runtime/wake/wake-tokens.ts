/** Creates tokens that wake a thread. A reader of the database cannot use them, because it only has their hashes. */
import { createHash } from "node:crypto";
import type { StoredWakeToken, WakeTokens } from "../../store/wake-tokens.ts";
import { refuseInvalid, type ThreadRefusal } from "../configuration/thread-refusal.ts";
import { MAX_TOKEN_NAME, MAX_WAKE_TOKENS } from "./wake-limits.ts";

export interface TokenParts {
  readonly wakeTokens: Pick<WakeTokens, "add">;
  readonly createId: () => string;
  readonly randomBytes: (count: number) => Buffer;
}

export interface MadeToken {
  readonly token: StoredWakeToken;
  /** Shown once. */
  readonly secret: string;
}

const SECRET_BYTES = 32;
/** Lets scanners of repositories and logs recognize a token. */
const PREFIX = "heddle_wake_";
const SECRET = /^heddle_wake_[\w-]{43}$/;

export async function makeWakeToken(
  threadId: string,
  given: string | null,
  { wakeTokens, createId, randomBytes }: TokenParts,
): Promise<MadeToken | ThreadRefusal> {
  const name = given?.trim() || null;
  if (name !== null && name.length > MAX_TOKEN_NAME)
    return refuseInvalid(`the name is too long: it may have ${MAX_TOKEN_NAME} characters`);
  const secret = PREFIX + randomBytes(SECRET_BYTES).toString("base64url");
  const token = { tokenId: createId(), threadId, name, hash: hashOf(secret) };
  const added = await wakeTokens.add(token, MAX_WAKE_TOKENS);
  if (added.kind === "added") return { token: added.token, secret };
  return refuseInvalid(`thread ${threadId} has ${MAX_WAKE_TOKENS} tokens already: revoke one first`);
}

/** The token with this secret; null if there is none. */
export async function findWakeToken(
  secret: string,
  wakeTokens: Pick<WakeTokens, "find">,
): Promise<StoredWakeToken | null> {
  return SECRET.test(secret) ? wakeTokens.find(hashOf(secret)) : null;
}

/** Where a program sends a secret to. */
export const wakePath = (secret: string): string => `/wake/${secret}`;

/** The secret is random and long, so that a plain hash cannot be reversed. */
const hashOf = (secret: string): string => createHash("sha256").update(secret).digest("hex");
