/** The paired devices. Only administrators see them. */
import type { Client } from "../../client/browser.ts";
import type { Device, DevicePairParams, DevicePairResponse } from "../../protocol/generated/types.ts";
import { createLoaded } from "./loaded.ts";
import { missingScope } from "./rights.ts";
import { whenConnected } from "./server.ts";

export const devices = createLoaded<readonly Device[]>(
  async (client) => (await client.request("device/list", {})).data,
);

/** Follows the notifications until the result is called. */
export function followDevices(): () => void {
  let stopListening = () => {};
  const stop = whenConnected((client) => {
    stopListening();
    if (missingScope("device/list") !== null) return;
    stopListening = client.on("device/changed", ({ device }) => put(device));
    void devices.load(client);
  });
  return () => {
    stop();
    stopListening();
  };
}

function put(device: Device): void {
  const known = devices.data.peek() ?? [];
  const isKnown = known.some(({ id }) => id === device.id);
  devices.put(isKnown ? known.map((each) => (each.id === device.id ? device : each)) : [device, ...known]);
}

export async function revokeDevice(client: Client, deviceId: string): Promise<void> {
  put((await client.request("device/revoke", { deviceId })).device);
}

/** The address is the one under which this page was opened. */
export async function pairDevice(
  client: Client,
  params: DevicePairParams,
): Promise<DevicePairResponse & { readonly url: string }> {
  const made = await client.request("device/pair", params);
  return { ...made, url: location.origin + made.path };
}
