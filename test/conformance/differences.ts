/** Reads the list of meant differences: what is left out of the comparison, and what it may find. */
import { isObject, pointerOf } from "../support/json.ts";
import type { Difference } from "./compare.ts";
import data from "./differences.json" with { type: "json" };
import { globToRegExp } from "./glob.ts";
import type { Recording } from "./recording.ts";

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
  /** What the differing value must contain as text, where the place alone says too little. */
  readonly text?: string;
  /** What a reader of the compatibility page is told. */
  readonly reason: string;
};

/** A member that Heddle has wherever there is a place for it, and the peer nowhere: it is not compared. */
export type Addition = {
  readonly id: string;
  /** A pattern; see glob.ts. */
  readonly pointer: string;
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

export const additions: readonly Addition[] = data.additions;
export const meantDifferences = data.differences as readonly MeantDifference[];
export const omissions = data.omissions as readonly Omission[];

/**
 * Heddle's recording without what it adds everywhere, and which additions were in it. A peer that has such a member
 * too is then the one that has more, which is a difference.
 */
export function leaveOutAdditions(
  recording: Recording,
  list: readonly Addition[] = additions,
): { readonly recording: Recording; readonly seen: readonly string[] } {
  const rules = list.map(({ id, pointer }) => ({ id, pointer: globToRegExp(pointer) }));
  const seen = new Set<string>();

  function walk(value: unknown, path: readonly string[]): unknown {
    if (Array.isArray(value)) return value.map((each, index) => walk(each, [...path, String(index)]));
    if (!isObject(value)) return value;
    const kept = Object.entries(value).filter(([key]) => {
      const rule = rules.find(({ pointer }) => pointer.test(pointerOf([...path, key])));
      if (rule !== undefined) seen.add(rule.id);
      return rule === undefined;
    });
    return Object.fromEntries(kept.map(([key, each]) => [key, walk(each, [...path, key])]));
  }

  const entries = recording.entries.map((entry) => ({ ...entry, value: walk(entry.value, []) }));
  return { recording: { ...recording, entries }, seen: [...seen] };
}

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
      text: each.text ?? "",
    }));
  const meant = new Set<string>();
  const unexpected = found.filter((difference) => {
    const entries = here.filter(
      (each) =>
        each.message.test(difference.message) &&
        each.pointer.test(difference.pointer) &&
        textOf(difference).includes(each.text),
    );
    for (const { id } of entries) meant.add(id);
    return entries.length === 0;
  });
  return { meant: [...meant], unexpected };
}

function textOf({ peer, heddle }: Difference): string {
  return JSON.stringify([peer ?? null, heddle ?? null]);
}
