/** Everything that lets devices in: codes and tickets become devices, and the secrets of devices become sessions. */
import type { Clock } from "../../base/clock.ts";
import type { Logger } from "../../base/logger.ts";
import type { Devices, PairGrant, StoredDevice } from "../../store/devices.ts";
import type { ThreadRefusal } from "../configuration/thread-refusal.ts";
import { type ConsoleTickets, createConsoleTickets } from "./console-tickets.ts";
import { createDeviceSessions, type DeviceSessions } from "./device-sessions.ts";
import { addDevice, hashOf, type MadeCode, makePairCode, type PairedDevice } from "./pair-codes.ts";

export interface DeviceAccess {
  readonly sessions: DeviceSessions;
  readonly tickets: Pick<ConsoleTickets, "issue">;
  list(): Promise<readonly StoredDevice[]>;
  makeCode(grant: PairGrant): Promise<MadeCode | ThreadRefusal>;
  /** Pairs the device that presents a code or a ticket; null if it is not valid. */
  pair(code: string): Promise<PairedDevice | ThreadRefusal | null>;
  revoke(deviceId: string): Promise<StoredDevice | null>;
  /** Calls the listener after each change that this process has made; returns the function that stops it. */
  onChange(listener: (device: StoredDevice) => void): () => void;
}

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
