/** Codes that pair a device. A code is valid for minutes, once, and travels in the fragment of an address. */
import { createHash } from "node:crypto";
import type { Clock } from "../../base/clock.ts";
import type { AccessScope } from "../../protocol/generated/types.ts";
import type { Devices, PairGrant } from "../../store/devices.ts";
import { refuseInvalid, type ThreadRefusal } from "../configuration/thread-refusal.ts";
import {
  MAX_DEVICE_NAME,
  MAX_DEVICES,
  MAX_LIFETIME_MS,
  MAX_PAIR_CODES,
  PAIR_CODE_MS,
} from "./access-limits.ts";
import type { MadeCode, PairedDevice } from "./device-access.ts";

export interface PairParts {
  readonly devices: Devices;
  readonly clock: Pick<Clock, "now">;
  readonly randomBytes: (count: number) => Buffer;
}

export const DEFAULT_PAIR_SCOPES: readonly AccessScope[] = ["read", "answer", "operate"];

const CODE_BYTES = 16;
const SECRET_BYTES = 32;

/** The path of an address that pairs. Browsers do not send a fragment to servers. */
export function pairPath(code: string): string {
  return `/#pair=${code}`;
}

export function createCode(randomBytes: PairParts["randomBytes"]): string {
  return randomBytes(CODE_BYTES).toString("base64url");
}

/** Stores a code; the server that a device calls may be another process. */
export async function makePairCode(
  given: PairGrant,
  { devices, clock, randomBytes }: PairParts,
): Promise<MadeCode | ThreadRefusal> {
  const grant = { ...given, name: given.name.trim(), subject: given.subject?.trim() || null };
  const fault = findFault(grant);
  if (fault !== null) return refuseInvalid(fault);
  const code = createCode(randomBytes);
  const expiresAtMs = clock.now() + PAIR_CODE_MS;
  if (await devices.addCode({ ...grant, hash: hashOf(code), expiresAtMs }, MAX_PAIR_CODES))
    return { code, expiresAtMs };
  return refuseInvalid(
    `there are ${MAX_PAIR_CODES} codes that were not used yet: wait until one has expired`,
  );
}

function findFault({ name, subject, scopes, lifetimeMs }: PairGrant): string | null {
  if (name === "") return "the name of the device is empty";
  for (const text of [name, subject ?? ""])
    if (text.length > MAX_DEVICE_NAME) return `a name may have ${MAX_DEVICE_NAME} characters`;
  if (!scopes.includes("read")) return "the scopes lack `read`, without which nothing can connect";
  if (lifetimeMs !== null && !(lifetimeMs > 0 && lifetimeMs <= MAX_LIFETIME_MS))
    return "a device may be paired for at most 400 days";
  return null;
}

/** Adds the device that has presented a code. */
export async function addDevice(
  { lifetimeMs, ...grant }: PairGrant,
  { devices, clock, randomBytes, createId }: PairParts & { readonly createId: () => string },
): Promise<PairedDevice | ThreadRefusal> {
  const secret = randomBytes(SECRET_BYTES).toString("base64url");
  const expiresAtMs = lifetimeMs === null ? null : clock.now() + lifetimeMs;
  const device = { ...grant, deviceId: createId(), hash: hashOf(secret), expiresAtMs };
  const added = await devices.add(device, MAX_DEVICES);
  if (added.kind === "added") return { device: added.device, secret };
  return refuseInvalid(`there are ${MAX_DEVICES} devices already: revoke one first`);
}

/** Secrets have at least 128 random bits, so that a fast hash is enough, and a look-up by the hash shows nothing of them. */
export function hashOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}
