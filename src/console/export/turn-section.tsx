/** One turn of a page: what was said and done, in its order. */
import type { Decision } from "../../protocol/generated/types.ts";
import { HookRun } from "../parts/hook-run.tsx";
import { Line } from "../parts/line.tsx";
import { PlanSteps } from "../parts/plan-steps.tsx";
import { TurnFailure } from "../parts/turn-failure.tsx";
import { type Entry, ThreadModel } from "../state/thread-model.ts";
import { isHidden } from "../state/thread-rows.ts";
import { durationText } from "../text/time.ts";
import { DecisionLine } from "./decision-line.tsx";
import type { PageTurn } from "./page-format.ts";
import { PageItem } from "./page-item.tsx";
import { Time, tokensText } from "./page-words.tsx";

export function TurnSection({ turn, plan, tokens, decisions, number }: PageTurn & { number: number }) {
  const entries = entriesOf(turn);
  const ids = new Set(entries.map(({ id }) => id));
  const isElsewhere = ({ itemId }: Decision): boolean => !ids.has(itemId);
  return (
    <section id={`turn-${number}`} aria-label={`Turn ${number}`}>
      <TurnHead turn={turn} tokens={tokens} number={number} />
      {entries.map((entry, index) => (
        <article key={index} id={`turn-${number}-${index + 1}`}>
          {entry.kind === "hook" ? (
            <Line icon="hook" tone="fg-hook">
              <HookRun run={entry.run} href={null} />
            </Line>
          ) : (
            <PageItem item={entry.item} isOpen={entry.isOpen} />
          )}
          {decisions
            .filter(({ itemId }) => itemId === entry.id)
            .map((decision) => (
              <DecisionLine key={decision.id} decision={decision} isBesideItem />
            ))}
        </article>
      ))}
      {decisions.filter(isElsewhere).map((decision) => (
        <DecisionLine key={decision.id} decision={decision} isBesideItem={false} />
      ))}
      {plan.length > 0 && <PlanSteps plan={plan} />}
      <TurnFailure turn={turn} />
    </section>
  );
}

/** Items and hooks in the order in which the console shows them. */
function entriesOf(turn: PageTurn["turn"]): readonly Entry[] {
  const model = new ThreadModel();
  model.addPage([turn]);
  return (model.turns[0]?.entries ?? []).filter((entry) => !isHidden(entry));
}

const ENDS = {
  completed: null,
  interrupted: "interrupted",
  failed: "failed",
  inProgress: "not ended",
} as const;

function TurnHead({ turn, tokens, number }: Pick<PageTurn, "turn" | "tokens"> & { number: number }) {
  const { startedAt, durationMs, status } = turn;
  const facts = [
    durationMs === null ? null : durationText(durationMs),
    ENDS[status],
    tokens === null ? null : tokensText(tokens),
  ];
  return (
    <h2 class="turn">
      <span>
        Turn {number}
        {startedAt !== null && (
          <>
            {" · "}
            <Time seconds={startedAt} />
          </>
        )}
        {facts.map((fact) => (fact === null ? "" : ` · ${fact}`)).join("")}
      </span>
    </h2>
  );
}
