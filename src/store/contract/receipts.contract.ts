import { expect, test } from "vitest";
import { receipt } from "../../lifecycle/receipts/ledger.contract.ts";
import type { CreateHarness } from "./store-harness.fixture.ts";

/** The ledger has a contract of its own; this one covers how processes share it. */
export function receiptsContract(createHarness: CreateHarness): void {
  test("receipts are shared by all processes, and those of one run are numbered together", async () => {
    const harness = createHarness();
    const [one, other] = [await harness.open(), await harness.open()];
    await one.receipts.record(receipt("a", { harness_run_id: "run" }), null);
    await other.receipts.record(receipt("b", { harness_run_id: "run" }), null);
    const listed = await one.receipts.list({ runId: "run" });
    expect(listed.map(({ receipt_id: id, sequence }) => [id, sequence])).toEqual([
      ["a", 1],
      ["b", 2],
    ]);
  });
}
