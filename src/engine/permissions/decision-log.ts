import { AppError } from "../../base/errors.ts";
import type { JsonObject } from "../../base/json-object.ts";
import type {
  AskedDecision,
  ClosedDecision,
  Decisions,
  KeptQuestion,
  NewDecisionRequest,
  NewVerdict,
  StoredAnswer,
} from "../../store/decisions.ts";
import type { WriterFence } from "../../store/leases.ts";

/** The decisions of one thread. Writes throw where another process holds the lease. */
export interface DecisionLog {
  record(request: NewDecisionRequest, verdict: NewVerdict): Promise<void>;
  open(request: NewDecisionRequest, question?: KeptQuestion | null): Promise<AskedDecision>;
  /** Null where it is the first answer, or else the answer that was first; undefined where the decision is closed. */
  answer(
    asked: AskedDecision,
    verdict: NewVerdict,
    result: JsonObject | null,
  ): Promise<StoredAnswer | null | undefined>;
  /** The answer that waits to take effect; null if there is none. */
  findAnswer(asked: AskedDecision): Promise<StoredAnswer | null>;
  /** Returns the verdict that counts; null where the decision was already closed. */
  close(asked: AskedDecision, verdict: NewVerdict): Promise<ClosedQuestion | null>;
}

/** A closed decision, with the verdict that counts. */
export type ClosedQuestion = Extract<ClosedDecision, { kind: "closed" }>;

/** `writer` is null while the thread has no lease. */
export function decisionLogOf(
  decisions: () => Promise<Decisions>,
  writer: () => WriterFence | null,
): DecisionLog {
  async function writeFenced<T extends { readonly kind: string }>(
    write: (all: Decisions, fence: WriterFence) => Promise<T>,
  ): Promise<Exclude<T, { readonly kind: "fenced" }>> {
    const fence = writer();
    const outcome = fence === null ? null : await write(await decisions(), fence);
    if (outcome === null || outcome.kind === "fenced")
      throw new AppError(
        "decisions.fenced",
        "the decision was not stored, because this process does not hold the thread's lease",
      );
    return outcome as Exclude<T, { readonly kind: "fenced" }>;
  }

  return {
    record: async (request, verdict) =>
      void (await writeFenced((all, fence) => all.record(fence, request, verdict))),
    open: async (request, question = null) =>
      (await writeFenced((all, fence) => all.open(fence, request, question))).decision,
    async answer(asked, verdict, result) {
      const all = await decisions();
      if ((await all.answer(asked, verdict, result)).kind === "first") return null;
      return (await all.findAnswer(asked)) ?? undefined;
    },
    findAnswer: async (asked) => (await decisions()).findAnswer(asked),
    async close(asked, verdict) {
      const outcome = await writeFenced((all, fence) => all.close(fence, asked, verdict));
      return outcome.kind === "closed" ? outcome : null;
    },
  };
}
