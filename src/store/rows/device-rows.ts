/** Rows of devices and of the codes that pair them, as databases have them. */
import type { AccessScope } from "../../protocol/generated/types.ts";
import type { PairGrant, StoredDevice } from "../devices.ts";

interface GrantRow {
  readonly name: string;
  readonly subject: string | null;
  /** Separated by spaces. */
  readonly scopes: string;
}

export interface DeviceRow extends GrantRow {
  readonly device_id: string;
  readonly created_at_ms: number;
  readonly last_seen_at_ms: number | null;
  readonly expires_at_ms: number | null;
  readonly revoked_at_ms: number | null;
}

export interface CodeRow extends GrantRow {
  readonly expires_at_ms: number;
  readonly lifetime_ms: number | null;
}

export function toDevice(row: DeviceRow): StoredDevice {
  return {
    deviceId: row.device_id,
    ...toGrant(row),
    createdAtMs: row.created_at_ms,
    lastSeenAtMs: row.last_seen_at_ms,
    expiresAtMs: row.expires_at_ms,
    revokedAtMs: row.revoked_at_ms,
  };
}

export function toGrant({ name, subject, scopes }: GrantRow): Omit<PairGrant, "lifetimeMs"> {
  // Only this server writes the column.
  return { name, subject, scopes: scopes.split(" ") as AccessScope[] };
}
