import { expect, test } from "vitest";
import { ledgerContract, receipt } from "./ledger.contract.ts";
import { createMemoryLedger } from "./memory-ledger.ts";

ledgerContract("memory", async () => {
  const ledger = createMemoryLedger();
  return { ledger, lose: (id) => ledger.lose(id) };
});

test("the oldest receipts make room for others, which is no gap", async () => {
  const ledger = createMemoryLedger({ mostReceipts: 3 });
  for (const id of ["a", "b", "c", "d", "e"]) await ledger.record(receipt(id, { harness_run_id: "A" }), null);
  expect((await ledger.list()).map(({ sequence }) => sequence)).toEqual([3, 4, 5]);
  expect(await ledger.gaps("A")).toEqual([]);
  ledger.lose("d");
  expect(await ledger.gaps("A")).toEqual([{ run_id: "A", from: 4, to: 4 }]);
});

test("20,000 receipts of one run are recorded within the time of a test", async () => {
  const ledger = createMemoryLedger({ mostReceipts: 100_000 });
  for (let index = 0; index < 20_000; index += 1)
    await ledger.record(receipt(`r-${index}`, { harness_run_id: "A" }), null);
  expect(await ledger.gaps("A")).toEqual([]);
});
