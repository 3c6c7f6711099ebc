/**
 * The contract of every store backend. A new backend provides the following, and its test passes to `storeContract`:
 *
 * 1. `Store` (`store.ts`) and its parts, opened by an address that `open/store-address.ts` reads and
 *    `open/open-store.ts` imports lazily. `files` is null unless threads are rollout files.
 * 2. A clock of its own for every stored timestamp. Processes never compare their own clocks.
 * 3. `Leases` (`leases.ts`): a process joins under a `NodeInfo`; a lease has an epoch that each acquisition raises, and
 *    every write of a thread is conditional on it. The holder's death, not time alone, makes a lease free.
 * 4. `Journal.append`: all lines or none, in the order of the calls, durable when the promise settles. Effects are never
 *    visible without their lines; lines may be without effects until the next `persist` or `open`.
 * 5. Positions: dense sequence numbers per segment, which restart at the line of a revert under a generation that is
 *    one higher. `lines({ from })` does not read earlier lines. `pages/` implements pages, cursors and searches on a
 *    `RowReader`; `lines/history-step.ts` with `pages/row-changes.ts` is the fold that fills its rows.
 * 6. Compare-and-set in one step: `Queue.claim`, `Schedules.claim`, `Decisions.answer`, `ThreadStore.setReadState`,
 *    `Leases.acquire`, `Outbox.claim`. Nothing else is atomic with anything.
 * 7. Faults as values with its own messages: `AppendFailure` and `StoreRefusal`; `open/describe-store-fault.ts` words
 *    those that a person can fix.
 * 8. Scopes: `forScope` hides threads and decisions of other tenants.
 * 9. Wake-ups: `Queue.watch` notifies of queues that other processes have changed. They are advisory, may be lost or
 *    coalesced, and carry no state: a listener reads the queue again.
 * 10. A `StoreHarness` (`store-harness.fixture.ts`) with several processes on the same threads, including ones that die
 *    without releasing anything.
 */
import { describe } from "vitest";
import { activityContract } from "./activity.contract.ts";
import { auditContract } from "./audit.contract.ts";
import { decisionsContract } from "./decisions.contract.ts";
import { devicesContract } from "./devices.contract.ts";
import { effectsContract } from "./effects.contract.ts";
import { journalContract } from "./journal.contract.ts";
import { leasesContract } from "./leases.contract.ts";
import { outboxContract } from "./outbox.contract.ts";
import { pagesContract } from "./pages.contract.ts";
import { positionsContract } from "./positions.contract.ts";
import { queueContract } from "./queue.contract.ts";
import { receiptsContract } from "./receipts.contract.ts";
import { schedulesContract } from "./schedules.contract.ts";
import { scopesContract } from "./scopes.contract.ts";
import type { CreateHarness } from "./store-harness.fixture.ts";
import { threadsContract } from "./threads.contract.ts";
import { waitsContract } from "./waits.contract.ts";
import { wakeTokensContract } from "./wake-tokens.contract.ts";

export function storeContract(name: string, createHarness: CreateHarness): void {
  describe(`a store in ${name}`, () => {
    threadsContract(createHarness);
    journalContract(createHarness);
    effectsContract(createHarness);
    leasesContract(createHarness);
    pagesContract(createHarness);
    positionsContract(createHarness);
    activityContract(createHarness);
    decisionsContract(createHarness);
    queueContract(createHarness);
    outboxContract(createHarness);
    waitsContract(createHarness);
    receiptsContract(createHarness);
    schedulesContract(createHarness);
    wakeTokensContract(createHarness);
    devicesContract(createHarness);
    auditContract(createHarness);
    scopesContract(createHarness);
  });
}
