// Paired devices.

import { type DeviceAccess } from "../../runtime/access/device-access.ts";
import { DEFAULT_PAIR_SCOPES, pairPath } from "../../runtime/access/pair-codes.ts";
import { showDevice } from "../../runtime/access/show-device.ts";
import type { StoredDevice } from "../../store/devices.ts";
import type { ClientConnection } from "../connections/client-connection.ts";
import { type Handlers, invalidRequest, unwrap } from "../connections/handler.ts";
import type { Notifier } from "../connections/notifier.ts";

export interface DeviceHandlersOptions {
  readonly devices: () => Promise<DeviceAccess>;
}

export function createDeviceHandlers({
  devices,
}: DeviceHandlersOptions): Handlers<"device/list" | "device/pair" | "device/revoke"> {
  return {
    "device/list": async () => ({ data: (await (await devices()).list()).map(showDevice) }),

    async "device/pair"({ name, subject, scopes, expiresInSeconds }, { connection }) {
      const grant = {
        name: name ?? "device",
        subject: subject ?? connection.subject,
        scopes: scopes ?? DEFAULT_PAIR_SCOPES,
        lifetimeMs: expiresInSeconds == null ? null : expiresInSeconds * 1000,
      };
      const { code, expiresAtMs } = unwrap(await (await devices()).makeCode(grant));
      return { code, path: pairPath(code), expiresAt: Math.floor(expiresAtMs / 1000) };
    },

    async "device/revoke"({ deviceId }) {
      const device = await (await devices()).revoke(deviceId);
      if (device === null) throw invalidRequest("there is no such device");
      return { device: showDevice(device) };
    },
  };
}

/** Notifies the administrators of a server of changed devices. */
export function notifyDeviceChange(
  device: StoredDevice,
  connections: Iterable<ClientConnection>,
  notifier: Pick<Notifier, "to">,
): void {
  const administrators = [...connections].filter(({ scopes }) => scopes.has("admin"));
  notifier.to(administrators, "device/changed", { device: showDevice(device) });
}
