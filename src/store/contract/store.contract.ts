/**
 * What every store promises, whatever it is made of. A new backend provides, and its test passes to `storeContract`:
 *
 * 1. `Store` (`store.ts`) and all that it is made of, opened by an address that `open/store-address.ts` reads and
 *    `open/open-store.ts` loads when it is asked for. `files` is null unless threads are rollout files.
 * 2. A clock of its own: every time that is kept comes from it. Two processes never compare theirs.
 * 3. `Leases` (`leases.ts`): a process joins under a `NodeInfo`; a lease has an epoch that each acquisition raises, and
 *    every write of a thread is conditional on it. The holder's death, not time alone, makes a lease free.
 * 4. `Journal.append`: all lines or none, in the order of the calls, durable when the promise settles. Effects are never
 *    visible without their lines; lines may be without effects until the next `persist` or `open`.
 * 5. Positions: dense sequence numbers per segment, which begin again at the place of a revert under a generation that
 *    is one higher. `lines({ from })` does not read what lies before. `pages/` makes pages, cursors and searches out of
 *    a `RowReader`; `lines/history-step.ts` with `pages/row-changes.ts` is the fold that fills its rows.
 * 6. Compare-and-set in one step: `Queue.claim`, `Decisions.answer`, `ThreadStore.setReadState`, `Leases.acquire`.
 *    Nothing else is atomic with anything.
 * 7. Faults as values, in its own words: `AppendFailure` and `StoreRefusal`; what a person can put right is worded by
 *    `open/describe-store-fault.ts`.
 * 8. Scopes: `forScope` hides threads and decisions of other tenants.
 * 9. A `World` (`world.fixture.ts`) with several processes on the same threads, also ones that die without giving
 *    anything back.
 */
import { describe } from "vitest";
import { decisionsContract } from "./decisions.contract.ts";
import { effectsContract } from "./effects.contract.ts";
import { journalContract } from "./journal.contract.ts";
import { leasesContract } from "./leases.contract.ts";
import { pagesContract } from "./pages.contract.ts";
import { positionsContract } from "./positions.contract.ts";
import { queueContract } from "./queue.contract.ts";
import { receiptsContract } from "./receipts.contract.ts";
import { scopesContract } from "./scopes.contract.ts";
import { threadsContract } from "./threads.contract.ts";
import type { OpenWorld } from "./world.fixture.ts";

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
    scopesContract(openWorld);
  });
}
