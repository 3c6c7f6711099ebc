/** What can be wrong with the files of a history, and what is to be done about it. */

export type FaultKind =
  | "tornLine"
  | "badLine"
  | "byteOrderMark"
  | "missingNewline"
  | "wrongOrdinal"
  | "wrongId"
  | "missingBase"
  | "duplicate"
  | "empty"
  | "misnamed"
  | "leftover"
  | "unreadable";

export interface Fault {
  readonly kind: FaultKind;
  readonly path: string;
  /** Counted from 1; null when the whole file is meant. */
  readonly lineNumber: number | null;
  readonly says: string;
  /** What mends it; null when it can only be told. */
  readonly cure: string | null;
}

/** What became of a fault. */
export type FaultState =
  | { readonly kind: "found" }
  | { readonly kind: "mended"; readonly keptAs: string | null }
  /** Somebody is at work on the file, or it cannot be mended without harm to others. */
  | { readonly kind: "left"; readonly why: string };

export interface FaultReport extends Fault {
  readonly state: FaultState;
}

export const REPAIR_SUFFIX = ".heddle-repair";
export const IMPORT_SUFFIX = ".heddle-import";

/** A name for what was in the way, which no program takes for a rollout. */
export function backupName(path: string, nowMs: number): string {
  return `${path}.bak-${new Date(nowMs).toISOString().slice(0, 23).replaceAll(/[:.]/g, "-")}`;
}
