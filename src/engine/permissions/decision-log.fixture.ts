import { systemClock } from "../../base/clock.ts";
import { type Decisions } from "../../store/decisions.ts";
import { createMemoryDecisions } from "../../store/memory/memory-decisions.ts";
import { type DecisionLog, decisionLogOf } from "./decision-log.ts";

/** The decision log of an ephemeral thread, with access to its entries. */
export function createDecisionLog(): DecisionLog & Pick<Decisions, "list"> {
  const decisions = createMemoryDecisions(
    { entries: new Map(), answers: new Map(), questions: new Map(), tenants: new Map(), last: 0 },
    { leases: { confirm: async (it) => it }, clock: systemClock, tenant: "local" },
  );
  const log = decisionLogOf(
    async () => decisions,
    () => ({ threadId: "thread", ephemeral: true }),
  );
  return { ...log, list: (query) => decisions.list(query) };
}
