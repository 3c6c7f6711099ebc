import { describe } from "vitest";
import { decisionsContract } from "./decisions.contract.ts";
import { effectsContract } from "./effects.contract.ts";
import { journalContract } from "./journal.contract.ts";
import { leasesContract } from "./leases.contract.ts";
import { pagesContract } from "./pages.contract.ts";
import { positionsContract } from "./positions.contract.ts";
import { queueContract } from "./queue.contract.ts";
import { receiptsContract } from "./receipts.contract.ts";
import { threadsContract } from "./threads.contract.ts";
import type { OpenWorld } from "./world.fixture.ts";

/** What every store promises, whatever it is made of. */
export function storeContract(name: string, openWorld: OpenWorld): void {
  describe(`a store in ${name}`, () => {
    threadsContract(openWorld);
    journalContract(openWorld);
    effectsContract(openWorld);
    leasesContract(openWorld);
    pagesContract(openWorld);
    positionsContract(openWorld);
    decisionsContract(openWorld);
    queueContract(openWorld);
    receiptsContract(openWorld);
  });
}
