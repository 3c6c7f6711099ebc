import { describe, expect, test } from "vitest";
import type { Effect, Journal } from "../journal.ts";
import type { Fence } from "../leases.ts";
import { started } from "../lines/lines.fixture.ts";
import { newRow, ROOMY } from "../queue-row.fixture.ts";
import { claimed, none } from "./queue.fixture.ts";
import { type CreateHarness, opened, turnsOf } from "./store-harness.fixture.ts";

const STARTS: readonly Effect[] = [{ kind: "queueStarted", rowId: "a", turnId: "t1", preview: "say a" }];

async function persisted(journal: Journal): Promise<Fence> {
  const outcome = await journal.persist();
  if (outcome.kind !== "persisted") throw new Error(outcome.message);
  return outcome.fence;
}

/**
 * Effects of appended lines: never visible without the lines, and applied at the latest when the thread is opened
 * again.
 */
export function effectsContract(createHarness: CreateHarness): void {
  describe("an append with effects", () => {
    test("starts the turn of a claimed row and removes the row", async () => {
      const harness = createHarness();
      const { threads, queue } = await harness.open();
      const journal = threads.create(harness.origin());
      const { threadId } = journal;
      const fence = await persisted(journal);
      await queue.add(threadId, newRow("a", { clientUserMessageId: "key" }), ROOMY);
      await claimed(queue, fence, "t1");
      expect(await queue.claim(fence, "other")).toEqual(none("dispatching"));
      expect(await journal.append([started("t1")], STARTS)).toEqual({ kind: "kept", firstSeq: 1 });
      expect(await queue.claim(fence, "other")).toEqual(none("empty"));
      expect(await queue.startedBy(threadId, "key")).toMatchObject({
        rowId: "a",
        turnId: "t1",
        preview: "say a",
      });
      expect(await turnsOf(threads, threadId)).toEqual(["t1 inProgress"]);
    });

    test("applies no effect if its lines are not stored", async () => {
      const harness = createHarness();
      const [one, other] = [await harness.open(), await harness.open()];
      const journal = one.threads.create(harness.origin());
      const { threadId } = journal;
      const fence = await persisted(journal);
      await one.queue.add(threadId, newRow("a"), ROOMY);
      await claimed(one.queue, fence, "t1");
      const taken = await persisted(await opened(other.threads, threadId, { takeOver: true }));
      expect((await journal.append([started("t1")], STARTS)).kind).toBe("fenced");
      const failure = { message: "cut off" };
      expect(await other.queue.recover(taken, async () => false, failure)).toMatchObject({ failed: ["a"] });
    });

    test("whose process died between lines and effects is repaired when the thread is opened", async () => {
      const harness = createHarness();
      const [dead, other] = [await harness.openDead(), await harness.open()];
      const journal = dead.threads.create(harness.origin());
      const { threadId } = journal;
      const fence = await persisted(journal);
      await dead.queue.add(threadId, newRow("a", { clientUserMessageId: "key" }), ROOMY);
      await claimed(dead.queue, fence, "t1");
      await journal.append([started("t1")]);
      const now = await persisted(await opened(other.threads, threadId));
      const turns = await turnsOf(other.threads, threadId);
      const hasStarted = async (turnId: string) => turns.some((turn) => turn.startsWith(`${turnId} `));
      expect(await other.queue.recover(now, hasStarted, {})).toMatchObject({ failed: [] });
      expect(await other.queue.claim(now, "t2")).toEqual(none("empty"));
      expect(await other.queue.startedBy(threadId, "key")).toMatchObject({ turnId: "t1" });
    });
  });
}
