/** Who or what decided about an item, below it. */
import type { Decision } from "../../protocol/generated/types.ts";
import type { OpenThread } from "../state/open-thread.ts";
import { now } from "../state/server.ts";
import { keyOfItem } from "../state/thread-decisions.ts";
import type { ItemEntry } from "../state/thread-model.ts";
import { deciderOf, describeOutcome, detailsOf } from "../text/describe-decision.ts";
import { clockTime } from "../text/time.ts";
import { Chip } from "../ui/chip.tsx";
import { Icon } from "../ui/icon.tsx";
import { VisibleText } from "../ui/visible-text.tsx";

export function ItemDecisions({ thread, entry }: { thread: OpenThread; entry: ItemEntry }) {
  const all = thread.decisions.byItem.value.get(keyOfItem(entry.turnId, entry.id)) ?? [];
  // An open question has a card of its own.
  const decided = all.filter(({ verdict }) => verdict !== null);
  if (decided.length === 0) return null;
  return (
    <div class="it decisions">
      <Icon name="shield" />
      <ul class="body decided" aria-label="Decisions">
        {decided.map((decision) => (
          <DecidedLine key={decision.id} decision={decision} />
        ))}
      </ul>
    </div>
  );
}

function DecidedLine({ decision }: { decision: Decision }) {
  const { verdict } = decision;
  return (
    <li>
      <Chip {...describeOutcome(decision)} />
      <span class="wraps">
        <VisibleText text={deciderOf(decision)} />
      </span>
      {verdict !== null && <span class="dimmer nw">{clockTime(verdict.decidedAt, now.value)}</span>}
      {detailsOf(decision).map((detail) => (
        <span key={detail} class="wraps lines3 detail" dir="auto">
          <VisibleText text={detail} />
        </span>
      ))}
    </li>
  );
}
