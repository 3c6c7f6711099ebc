import { describe, expect, test } from "vitest";
import type { Fence, LeaseOutcome } from "../leases.ts";
import { type CreateHarness, createFinishedThread, opened, writeTurn } from "./store-harness.fixture.ts";

function fenceOf(outcome: LeaseOutcome): Fence {
  if (outcome.kind === "elsewhere") throw new Error("it is held elsewhere");
  return outcome.fence;
}

export function leasesContract(createHarness: CreateHarness): void {
  describe("a lease", () => {
    test("has one owner at a time, and each acquisition raises the epoch", async () => {
      const harness = createHarness();
      const holder = await harness.open();
      const [one, other] = [holder.leases, (await harness.open()).leases];
      const first = fenceOf(await one.acquire("a", "ifFree"));
      expect([first.threadId, await one.confirm(first)]).toEqual(["a", first]);
      expect(await other.acquire("a", "ifFree")).toEqual({ kind: "elsewhere", node: holder.membership.node });
      expect([await one.isHeld("a"), await other.isHeld("a"), await one.isHeld("b")]).toEqual([
        true,
        true,
        false,
      ]);
      await one.release(first);
      expect([await one.isHeld("a"), await one.confirm(first)]).toEqual([false, null]);
      const second = fenceOf(await other.acquire("a", "ifFree"));
      const third = fenceOf(await other.acquire("a", "ifFree"));
      expect(second.epoch).toBeGreaterThan(first.epoch);
      expect(third.epoch).toBeGreaterThan(second.epoch);
      expect([await other.confirm(second), await other.confirm(third)]).toEqual([null, third]);
    });

    test("that is taken over is lost, and its old fence releases nothing", async () => {
      const harness = createHarness();
      const holder = await harness.open();
      const [one, other] = [holder.leases, (await harness.open()).leases];
      const first = fenceOf(await one.acquire("a", "ifFree"));
      const taken = await other.acquire("a", "takeOver");
      expect(taken).toMatchObject({ kind: "held", takenFrom: holder.membership.node });
      expect(await one.confirm(first)).toBeNull();
      await one.release(first);
      expect([await other.confirm(fenceOf(taken)), (await one.acquire("a", "ifFree")).kind]).toEqual([
        fenceOf(taken),
        "elsewhere",
      ]);
    });

    test("is free when its process has died", async () => {
      const harness = createHarness();
      const dead = fenceOf(await (await harness.openDead()).leases.acquire("a", "ifFree"));
      const { leases } = await harness.open();
      expect(await leases.isHeld("a")).toBe(false);
      const outcome = await leases.acquire("a", "ifFree");
      expect(outcome).toMatchObject({ kind: "held", takenFrom: null });
      expect(fenceOf(outcome).epoch).toBeGreaterThan(dead.epoch);
    });

    test("is held while a thread is open, and released when it is closed", async () => {
      const harness = createHarness();
      const [one, other] = [await harness.open(), await harness.open()];
      const threadId = await createFinishedThread(harness, one.threads, ["t1"]);
      expect(await other.leases.isHeld(threadId)).toBe(false);
      const journal = await opened(one.threads, threadId);
      const { fence } = journal;
      expect([
        fence === null ? null : await one.leases.confirm(fence),
        await other.leases.isHeld(threadId),
      ]).toEqual([fence, true]);
      await journal.close();
      expect(await other.leases.isHeld(threadId)).toBe(false);
    });

    test("of a dead process can be acquired, and the thread continues", async () => {
      const harness = createHarness();
      const threadId = await createFinishedThread(harness, (await harness.open()).threads, ["t1"]);
      const before = await opened((await harness.openDead()).threads, threadId);
      const after = await opened((await harness.open()).threads, threadId);
      await writeTurn(after, "t2");
      expect((await before.append([])).kind).toBe("fenced");
    });
  });
}
