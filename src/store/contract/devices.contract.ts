import { describe, expect, test } from "vitest";
import type { NewDevice, NewPairCode } from "../devices.ts";
import type { CreateHarness } from "./store-harness.fixture.ts";

const device = (deviceId: string, expiresAtMs: number | null = null): NewDevice => ({
  deviceId,
  name: `name of ${deviceId}`,
  subject: "ana",
  scopes: ["read", "answer"],
  hash: `hash-${deviceId}`,
  expiresAtMs,
});

const code = (name: string, expiresAtMs: number): NewPairCode => ({
  hash: `hash-${name}`,
  name,
  subject: null,
  scopes: ["read"],
  expiresAtMs,
  lifetimeMs: 1000,
});

export function devicesContract(createHarness: CreateHarness): void {
  describe("paired devices", () => {
    test("are found by their hash, listed newest first, and revoked", async () => {
      const harness = createHarness();
      const { devices } = await harness.open();
      const { hash: _hash, ...given } = device("a");
      const added = { ...given, createdAtMs: harness.now(), lastSeenAtMs: null, revokedAtMs: null };
      expect(await devices.add(device("a"), 9)).toEqual({ kind: "added", device: added });
      await devices.add(device("b"), 9);
      expect(await devices.find("hash-a")).toEqual(added);
      expect(await devices.find("a")).toBeNull();
      expect((await devices.list()).map(({ deviceId }) => deviceId)).toEqual(["b", "a"]);
      await devices.touch("a");
      expect((await devices.find("hash-a"))?.lastSeenAtMs).toBe(harness.now());
      const revoked = await devices.revoke("a");
      expect(revoked?.revokedAtMs).toBe(harness.now());
      expect(await devices.revoke("a")).toEqual(revoked);
      expect(await devices.revoke("c")).toBeNull();
      expect((await devices.find("hash-b"))?.revokedAtMs).toBeNull();
    });

    test("are limited, and make room once they are not usable", async () => {
      const harness = createHarness();
      const { devices } = await harness.open();
      await devices.add(device("a", harness.now() + 100_000), 2);
      await devices.add(device("b"), 2);
      expect(await devices.add(device("c"), 2)).toEqual({ kind: "full" });
      await devices.revoke("b");
      expect((await devices.add(device("c"), 2)).kind).toBe("added");
      expect((await devices.list()).map(({ deviceId }) => deviceId)).toEqual(["c", "a"]);
      await devices.revoke("c");
      await devices.add(device("d", harness.now() - 1), 2);
      expect((await devices.add(device("e"), 2)).kind).toBe("added");
      expect((await devices.list()).map(({ deviceId }) => deviceId)).toEqual(["e", "a"]);
    });

    test("are paired with codes that are taken once", async () => {
      const harness = createHarness();
      const { devices } = await harness.open();
      expect(await devices.addCode(code("a", harness.now() + 1000), 9)).toBe(true);
      expect(await devices.takeCode("hash-b")).toBeNull();
      const grant = { name: "a", subject: null, scopes: ["read"], lifetimeMs: 1000 };
      expect(await devices.takeCode("hash-a")).toEqual(grant);
      expect(await devices.takeCode("hash-a")).toBeNull();
    });

    test("are not paired with codes that have expired, which do not count either", async () => {
      const harness = createHarness();
      const { devices } = await harness.open();
      await devices.addCode(code("a", harness.now()), 1);
      expect(await devices.takeCode("hash-a")).toBeNull();
      await devices.addCode(code("b", harness.now()), 1);
      expect(await devices.addCode(code("c", harness.now() + 1000), 1)).toBe(true);
      expect(await devices.addCode(code("d", harness.now() + 1000), 1)).toBe(false);
    });
  });
}
