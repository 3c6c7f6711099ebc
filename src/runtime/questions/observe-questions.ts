import type { Decisions } from "../../store/decisions.ts";

/** Returns decisions that call back with each question that was asked, answered or closed. */
export function observeQuestions(decisions: Decisions, onChange: (number: number) => void): Decisions {
  return {
    ...decisions,
    async open(...given) {
      const recorded = await decisions.open(...given);
      if (recorded.kind === "kept") onChange(recorded.decision.number);
      return recorded;
    },
    async answer(asked, ...given) {
      const answered = await decisions.answer(asked, ...given);
      if (answered.kind === "first") onChange(asked.number);
      return answered;
    },
    async close(source, asked, verdict) {
      const closed = await decisions.close(source, asked, verdict);
      if (closed.kind === "closed") onChange(asked.number);
      return closed;
    },
  };
}
