// Paired devices: browsers and phones that were let in with a code.

import { scopes } from "../access/scopes.ts";
import { free, notification, request } from "./row.ts";
import { array, choice, define, i64, nullable, object, optional, string } from "./shape.ts";

export const AccessScope = define("AccessScope", choice(...scopes));
export const Device = define(
  "Device",
  object({
    id: string(),
    name: string(),
    subject: nullable(string()),
    scopes: array(AccessScope),
    createdAt: i64(),
    lastSeenAt: nullable(i64()),
    expiresAt: nullable(i64()),
    revokedAt: nullable(i64()),
  }),
  "A device that may call servers of this home. `subject` is the person who uses it.",
);
export const DeviceListParams = define("DeviceListParams", object({}));
export const DeviceListResponse = define("DeviceListResponse", object({ data: array(Device) }));
export const DevicePairParams = define(
  "DevicePairParams",
  object({
    name: optional(nullable(string())),
    subject: optional(nullable(string())),
    scopes: optional(nullable(array(AccessScope))),
    expiresInSeconds: optional(nullable(i64())),
  }),
  "Without `scopes`, the device may read, answer and operate. Without `expiresInSeconds`, it does not expire.",
);
export const DevicePairResponse = define(
  "DevicePairResponse",
  object({ code: string(), path: string(), expiresAt: i64() }),
  "`path` with its fragment follows the address under which the device reaches the server. The code is valid once.",
);
export const DeviceRevokeParams = define("DeviceRevokeParams", object({ deviceId: string() }));
export const DeviceRevokeResponse = define("DeviceRevokeResponse", object({ device: Device }));
export const DeviceChangedNotification = define("DeviceChangedNotification", object({ device: Device }));

export const deviceRequests = {
  "device/list": request({
    summary: "Lists the paired devices, the newest first.",
    stability: "experimental",
    scope: "admin",
    params: DeviceListParams,
    result: DeviceListResponse,
    order: free,
    idempotent: true,
    handlers: "devices",
  }),
  "device/pair": request({
    summary: "Creates a code that pairs one device within ten minutes.",
    stability: "experimental",
    scope: "admin",
    params: DevicePairParams,
    result: DevicePairResponse,
    order: free,
    handlers: "devices",
    isAudited: true,
  }),
  "device/revoke": request({
    summary: "Revokes a device and ends its connections.",
    stability: "experimental",
    scope: "admin",
    params: DeviceRevokeParams,
    result: DeviceRevokeResponse,
    order: free,
    idempotent: true,
    handlers: "devices",
    isAudited: true,
  }),
};

export const deviceNotifications = {
  "device/changed": notification({
    summary: "A device was paired or revoked by this server. Only for connections with the scope `admin`.",
    stability: "experimental",
    params: DeviceChangedNotification,
    audience: "connection",
  }),
};
