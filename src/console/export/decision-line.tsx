/** A question of a turn, or what was decided without one. */
import type { Decision } from "../../protocol/generated/types.ts";
import { Line } from "../parts/line.tsx";
import { deciderOf, describeOutcome, detailsOf, whatOf } from "../text/describe-decision.ts";
import { VisibleText } from "../ui/visible-text.tsx";
import { Time } from "./page-words.tsx";

/** Beside its item it does not repeat what the item says. */
export function DecisionLine({ decision, isBesideItem }: { decision: Decision; isBesideItem: boolean }) {
  const { words, tone } = describeOutcome(decision);
  const { text, isCode } = whatOf(decision);
  const { verdict, requestedAt } = decision;
  const What = isCode ? "code" : "span";
  return (
    <Line icon="shield">
      <div class="hookrun">
        <span class={`chip ${tone}`}>{verdict === null ? "open question" : words}</span>
        {!isBesideItem && (
          <What class="wraps">
            <VisibleText text={text} />
          </What>
        )}
        <span>
          {verdict !== null && `by ${deciderOf(decision)}, `}
          <Time seconds={verdict?.decidedAt ?? requestedAt} />
        </span>
        {detailsOf(decision).map((detail) => (
          <span key={detail} class="why1 wraps" dir="auto">
            <VisibleText text={detail} />
          </span>
        ))}
      </div>
    </Line>
  );
}
