import { canBeFenced } from "../context/context.ts";
import type { PayloadEnvelope } from "../wire/payload-envelope.ts";

/** Computes SHA-256. Injected, because browsers and servers provide it in different places. */
export type Sha256 = (bytes: Uint8Array<ArrayBuffer>) => Promise<ArrayBuffer | Uint8Array>;

/** Why a payload cannot be placed, independent of the available space. */
export type PayloadFault =
  | { readonly reason: "expired"; readonly expires_at_epoch_s: number; readonly now_epoch_s: number }
  | { readonly reason: "digest_mismatch"; readonly declared: string; readonly found: string }
  /** Only SHA-256 digests can be checked. */
  | { readonly reason: "digest_unverifiable"; readonly declared: string }
  /** It contains too long a run of the fence character. */
  | { readonly reason: "unfenceable" };

export type PayloadFaults = ReadonlyMap<PayloadEnvelope, PayloadFault>;

export interface FaultPorts {
  readonly nowEpochS: number;
  readonly sha256?: Sha256;
}

/** Available in Node and current browsers, except on pages that were loaded without TLS. */
export const webSha256: Sha256 = (bytes) => globalThis.crypto.subtle.digest("SHA-256", bytes);

export async function findPayloadFaults(
  payloads: readonly PayloadEnvelope[],
  ports: FaultPorts,
): Promise<PayloadFaults> {
  const faults = new Map<PayloadEnvelope, PayloadFault>();
  for (const payload of payloads) {
    const fault = faultWithoutDigest(payload, ports.nowEpochS) ?? (await digestFault(payload, ports.sha256));
    if (fault !== null) faults.set(payload, fault);
  }
  return faults;
}

/** The faults that can be found without hashing the body. */
export function faultWithoutDigest(payload: PayloadEnvelope, nowEpochS: number): PayloadFault | null {
  const expiry = payload.expires_at_epoch_s;
  // With an invalid clock, payloads count as expired.
  if (expiry !== undefined && !(nowEpochS < expiry))
    return { reason: "expired", expires_at_epoch_s: expiry, now_epoch_s: nowEpochS };
  return canBeFenced(payload) ? null : { reason: "unfenceable" };
}

/** The digest covers the UTF-8 bytes of the body. A referenced body is checked by the reader that opens it. */
async function digestFault(
  { body, content_digest: declared }: PayloadEnvelope,
  sha256: Sha256 = webSha256,
): Promise<PayloadFault | null> {
  if (declared === undefined || body === undefined) return null;
  if (!declared.startsWith("sha256:")) return { reason: "digest_unverifiable", declared };
  const found = await hexDigest(body, sha256);
  if (found === null) return { reason: "digest_unverifiable", declared };
  return found === declared.toLowerCase() ? null : { reason: "digest_mismatch", declared, found };
}

async function hexDigest(body: string, sha256: Sha256): Promise<string | null> {
  try {
    const digest = new Uint8Array(await sha256(new TextEncoder().encode(body)));
    return `sha256:${[...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
  } catch {
    return null;
  }
}
