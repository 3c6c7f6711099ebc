import { findGaps, type SequenceGap } from "./gaps.ts";

type Numbered = { readonly harness_run_id?: string; readonly sequence: number | null };

interface Run {
  /** The last number that was given. */
  given: number;
  /** The last one whose receipt made room for others, which is no loss. */
  dropped: number;
  readonly present: Set<number>;
}

/** The numbers of the receipts of each run. The run that was quiet for longest makes room for others. */
export function createRunSequences(mostRuns: number) {
  const runs = new Map<string, Run>();
  const runOf = ({ harness_run_id: id }: Numbered): Run | undefined =>
    id === undefined ? undefined : runs.get(id);
  return {
    /** The next number, and the numbers before it whose receipts are gone. */
    next(runId: string | undefined): { readonly sequence: number | null; readonly gap: SequenceGap | null } {
      if (runId === undefined) return { sequence: null, gap: null };
      const run: Run = runs.get(runId) ?? { given: 0, dropped: 0, present: new Set() };
      let last = run.given;
      while (last > run.dropped && !run.present.has(last)) last -= 1;
      const gap = last < run.given ? { run_id: runId, from: last + 1, to: run.given } : null;
      run.given += 1;
      run.present.add(run.given);
      runs.delete(runId);
      runs.set(runId, run);
      const [oldest] = runs.keys();
      if (runs.size > mostRuns && oldest !== undefined) runs.delete(oldest);
      return { sequence: run.given, gap };
    },
    lose(receipt: Numbered): void {
      if (receipt.sequence !== null) runOf(receipt)?.present.delete(receipt.sequence);
    },
    drop(receipt: Numbered): void {
      const run = runOf(receipt);
      if (run === undefined || receipt.sequence === null) return;
      run.present.delete(receipt.sequence);
      run.dropped = Math.max(run.dropped, receipt.sequence);
    },
    gaps(runId: string): SequenceGap[] {
      const run = runs.get(runId);
      if (run === undefined) return [];
      return findGaps(runId, [...run.present], run.given).flatMap((gap) =>
        gap.to > run.dropped ? [{ ...gap, from: Math.max(gap.from, run.dropped + 1) }] : [],
      );
    },
  };
}
