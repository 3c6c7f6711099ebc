/**
 * The sessions of paired devices, by the secrets in their cookies. A device that is revoked, by this process or by another
 * one, is disconnected.
 */
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import { inBackground } from "../../base/tasks.ts";
import { type Devices, isUsable, type StoredDevice } from "../../store/devices.ts";
import type { Revocation } from "../../transport/token-holder.ts";
import { REVOCATION_POLL_MS, TOUCH_MS } from "./access-limits.ts";
import type { DeviceSessions } from "./device-access.ts";
import { hashOf } from "./pair-codes.ts";

export interface DeviceSessionsOptions {
  readonly devices: () => Promise<Devices>;
  readonly clock: Clock;
  readonly log: Logger;
  /** Called with all devices whenever they were read, while one is connected. */
  readonly onRead: (devices: readonly StoredDevice[]) => void;
}

export function createDeviceSessions({ devices, clock, log, onRead }: DeviceSessionsOptions): DeviceSessions {
  /** The connections and long answers of each device. */
  const users = new Map<string, Set<() => void>>();
  let cancelPoll: (() => void) | null = null;

  function disconnect(deviceId: string): void {
    const found = [...(users.get(deviceId) ?? [])];
    users.delete(deviceId);
    for (const end of found) end();
  }

  function schedulePoll(): void {
    if (cancelPoll !== null || users.size === 0) return;
    cancelPoll = clock.after(
      REVOCATION_POLL_MS,
      () => {
        cancelPoll = null;
        inBackground(log, "looking for revoked devices", poll().finally(schedulePoll));
      },
      { keepsAlive: false },
    );
  }

  async function poll(): Promise<void> {
    if (users.size === 0) return;
    const usable = new Set<string>();
    const all = await (await devices()).list();
    onRead(all);
    for (const device of all) if (isUsable(device, clock.now())) usable.add(device.deviceId);
    for (const deviceId of users.keys()) if (!usable.has(deviceId)) disconnect(deviceId);
  }

  function revocationOf(deviceId: string): Revocation {
    return {
      onRevoked(end) {
        const ofDevice = users.get(deviceId) ?? new Set();
        users.set(deviceId, ofDevice.add(end));
        schedulePoll();
        return () => {
          ofDevice.delete(end);
          if (ofDevice.size === 0 && users.get(deviceId) === ofDevice) users.delete(deviceId);
        };
      },
    };
  }

  async function device(secret: string): Promise<StoredDevice | null> {
    const found = await (await devices()).find(hashOf(secret));
    return found !== null && isUsable(found, clock.now()) ? found : null;
  }

  return {
    device,
    async find(secret) {
      const found = await device(secret);
      if (found === null) return null;
      const { deviceId, subject, scopes, expiresAtMs, lastSeenAtMs } = found;
      if (lastSeenAtMs === null || clock.now() - lastSeenAtMs >= TOUCH_MS)
        await (await devices()).touch(deviceId);
      return { subject, scopes: new Set(scopes), expiresAtMs, revocation: revocationOf(deviceId) };
    },
    async revoke(deviceId) {
      const revoked = await (await devices()).revoke(deviceId);
      if (revoked !== null) disconnect(deviceId);
      return revoked;
    },
    close() {
      cancelPoll?.();
      users.clear();
    },
  };
}
