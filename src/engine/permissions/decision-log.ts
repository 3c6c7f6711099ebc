import { AppError } from "../../base/errors.ts";
import type {
  AskedDecision,
  Decisions,
  NewDecisionRequest,
  NewVerdict,
  Verdict,
} from "../../store/decisions.ts";
import type { WriterFence } from "../../store/leases.ts";

/** The decisions of one thread. Writing throws where another process holds the thread. */
export interface DecisionLog {
  record(request: NewDecisionRequest, verdict: NewVerdict): Promise<void>;
  open(request: NewDecisionRequest): Promise<AskedDecision>;
  answer(asked: AskedDecision, verdict: NewVerdict): Promise<void>;
  /** The verdict that counts; null when it was closed before. */
  close(asked: AskedDecision, verdict: NewVerdict): Promise<Verdict | null>;
}

/** `writer` is null while the thread has no lease. */
export function decisionLogOf(
  decisions: () => Promise<Decisions>,
  writer: () => WriterFence | null,
): DecisionLog {
  async function of<T extends { readonly kind: string }>(
    write: (all: Decisions, fence: WriterFence) => Promise<T>,
  ): Promise<Exclude<T, { readonly kind: "fenced" }>> {
    const fence = writer();
    const outcome = fence === null ? null : await write(await decisions(), fence);
    if (outcome === null || outcome.kind === "fenced")
      throw new AppError("decisions.fenced", "this process does not hold the thread");
    return outcome as Exclude<T, { readonly kind: "fenced" }>;
  }

  return {
    record: async (request, verdict) => void (await of((all, fence) => all.record(fence, request, verdict))),
    open: async (request) => (await of((all, fence) => all.open(fence, request))).decision,
    answer: async (asked, verdict) => void (await (await decisions()).answer(asked, verdict)),
    async close(asked, verdict) {
      const outcome = await of((all, fence) => all.close(fence, asked, verdict));
      return outcome.kind === "closed" ? outcome.verdict : null;
    },
  };
}
