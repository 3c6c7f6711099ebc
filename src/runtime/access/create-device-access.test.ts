import { randomBytes } from "node:crypto";
import { expect, test } from "vitest";
import { createFakeClock } from "../../base/fake-clock.fixture.ts";
import { silentLogger } from "../../base/logger.ts";
import { isRefusal } from "../../base/refusal.ts";
import { createMemoryDevices } from "../../store/memory/memory-devices.ts";
import {
  CONSOLE_TICKET_MS,
  MAX_DEVICES,
  MAX_PAIR_CODES,
  PAIR_CODE_MS,
  REVOCATION_POLL_MS,
} from "./access-limits.ts";
import { createDeviceAccess } from "./create-device-access.ts";
import type { PairedDevice } from "./device-access.ts";

const START = Date.UTC(2026, 10, 19);
const GRANT = { name: "phone", subject: "ana", scopes: ["read", "answer"], lifetimeMs: 3_600_000 } as const;

function open() {
  const clock = createFakeClock(START);
  const devices = createMemoryDevices({ devices: new Map(), codes: new Map() }, clock);
  let ids = 0;
  /** Another server on the same home. */
  const server = () =>
    createDeviceAccess({
      devices: async () => devices,
      clock,
      log: silentLogger,
      createId: () => `device-${++ids}`,
      randomBytes,
    });
  return { clock, devices, server, access: server() };
}

async function codeOf(access: ReturnType<typeof createDeviceAccess>): Promise<string> {
  const made = await access.makeCode(GRANT);
  if (isRefusal(made)) throw new Error(made.message);
  return made.code;
}

const pairWith = async (access: ReturnType<typeof createDeviceAccess>, code: string) =>
  (await access.pair(code)) as PairedDevice;

test("a code pairs one device, whose secret is that of a session with its rights", async () => {
  const { access } = open();
  const code = await codeOf(access);
  const { device, secret } = await pairWith(access, code);
  expect(await access.pair(code)).toBeNull();
  const holder = await access.sessions.find(secret);
  expect(holder).toMatchObject({ subject: "ana", expiresAtMs: START + 3_600_000 });
  expect([...(holder?.scopes ?? [])]).toEqual(["read", "answer"]);
  expect(await access.sessions.find(`${secret.slice(1)}x`)).toBeNull();
  expect(await access.list()).toMatchObject([{ deviceId: device.deviceId, lastSeenAtMs: START }]);
});

test("neither codes nor secrets are stored", async () => {
  const { access, devices } = open();
  const code = await codeOf(access);
  const { secret } = await pairWith(access, code);
  const stored = JSON.stringify(await devices.list());
  expect(stored).not.toContain(code);
  expect(stored).not.toContain(secret);
});

test("a code made by another process is valid, and none is after its time", async () => {
  const { clock, access, server } = open();
  const [first, second] = [await codeOf(server()), await codeOf(server())];
  expect(await access.pair(first)).not.toBeNull();
  clock.set(START + PAIR_CODE_MS);
  expect(await access.pair(second)).toBeNull();
});

test("a ticket signs one browser in with all scopes, for minutes, in its own process", async () => {
  const { clock, access, server } = open();
  const ticket = access.tickets.issue();
  expect(await server().pair(ticket)).toBeNull();
  expect((await pairWith(access, ticket)).device.scopes).toEqual(["read", "answer", "operate", "admin"]);
  expect(await access.pair(ticket)).toBeNull();
  const late = access.tickets.issue();
  clock.advance(CONSOLE_TICKET_MS);
  expect(await access.pair(late)).toBeNull();
});

test("an expired device has no session", async () => {
  const { clock, access } = open();
  const { secret } = await pairWith(access, await codeOf(access));
  clock.set(START + 3_600_000);
  expect(await access.sessions.find(secret)).toBeNull();
});

test("revoking a device ends what it has open, at once here and soon in other processes", async () => {
  const { clock, access, server } = open();
  const other = server();
  const { device, secret } = await pairWith(access, await codeOf(access));
  const ended: string[] = [];
  for (const [name, one] of Object.entries({ access, other }))
    (await one.sessions.find(secret))?.revocation?.onRevoked(() => void ended.push(name));
  await access.revoke(device.deviceId);
  expect(ended).toEqual(["access"]);
  clock.advance(REVOCATION_POLL_MS);
  await expect.poll(() => ended).toEqual(["access", "other"]);
  expect(await other.sessions.find(secret)).toBeNull();
});

test("a server looks for revoked devices only while one is connected", async () => {
  const { clock, access } = open();
  const { secret } = await pairWith(access, await codeOf(access));
  const holder = await access.sessions.find(secret);
  expect(clock.waiting).toEqual([]);
  const stop = holder?.revocation?.onRevoked(() => {});
  expect(clock.waiting).toHaveLength(1);
  stop?.();
  clock.advance(REVOCATION_POLL_MS);
  await expect.poll(() => clock.waiting).toEqual([]);
});

test("changes by other processes are noticed while a device is connected", async () => {
  const { clock, access, server } = open();
  const { secret } = await pairWith(access, await codeOf(access));
  const changes: string[] = [];
  access.onChange(({ deviceId, revokedAtMs }) => changes.push(`${deviceId} ${revokedAtMs === null}`));
  (await access.sessions.find(secret))?.revocation?.onRevoked(() => {});
  const poll = async () => {
    clock.advance(REVOCATION_POLL_MS);
    await expect.poll(() => clock.waiting).toHaveLength(1);
  };
  await poll();
  const other = server();
  const { device } = await pairWith(other, await codeOf(other));
  await poll();
  expect(changes).toEqual([`${device.deviceId} true`]);
  await other.revoke(device.deviceId);
  await poll();
  expect(changes).toEqual([`${device.deviceId} true`, `${device.deviceId} false`]);
  await poll();
  expect(changes).toHaveLength(2);
});

test("the use of a device is recorded at most once a minute", async () => {
  const { clock, access } = open();
  const { secret } = await pairWith(access, await codeOf(access));
  const seen = async () => {
    await access.sessions.find(secret);
    return (await access.list())[0]?.lastSeenAtMs;
  };
  expect(await seen()).toBe(START);
  clock.set(START + 59_999);
  expect(await seen()).toBe(START);
  clock.set(START + 60_000);
  expect(await seen()).toBe(START + 60_000);
});

test.each([
  [{ name: " " }, "the name of the device is empty"],
  [{ name: "x".repeat(101) }, "a name may have 100 characters"],
  [{ scopes: ["answer"] as const }, "the scopes lack `read`, without which nothing can connect"],
  [{ lifetimeMs: -1 }, "a device may be paired for at most 400 days"],
])("a code for %j is refused", async (change, message) => {
  expect(await open().access.makeCode({ ...GRANT, ...change })).toMatchObject({ kind: "refused", message });
});

test("codes and devices are limited", async () => {
  const { access, clock } = open();
  for (let count = 0; count < MAX_PAIR_CODES; count++) await codeOf(access);
  expect(await access.makeCode(GRANT)).toMatchObject({ kind: "refused" });
  clock.set(START + PAIR_CODE_MS);
  for (let count = 0; count < MAX_DEVICES; count++) await access.pair(await codeOf(access));
  expect(await access.pair(await codeOf(access))).toMatchObject({ kind: "refused" });
});
