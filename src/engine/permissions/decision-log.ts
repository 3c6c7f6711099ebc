import { AppError } from "../../base/errors.ts";
import type {
  AskedDecision,
  Decisions,
  NewDecisionRequest,
  NewVerdict,
  Verdict,
} from "../../store/decisions.ts";
import type { WriterFence } from "../../store/leases.ts";

/** The decisions of one thread. Writes throw where another process holds the lease. */
export interface DecisionLog {
  record(request: NewDecisionRequest, verdict: NewVerdict): Promise<void>;
  open(request: NewDecisionRequest): Promise<AskedDecision>;
  answer(asked: AskedDecision, verdict: NewVerdict): Promise<void>;
  /** Returns the verdict that counts; null where the decision was already closed. */
  close(asked: AskedDecision, verdict: NewVerdict): Promise<Verdict | null>;
}

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
    open: async (request) => (await writeFenced((all, fence) => all.open(fence, request))).decision,
    answer: async (asked, verdict) => void (await (await decisions()).answer(asked, verdict)),
    async close(asked, verdict) {
      const outcome = await writeFenced((all, fence) => all.close(fence, asked, verdict));
      return outcome.kind === "closed" ? outcome.verdict : null;
    },
  };
}
