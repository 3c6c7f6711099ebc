// What was left out, by reason: how often, and where first.

export interface SkipReason {
  readonly reason: string;
  readonly count: number;
  /** `file:line`, or a file. */
  readonly first: string;
}

export interface SkipTally {
  add(reason: string, place: string): void;
  /** The most frequent first. */
  readonly all: readonly SkipReason[];
}

export function createSkipTally(): SkipTally {
  const known = new Map<string, SkipReason>();
  return {
    add(reason, place) {
      const before = known.get(reason);
      known.set(reason, { reason, count: (before?.count ?? 0) + 1, first: before?.first ?? place });
    },
    get all() {
      return [...known.values()].sort((one, other) => other.count - one.count);
    },
  };
}
