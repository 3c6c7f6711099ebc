import type { Device } from "../../protocol/generated/types.ts";
import type { StoredDevice } from "../../store/devices.ts";

/** A device as clients and `heddle pair list --json` see it. */
export function showDevice(device: StoredDevice): Device {
  const { deviceId: id, name, subject, scopes, createdAtMs, lastSeenAtMs, expiresAtMs, revokedAtMs } = device;
  return {
    id,
    name,
    subject,
    scopes: [...scopes],
    createdAt: toSeconds(createdAtMs),
    lastSeenAt: lastSeenAtMs === null ? null : toSeconds(lastSeenAtMs),
    expiresAt: expiresAtMs === null ? null : toSeconds(expiresAtMs),
    revokedAt: revokedAtMs === null ? null : toSeconds(revokedAtMs),
  };
}

function toSeconds(timeMs: number): number {
  return Math.floor(timeMs / 1000);
}
