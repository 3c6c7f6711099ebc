import { createHmac, timingSafeEqual } from "node:crypto";
import { ALL_SCOPES, parseScopes } from "../protocol/access/scopes.ts";
import type { AccessScope } from "../protocol/generated/types.ts";
import type { TokenHolder } from "./token-holder.ts";

export interface SignedBearerPolicy {
  readonly secret: Buffer;
  readonly issuer: string | null;
  readonly audience: string | null;
  readonly maxClockSkewSeconds: number;
}

interface Claims {
  readonly exp: number;
  readonly sub?: unknown;
  readonly scope?: unknown;
  readonly nbf?: number | null;
  readonly iss?: string | null;
  readonly aud?: string | readonly string[] | null;
}

const INVALID = "invalid websocket jwt";

const MAX_SUBJECT = 256;

/**
 * Verifies an HS256 JWT and returns why it is refused, or its holder. Does not use `jose`, which accepts several spellings
 * of one signature (padded, with white space, with other unused bits) and expires a token a second earlier than the peer.
 */
export function verifySignedBearer(
  token: string,
  policy: SignedBearerPolicy,
  nowSeconds: number,
): string | TokenHolder {
  const claims = decode(token, policy.secret);
  if (claims === null) return INVALID;
  const lastSecond = claims.exp + policy.maxClockSkewSeconds;
  if (nowSeconds > lastSecond) return "expired websocket jwt";
  if (typeof claims.nbf === "number" && nowSeconds < claims.nbf - policy.maxClockSkewSeconds) {
    return "websocket jwt is not valid yet";
  }
  if (policy.issuer !== null && claims.iss !== policy.issuer) return "websocket jwt issuer mismatch";
  if (policy.audience !== null && !audiencesOf(claims).includes(policy.audience)) {
    return "websocket jwt audience mismatch";
  }
  const scopes = scopesOf(claims);
  if (scopes === null) return "websocket jwt scope is not known";
  const { sub } = claims;
  const subject = typeof sub === "string" && sub !== "" ? sub.slice(0, MAX_SUBJECT) : null;
  return { subject, scopes, expiresAtMs: (lastSecond + 1) * 1000 };
}

function decode(token: string, secret: Buffer): Claims | null {
  const [header, payload, signature, ...rest] = token.split(".");
  if (header === undefined || payload === undefined || signature === undefined || rest.length > 0)
    return null;
  const expected = createHmac("sha256", secret).update(`${header}.${payload}`).digest("base64url");
  // Compared as text: Node's decoder skips invalid base64 characters, so many texts decode to the same bytes.
  if (!isEqualText(signature, expected)) return null;
  const claims = parseSegment(payload);
  return isPlainHs256(parseSegment(header)) && isClaims(claims) ? claims : null;
}

function isEqualText(given: string, expected: string): boolean {
  const [actual, reference] = [Buffer.from(given), Buffer.from(expected)];
  return actual.length === reference.length && timingSafeEqual(actual, reference);
}

/** Critical extensions must be understood, and none is supported. */
function isPlainHs256(header: unknown): boolean {
  if (typeof header !== "object" || header === null) return false;
  const { alg, crit } = header as { alg?: unknown; crit?: unknown };
  return alg === "HS256" && crit === undefined;
}

/** Null unless the segment is JSON in canonical base64url. */
function parseSegment(segment: string): unknown {
  const bytes = Buffer.from(segment, "base64url");
  if (bytes.toString("base64url") !== segment) return null;
  try {
    return JSON.parse(bytes.toString("utf8"));
  } catch {
    return null;
  }
}

function isClaims(value: unknown): value is Claims {
  if (typeof value !== "object" || value === null) return false;
  const { exp, nbf, iss, aud } = value as Record<string, unknown>;
  const isText = (part: unknown): part is string => typeof part === "string";
  return (
    Number.isSafeInteger(exp) &&
    (nbf === undefined || nbf === null || Number.isSafeInteger(nbf)) &&
    (iss === undefined || iss === null || isText(iss)) &&
    (aud === undefined || aud === null || isText(aud) || (Array.isArray(aud) && aud.every(isText)))
  );
}

/** Without the claim, a token allows everything. Null if the claim cannot be read, so that no mistake in it adds a right. */
function scopesOf({ scope }: Claims): ReadonlySet<AccessScope> | null {
  if (scope === undefined || scope === null) return ALL_SCOPES;
  return typeof scope === "string" ? parseScopes(scope) : null;
}

function audiencesOf({ aud }: Claims): readonly string[] {
  if (aud === undefined || aud === null) return [];
  return typeof aud === "string" ? [aud] : aud;
}
