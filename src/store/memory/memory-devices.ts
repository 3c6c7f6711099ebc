import type { Clock } from "../../base/clock.ts";
import { type Devices, isUsable, type NewPairCode, type StoredDevice } from "../devices.ts";

export interface DeviceMemory {
  /** By the hashes of their secrets, in the order of their creation. */
  readonly devices: Map<string, StoredDevice>;
  readonly codes: Map<string, NewPairCode>;
}

export function createMemoryDevices({ devices, codes }: DeviceMemory, clock: Pick<Clock, "now">): Devices {
  function change(deviceId: string, patch: Partial<StoredDevice>): StoredDevice | null {
    for (const [hash, device] of devices) {
      if (device.deviceId !== deviceId) continue;
      const changed = { ...device, ...patch };
      devices.set(hash, changed);
      return changed;
    }
    return null;
  }

  return {
    async add({ hash, ...given }, max) {
      if (devices.size >= max)
        for (const [other, device] of devices) if (!isUsable(device, clock.now())) devices.delete(other);
      if (devices.size >= max) return { kind: "full" };
      const device = { ...given, createdAtMs: clock.now(), lastSeenAtMs: null, revokedAtMs: null };
      devices.set(hash, device);
      return { kind: "added", device };
    },
    find: async (hash) => devices.get(hash) ?? null,
    list: async () => [...devices.values()].toReversed(),
    async touch(deviceId) {
      change(deviceId, { lastSeenAtMs: clock.now() });
    },
    async revoke(deviceId) {
      const found = [...devices.values()].find((device) => device.deviceId === deviceId);
      return change(deviceId, { revokedAtMs: found?.revokedAtMs ?? clock.now() });
    },
    async addCode(code, max) {
      for (const [hash, { expiresAtMs }] of codes) if (expiresAtMs <= clock.now()) codes.delete(hash);
      if (codes.size >= max) return false;
      codes.set(code.hash, code);
      return true;
    },
    async takeCode(hash) {
      const code = codes.get(hash);
      codes.delete(hash);
      if (code === undefined || code.expiresAtMs <= clock.now()) return null;
      const { name, subject, scopes, lifetimeMs } = code;
      return { name, subject, scopes, lifetimeMs };
    },
  };
}
