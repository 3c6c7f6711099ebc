import { describe } from "vitest";
import { queueClaimsContract } from "./queue-claims.contract.ts";
import { queueLimitsContract } from "./queue-limits.contract.ts";
import { queueLogContract } from "./queue-log.contract.ts";
import { queueModelContract } from "./queue-model.contract.ts";
import { queueProcessesContract } from "./queue-processes.contract.ts";
import { queueRowsContract } from "./queue-rows.contract.ts";
import type { CreateHarness } from "./store-harness.fixture.ts";

/** The contract of every store's queue. */
export function queueContract(createHarness: CreateHarness): void {
  describe("the queue of a thread", () => {
    queueRowsContract(createHarness);
    queueLimitsContract(createHarness);
    queueClaimsContract(createHarness);
    queueLogContract(createHarness);
    queueProcessesContract(createHarness);
    queueModelContract(createHarness);
  });
}
