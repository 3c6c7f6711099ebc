/** A range of sequence numbers of a run, inclusive, whose receipts are missing. */
export interface SequenceGap {
  readonly run_id: string;
  readonly from: number;
  readonly to: number;
}

/** Returns the missing numbers from 1 to `last`. */
export function findGaps(runId: string, sequences: readonly number[], last: number): SequenceGap[] {
  const gaps: SequenceGap[] = [];
  let expected = 1;
  for (const sequence of sequences.toSorted((one, other) => one - other)) {
    if (sequence > expected) gaps.push({ run_id: runId, from: expected, to: sequence - 1 });
    expected = Math.max(expected, sequence + 1);
  }
  if (expected <= last) gaps.push({ run_id: runId, from: expected, to: last });
  return gaps;
}

export interface GapDetector {
  /** Returns the gap between this receipt and the one before it of the same run; null where there is none. */
  observe(receipt: {
    readonly harness_run_id?: string;
    readonly sequence: number | null;
  }): SequenceGap | null;
}

/** The limit of tracked runs; the least recently active one is dropped. */
const MAX_RUNS = 10_000;

/** Detects gaps in a stream of receipts, without a ledger. The first receipt of a run may have any number. */
export function createGapDetector(mostRuns = MAX_RUNS): GapDetector {
  const last = new Map<string, number>();
  return {
    observe({ harness_run_id: runId, sequence }) {
      if (runId === undefined || sequence === null) return null;
      const before = last.get(runId);
      last.delete(runId);
      last.set(runId, Math.max(before ?? 0, sequence));
      const [oldest] = last.keys();
      if (last.size > mostRuns && oldest !== undefined) last.delete(oldest);
      return before !== undefined && sequence > before + 1
        ? { run_id: runId, from: before + 1, to: sequence - 1 }
        : null;
    },
  };
}
