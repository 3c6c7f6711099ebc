/**
 * The tokens of one MCP server, for all connections to it. They are renewed before they expire and when the server
 * refuses them, once for all who wait, and stored before anybody uses them. Another program may renew them too, which
 * is why the file is read again first.
 */
import type { Clock } from "../../../base/clock.ts";
import { messageOf } from "../../../base/errors.ts";
import type { Credentials, CredentialsFile } from "./credentials-file.ts";
import { isFilled, type Renewal } from "./renew-tokens.ts";

/** Whether a login is stored, and whether it is good for anything. */
export type Standing = "none" | "usable" | "unusable";

export interface TokenKeeper {
  /** Takes over what is stored now. */
  load(): Promise<Standing>;
  /** The token to send; null when there is none that could be of use. */
  token(): Promise<string | null>;
  /** Another token than the one that was refused; null when only a login helps. */
  renew(refused: string): Promise<string | null>;
  /** Remembers that the server does not take this one. */
  refuse(token: string): void;
}

export interface TokenKeeperOptions {
  readonly name: string;
  readonly url: string;
  readonly file: Pick<CredentialsFile, "load" | "save">;
  readonly clock: Clock;
  readonly renewTokens: (stored: Credentials) => Promise<Renewal>;
}

/** How long before its end a token counts as expired. */
export const EXPIRY_MARGIN_MS = 30_000;

export function createTokenKeeper(options: TokenKeeperOptions): TokenKeeper {
  const { name, url, file, clock } = options;
  let held: Credentials | null = null;
  let renewing: Promise<string | null> | null = null;
  let refusedToken: string | null = null;

  const isFresh = ({ accessToken, expiresAt }: Credentials) =>
    isFilled(accessToken) && (expiresAt === null || clock.now() + EXPIRY_MARGIN_MS < expiresAt);

  async function replace(refused: string): Promise<string | null> {
    const stored = await file.load(name, url);
    held = stored;
    if (stored === null) return null;
    if (stored.accessToken !== refused && isFresh(stored)) return stored.accessToken;
    const renewal = await renewStored(stored);
    const now = await file.load(name, url);
    // A login that has come in between has the last word.
    if (now !== null && now.accessToken !== stored.accessToken) {
      held = now;
      return now.accessToken;
    }
    if (renewal.kind === "renewed") {
      await file.save(renewal.credentials);
      held = renewal.credentials;
      return renewal.credentials.accessToken;
    }
    refusedToken = refused;
    if (renewal.kind === "rejected") {
      held = { ...stored, refreshToken: null };
      await file.save(held);
    }
    return null;
  }

  async function renewStored(stored: Credentials): Promise<Renewal> {
    try {
      return await options.renewTokens(stored);
    } catch (error) {
      const reason = messageOf(error).slice(0, 300);
      throw new Error(`failed to refresh OAuth tokens for server ${name}: ${reason}`, { cause: error });
    }
  }

  async function renew(refused: string): Promise<string | null> {
    if (held !== null && held.accessToken !== refused && isFresh(held)) return held.accessToken;
    renewing ??= replace(refused).finally(() => {
      renewing = null;
    });
    return renewing;
  }

  return {
    async load() {
      held = await file.load(name, url);
      if (held === null) return "none";
      const { clientId, accessToken, issuer, refreshToken } = held;
      if (!isFilled(clientId) || accessToken === refusedToken) return "unusable";
      return isFresh(held) || (isFilled(issuer) && isFilled(refreshToken)) ? "usable" : "unusable";
    },
    async token() {
      held ??= await file.load(name, url);
      if (held === null || isFresh(held)) return held?.accessToken ?? null;
      return renew(held.accessToken);
    },
    renew,
    refuse(token) {
      refusedToken = token;
    },
  };
}
