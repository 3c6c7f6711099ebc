/** Everything that lets devices in: codes and tickets become devices, and the secrets of devices become sessions. */
import type { PairGrant, StoredDevice } from "../../store/devices.ts";
import type { Sessions } from "../../transport/token-holder.ts";
import type { ThreadRefusal } from "../configuration/thread-refusal.ts";

export interface DeviceAccess {
  readonly sessions: DeviceSessions;
  readonly tickets: { readonly issue: () => string };
  list(): Promise<readonly StoredDevice[]>;
  makeCode(grant: PairGrant): Promise<MadeCode | ThreadRefusal>;
  /** Pairs the device that presents a code or a ticket; null if it is not valid. */
  pair(code: string): Promise<PairedDevice | ThreadRefusal | null>;
  revoke(deviceId: string): Promise<StoredDevice | null>;
  /**
   * Calls the listener after each change by this process, and soon after one by another process while a device is connected;
   * returns the function that stops it.
   */
  onChange(listener: (device: StoredDevice) => void): () => void;
}

export interface DeviceSessions extends Sessions {
  /** The usable device with this secret; null if there is none. */
  device(secret: string): Promise<StoredDevice | null>;
  /** Revokes a device and disconnects it; null if there is none. */
  revoke(deviceId: string): Promise<StoredDevice | null>;
  close(): void;
}

export interface MadeCode {
  /** Shown once. */
  readonly code: string;
  readonly expiresAtMs: number;
}

export interface PairedDevice {
  readonly device: StoredDevice;
  /** Sent once, to the device. */
  readonly secret: string;
}
