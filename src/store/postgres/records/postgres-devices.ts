/** Paired devices, and codes that pair them, in PostgreSQL. */
import type { Devices } from "../../devices.ts";
import { type CodeRow, type DeviceRow, toDevice, toGrant } from "../../rows/device-rows.ts";
import type { PostgresDatabase, Statements } from "../connection/database.ts";
import { lockLimit } from "./lock-limit.ts";

const COUNT = "SELECT count(*) AS count FROM device";
const DROP_UNUSABLE = "DELETE FROM device WHERE revoked_at_ms IS NOT NULL OR expires_at_ms <= $1";
const INSERT = `
  INSERT INTO device (device_id, name, subject, scopes, hash, created_at_ms, expires_at_ms)
  VALUES ($1, $2, $3, $4, $5, $6, $7) RETURNING *`;
const FIND = "SELECT * FROM device WHERE hash = $1";
const LIST = "SELECT * FROM device ORDER BY number DESC";
const TOUCH = "UPDATE device SET last_seen_at_ms = $2 WHERE device_id = $1";
const REVOKE =
  "UPDATE device SET revoked_at_ms = coalesce(revoked_at_ms, $2) WHERE device_id = $1 RETURNING *";
const DROP_CODES = "DELETE FROM pair_code WHERE expires_at_ms <= $1";
const COUNT_CODES = "SELECT count(*) AS count FROM pair_code";
const INSERT_CODE = `
  INSERT INTO pair_code (hash, name, subject, scopes, expires_at_ms, lifetime_ms) VALUES ($1, $2, $3, $4, $5, $6)`;
const TAKE_CODE = "DELETE FROM pair_code WHERE hash = $1 RETURNING *";

export function createPostgresDevices({ query, transaction, time }: PostgresDatabase): Devices {
  const countOf = async (statements: Statements, sql: string) =>
    (await statements.query<{ readonly count: number }>(sql))[0]?.count ?? 0;
  return {
    add: ({ deviceId, name, subject, scopes, hash, expiresAtMs }, max) =>
      transaction(async (statements) => {
        const now = time.now();
        await lockLimit(statements, "devices");
        if ((await countOf(statements, COUNT)) >= max) await statements.query(DROP_UNUSABLE, now);
        if ((await countOf(statements, COUNT)) >= max) return { kind: "full" };
        const values = [deviceId, name, subject, scopes.join(" "), hash, now, expiresAtMs];
        const [row] = await statements.query<DeviceRow>(INSERT, ...values);
        return { kind: "added", device: toDevice(row as DeviceRow) };
      }),
    async find(hash) {
      const [row] = await query<DeviceRow>(FIND, hash);
      return row === undefined ? null : toDevice(row);
    },
    list: async () => (await query<DeviceRow>(LIST)).map(toDevice),
    touch: async (deviceId) => void (await query(TOUCH, deviceId, time.now())),
    async revoke(deviceId) {
      const [row] = await query<DeviceRow>(REVOKE, deviceId, time.now());
      return row === undefined ? null : toDevice(row);
    },
    addCode: ({ hash, name, subject, scopes, expiresAtMs, lifetimeMs }, max) =>
      transaction(async (statements) => {
        await lockLimit(statements, "pairCodes");
        await statements.query(DROP_CODES, time.now());
        if ((await countOf(statements, COUNT_CODES)) >= max) return false;
        const values = [hash, name, subject, scopes.join(" "), expiresAtMs, lifetimeMs];
        await statements.query(INSERT_CODE, ...values);
        return true;
      }),
    takeCode: (hash) =>
      transaction(async (statements) => {
        const [row] = await statements.query<CodeRow>(TAKE_CODE, hash);
        if (row === undefined || row.expires_at_ms <= time.now()) return null;
        return { ...toGrant(row), lifetimeMs: row.lifetime_ms };
      }),
  };
}
