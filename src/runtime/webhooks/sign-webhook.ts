/** Signatures in the form of Standard Webhooks: HMAC-SHA256 over id, time and body. */
import { createHmac } from "node:crypto";

export interface SignedContent {
  /** The same for every attempt, so that a receiver can leave out what it has had. */
  readonly id: string;
  /** The time of the attempt, because receivers refuse old signatures. */
  readonly atSeconds: number;
  readonly body: string;
}

const PREFIX = "whsec_";
const KEY_BYTES = { min: 24, max: 64 };

/** The headers of a request. With two secrets it has two signatures, of which the receiver knows at least one. */
export function webhookHeaders(
  secrets: readonly string[],
  content: SignedContent,
): Readonly<Record<`webhook-${"id" | "timestamp" | "signature"}`, string>> {
  return {
    "webhook-id": content.id,
    "webhook-timestamp": String(content.atSeconds),
    "webhook-signature": secrets.map((secret) => sign(secret, content)).join(" "),
  };
}

function sign(secret: string, { id, atSeconds, body }: SignedContent): string {
  const key = Buffer.from(secret.slice(PREFIX.length), "base64");
  return `v1,${createHmac("sha256", key).update(`${id}.${atSeconds}.`).update(body).digest("base64")}`;
}

/** The fault of a secret, without the secret; null for a valid one. */
export function secretFault(secret: string): string | null {
  if (!secret.startsWith(PREFIX)) return `must begin with \`${PREFIX}\``;
  const text = secret.slice(PREFIX.length);
  if (!/^[A-Za-z0-9+/]+={0,2}$/u.test(text)) return `must have base64 after \`${PREFIX}\``;
  const { length } = Buffer.from(text, "base64");
  if (length >= KEY_BYTES.min && length <= KEY_BYTES.max) return null;
  return `must have ${KEY_BYTES.min} to ${KEY_BYTES.max} bytes after \`${PREFIX}\`, and has ${length}`;
}
