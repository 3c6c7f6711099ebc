/**
 * The port for sums over all threads: tokens that were spent, and runs of hooks. They follow from the lines of threads,
 * which are counted after they were written and never twice, so that a turn costs nothing for them. Tokens stay counted
 * when their turn is reverted or their thread is deleted; what a fork copies is not counted again.
 */
import type { HookRunSummary, TokenUsageBreakdown } from "../protocol/generated/types.ts";

export interface Activity {
  /** Counts lines that were written since, for about this time; call it again while segments are pending. */
  catchUp(maxMs: number): Promise<{ readonly pending: number }>;
  /** Sums of a time by model, and by folder if wanted. */
  spent(
    range: SlotRange,
    by: { readonly folder: boolean },
    owner?: OwnerFilter,
  ): Promise<readonly SpentSum[]>;
  /** How many threads have spent tokens in a time, by folder and model if wanted. */
  spenders(
    range: SlotRange,
    by: { readonly folder: boolean; readonly model: boolean },
    owner?: OwnerFilter,
  ): Promise<readonly SpenderCount[]>;
  /** Runs of hooks, the last one that began first. */
  hookRuns(query: HookRunQuery): Promise<readonly StoredHookRun[]>;
  /** The outcomes and durations of all runs that are kept. */
  hookTimings(owner?: OwnerFilter): Promise<readonly HookTiming[]>;
}

/** The owner of the counted threads; null for all threads. */
export type OwnerFilter = string | null;

/** Sums are kept for each quarter of an hour, which days of all time zones consist of. */
export const SLOT_MS = 15 * 60 * 1000;

/** Numbers of slots since 1970; the end is exclusive. */
export interface SlotRange {
  readonly from: number;
  readonly to: number;
}

export interface SpentSum extends TokenUsageBreakdown {
  /** Null unless grouped by it. */
  readonly folder: string | null;
  readonly model: string;
  readonly turns: number;
}

export interface SpenderCount {
  readonly folder: string | null;
  readonly model: string | null;
  readonly threads: number;
}

export interface StoredHookRun {
  readonly number: number;
  readonly threadId: string;
  readonly turnId: string;
  readonly run: HookRunSummary;
}

/** Each member narrows the search. */
export interface HookRunQuery {
  readonly owner?: OwnerFilter;
  readonly threadId?: string | null;
  readonly eventName?: string | null;
  readonly status?: string | null;
  readonly sourcePath?: string | null;
  readonly displayOrder?: number | null;
  /** The run that the page before ended with. */
  readonly before?: { readonly startedAt: number; readonly number: number } | null;
  readonly limit: number;
}

export type HookTiming = Pick<
  HookRunSummary,
  "eventName" | "sourcePath" | "displayOrder" | "status" | "durationMs"
>;

/** Beyond it the runs that began first are dropped. */
export const MAX_HOOK_RUNS = 10_000;
/** Beyond it sums are dropped. */
export const MAX_USAGE_DAYS = 400;

const MAX_ENTRIES = 20;
const MAX_ENTRY_CHARACTERS = 2000;

/** A run as it is kept: hooks may say much. */
export function clipHookRun(run: HookRunSummary): HookRunSummary {
  const entries = run.entries.slice(0, MAX_ENTRIES).map(({ kind, text }) => ({
    kind,
    text: text.length > MAX_ENTRY_CHARACTERS ? `${text.slice(0, MAX_ENTRY_CHARACTERS)}…` : text,
  }));
  return { ...run, entries };
}
