import type { Clock } from "../../../base/clock.ts";
import type { Devices, PairGrant } from "../../devices.ts";
import { type CodeRow, type DeviceRow, toDevice, toGrant } from "../../rows/device-rows.ts";
import type { Connection } from "./connection.ts";

const COUNT = "SELECT COUNT(*) AS count FROM devices";
const DROP_UNUSABLE = "DELETE FROM devices WHERE revoked_at_ms IS NOT NULL OR expires_at_ms <= ?";
const INSERT = `
  INSERT INTO devices (device_id, name, subject, scopes, hash, created_at_ms, expires_at_ms)
  VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING *`;
const FIND = "SELECT * FROM devices WHERE hash = ?";
const LIST = "SELECT * FROM devices ORDER BY number DESC";
const TOUCH = "UPDATE devices SET last_seen_at_ms = ? WHERE device_id = ?";
const REVOKE =
  "UPDATE devices SET revoked_at_ms = COALESCE(revoked_at_ms, ?) WHERE device_id = ? RETURNING *";
const DROP_CODES = "DELETE FROM pair_codes WHERE expires_at_ms <= ?";
const COUNT_CODES = "SELECT COUNT(*) AS count FROM pair_codes";
const INSERT_CODE = `
  INSERT INTO pair_codes (hash, name, subject, scopes, expires_at_ms, lifetime_ms) VALUES (?, ?, ?, ?, ?, ?)`;
const TAKE_CODE = "DELETE FROM pair_codes WHERE hash = ? RETURNING *";

/** Devices and codes in the tables `devices` and `pair_codes`. */
export function createSqliteDevices(
  connection: Pick<Connection, "prepare" | "write">,
  clock: Pick<Clock, "now">,
): Devices {
  const { prepare, write } = connection;
  const countOf = (sql: string) => (prepare(sql).get() as { readonly count: number }).count;
  return {
    add: async ({ deviceId, name, subject, scopes, hash, expiresAtMs }, max) =>
      write(() => {
        const now = clock.now();
        if (countOf(COUNT) >= max) prepare(DROP_UNUSABLE).run(now);
        if (countOf(COUNT) >= max) return { kind: "full" };
        const row = prepare(INSERT).get(deviceId, name, subject, scopes.join(" "), hash, now, expiresAtMs);
        return { kind: "added", device: toDevice(row as DeviceRow) };
      }),
    async find(hash) {
      const found = prepare(FIND).get(hash);
      return found === undefined ? null : toDevice(found as DeviceRow);
    },
    list: async () =>
      prepare(LIST)
        .all()
        .map((row) => toDevice(row as DeviceRow)),
    touch: async (deviceId) => void prepare(TOUCH).run(clock.now(), deviceId),
    async revoke(deviceId) {
      const found = prepare(REVOKE).get(clock.now(), deviceId);
      return found === undefined ? null : toDevice(found as DeviceRow);
    },
    addCode: async ({ hash, name, subject, scopes, expiresAtMs, lifetimeMs }, max) =>
      write(() => {
        prepare(DROP_CODES).run(clock.now());
        if (countOf(COUNT_CODES) >= max) return false;
        prepare(INSERT_CODE).run(hash, name, subject, scopes.join(" "), expiresAtMs, lifetimeMs);
        return true;
      }),
    async takeCode(hash): Promise<PairGrant | null> {
      const row = prepare(TAKE_CODE).get(hash) as CodeRow | undefined;
      if (row === undefined || row.expires_at_ms <= clock.now()) return null;
      return { ...toGrant(row), lifetimeMs: row.lifetime_ms };
    },
  };
}
