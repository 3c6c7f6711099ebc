import { describe } from "vitest";
import { queueClaimsContract } from "./queue-claims.contract.ts";
import { queueLimitsContract } from "./queue-limits.contract.ts";
import { queueLogContract } from "./queue-log.contract.ts";
import { queueModelContract } from "./queue-model.contract.ts";
import { queueProcessesContract } from "./queue-processes.contract.ts";
import { queueRowsContract } from "./queue-rows.contract.ts";
import type { OpenWorld } from "./world.fixture.ts";

/** What every store does with turns that wait. */
export function queueContract(openWorld: OpenWorld): void {
  describe("the queue of a thread", () => {
    queueRowsContract(openWorld);
    queueLimitsContract(openWorld);
    queueClaimsContract(openWorld);
    queueLogContract(openWorld);
    queueProcessesContract(openWorld);
    queueModelContract(openWorld);
  });
}
