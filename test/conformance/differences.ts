/** Reads the list of meant differences and decides which of the differences found are in it. */
import type { Difference } from "./compare.ts";
import data from "./differences.json" with { type: "json" };
import { globToRegExp } from "./glob.ts";

/**
 * Why a difference is meant: Heddle has something `more`, is `safer`, is a different program (`identity`), leaves
 * something out (`omission`), repairs what is a mistake in the peer (`repair`), or does not do it yet (`later`).
 */
export type DifferenceKind = "more" | "safer" | "identity" | "omission" | "repair" | "later";

export type MeantDifference = {
  readonly id: string;
  readonly kind: DifferenceKind;
  /** Patterns; see glob.ts. */
  readonly scenario: string;
  readonly message: string;
  readonly pointer: string;
  /** What a reader of the compatibility page is told. */
  readonly reason: string;
};

export type Omission = {
  readonly id: string;
  readonly what: string;
  readonly reason: string;
  /** The peer's test modules that are about it. */
  readonly modules: readonly string[];
};

export type Sorted = { readonly meant: readonly string[]; readonly unexpected: readonly Difference[] };

export const meantDifferences = data.differences as readonly MeantDifference[];
export const omissions = data.omissions as readonly Omission[];

export function sortDifferences(
  scenario: string,
  found: readonly Difference[],
  list: readonly MeantDifference[] = meantDifferences,
): Sorted {
  const here = list
    .filter((each) => globToRegExp(each.scenario).test(scenario))
    .map((each) => ({
      id: each.id,
      message: globToRegExp(each.message),
      pointer: globToRegExp(each.pointer),
    }));
  const meant = new Set<string>();
  const unexpected = found.filter((difference) => {
    const entries = here.filter(
      (each) => each.message.test(difference.message) && each.pointer.test(difference.pointer),
    );
    for (const { id } of entries) meant.add(id);
    return entries.length === 0;
  });
  return { meant: [...meant], unexpected };
}
