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
  const sessions = createDeviceSessions(options);
  const tickets = createConsoleTickets(options);
  const listeners = new Set<(device: StoredDevice) => void>();
  const { clock, randomBytes, createId } = options;
  const parts = async () => ({ clock, randomBytes, createId, devices: await options.devices() });

  function changed(device: StoredDevice): void {
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
