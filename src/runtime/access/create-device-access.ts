import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Devices, StoredDevice } from "../../store/devices.ts";
import { createConsoleTickets } from "./console-tickets.ts";
import type { DeviceAccess } from "./device-access.ts";
import { createDeviceSessions } from "./device-sessions.ts";
import { addDevice, hashOf, makePairCode } from "./pair-codes.ts";

export interface DeviceAccessOptions {
  readonly devices: () => Promise<Devices>;
  readonly clock: Clock;
  readonly log: Logger;
  readonly createId: () => string;
  readonly randomBytes: (count: number) => Buffer;
}

export function createDeviceAccess(options: DeviceAccessOptions): DeviceAccess {
  const tickets = createConsoleTickets(options);
  const listeners = new Set<(device: StoredDevice) => void>();
  const { clock, log, randomBytes, createId } = options;
  const sessions = createDeviceSessions({ devices: options.devices, clock, log, onRead: publishChanges });
  const parts = async () => ({ clock, randomBytes, createId, devices: await options.devices() });

  /** Whether each device was revoked when it was last read; null before the first read. */
  let known: ReadonlyMap<string, boolean> | null = null;

  /** Publishes the changes that other processes have made. */
  function publishChanges(devices: readonly StoredDevice[]): void {
    const before = known;
    known = new Map(devices.map(({ deviceId, revokedAtMs }) => [deviceId, revokedAtMs !== null]));
    if (before === null) return;
    for (const device of devices)
      if (before.get(device.deviceId) !== (device.revokedAtMs !== null)) notify(device);
  }

  function changed(device: StoredDevice): void {
    if (known !== null) known = new Map([...known, [device.deviceId, device.revokedAtMs !== null]]);
    notify(device);
  }

  function notify(device: StoredDevice): void {
    for (const listener of listeners) listener(device);
  }

  return {
    sessions,
    tickets,
    list: async () => (await options.devices()).list(),
    makeCode: async (grant) => makePairCode(grant, await parts()),
    async pair(code) {
      const grant = tickets.redeem(code) ?? (await (await options.devices()).takeCode(hashOf(code)));
      if (grant === null) return null;
      const paired = await addDevice(grant, await parts());
      if ("device" in paired) changed(paired.device);
      return paired;
    },
    async revoke(deviceId) {
      const device = await sessions.revoke(deviceId);
      if (device !== null) changed(device);
      return device;
    },
    onChange(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}
