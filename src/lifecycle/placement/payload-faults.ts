import { canBeFenced } from "../context/fenced-context.ts";
import type { PayloadEnvelope } from "../wire/payload-envelope.ts";

/** SHA-256 of bytes. It is passed in, because browsers and servers have it in different places. */
export type Sha256 = (bytes: Uint8Array<ArrayBuffer>) => Promise<ArrayBuffer | Uint8Array>;

/** Why a payload is placed nowhere, whatever room there is. */
export type PayloadFault =
  | { readonly reason: "expired"; readonly expires_at_epoch_s: number; readonly now_epoch_s: number }
  | { readonly reason: "digest_mismatch"; readonly declared: string; readonly found: string }
  /** A digest that nobody here can check is no evidence. */
  | { readonly reason: "digest_unverifiable"; readonly declared: string }
  /** It has so long a run of the fence's sign that no fence would hold it. */
  | { readonly reason: "unfenceable" };

export type PayloadFaults = ReadonlyMap<PayloadEnvelope, PayloadFault>;

export interface FaultPorts {
  readonly nowEpochS: number;
  readonly sha256?: Sha256;
}

/** What every current browser and Node have; it is not there on pages that were loaded without TLS. */
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

/** What can be seen without reading the whole body. */
export function faultWithoutDigest(payload: PayloadEnvelope, nowEpochS: number): PayloadFault | null {
  const expiry = payload.expires_at_epoch_s;
  // A clock that says nothing useful keeps nothing alive.
  if (expiry !== undefined && !(nowEpochS < expiry))
    return { reason: "expired", expires_at_epoch_s: expiry, now_epoch_s: nowEpochS };
  return canBeFenced(payload) ? null : { reason: "unfenceable" };
}

/** The digest is of the UTF-8 of the body. A body that is elsewhere is checked by whoever opens it. */
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
