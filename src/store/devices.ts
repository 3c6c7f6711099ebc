/**
 * The port for paired devices, and for the codes with which devices are paired. Only hashes of secrets and codes are
 * stored: a reader of the database can use neither.
 */
import type { AccessScope } from "../protocol/generated/types.ts";

export interface Devices {
  /** Adds a device, unless there are `max` usable ones. Devices that are not usable any more make room. */
  add(device: NewDevice, max: number): Promise<AddDeviceOutcome>;
  /** The device with this hash, usable or not; null if there is none. */
  find(hash: string): Promise<StoredDevice | null>;
  /** All devices, the newest first. */
  list(): Promise<readonly StoredDevice[]>;
  /** Records that a device was used. */
  touch(deviceId: string): Promise<void>;
  /** Revokes a device; null if there is none. A revoked device keeps the time of its first revocation. */
  revoke(deviceId: string): Promise<StoredDevice | null>;
  /** Adds a code, unless there are `max` valid ones. Expired codes are deleted. */
  addCode(code: NewPairCode, max: number): Promise<boolean>;
  /** Deletes a code and returns it; null if there is none, or if it has expired. */
  takeCode(hash: string): Promise<PairGrant | null>;
}

/** The rights of a device, which its code has already. */
export interface PairGrant {
  readonly name: string;
  /** The person who uses it; null if it was not named. */
  readonly subject: string | null;
  readonly scopes: readonly AccessScope[];
  /** How long the device may be used after it was paired; null without a limit. */
  readonly lifetimeMs: number | null;
}

export interface NewPairCode extends PairGrant {
  /** The SHA-256 of the code, in hexadecimal form. */
  readonly hash: string;
  readonly expiresAtMs: number;
}

export interface StoredDevice extends Omit<PairGrant, "lifetimeMs"> {
  readonly deviceId: string;
  readonly createdAtMs: number;
  readonly lastSeenAtMs: number | null;
  /** Null if it does not expire. */
  readonly expiresAtMs: number | null;
  /** Null unless it was revoked. */
  readonly revokedAtMs: number | null;
}

export interface NewDevice
  extends Pick<StoredDevice, "deviceId" | "name" | "subject" | "scopes" | "expiresAtMs"> {
  /** The SHA-256 of the secret, in hexadecimal form. */
  readonly hash: string;
}

export type AddDeviceOutcome =
  | { readonly kind: "added"; readonly device: StoredDevice }
  | { readonly kind: "full" };

export function isUsable({ revokedAtMs, expiresAtMs }: StoredDevice, nowMs: number): boolean {
  return revokedAtMs === null && (expiresAtMs === null || expiresAtMs > nowMs);
}
