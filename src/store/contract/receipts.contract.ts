import { expect, test } from "vitest";
import { receipt } from "../../lifecycle/receipts/ledger.contract.ts";
import type { OpenWorld } from "./world.fixture.ts";

/** What a ledger promises has a contract of its own: this is about who shares one. */
export function receiptsContract(openWorld: OpenWorld): void {
  test("receipts are of all processes, and those of one run are numbered together", async () => {
    const world = openWorld();
    const [one, other] = [await world.open(), await world.open()];
    await one.receipts.record(receipt("a", { harness_run_id: "run" }), null);
    await other.receipts.record(receipt("b", { harness_run_id: "run" }), null);
    const listed = await one.receipts.list({ runId: "run" });
    expect(listed.map(({ receipt_id: id, sequence }) => [id, sequence])).toEqual([
      ["a", 1],
      ["b", 2],
    ]);
  });
}
