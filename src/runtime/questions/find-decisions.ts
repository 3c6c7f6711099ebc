/** Searches the log of decisions. */

import { setImmediate } from "node:timers/promises";
import type { Awaitable } from "../../base/awaitable.ts";
import { joinWords } from "../../base/shlex.ts";
import type { DecidedBy, DecisionQuery, StoredDecision, Subject, Verdict } from "../../store/decisions.ts";

/** Each member narrows the search. */
export interface DecisionFilter {
  readonly threadId?: string | null;
  readonly outcome?: Verdict["outcome"] | "open" | null;
  readonly by?: DecidedBy["kind"] | null;
  readonly kind?: Subject["kind"] | null;
  /** Found in the subject, in the reason, and in the name of who decided, in upper or lower case. */
  readonly text?: string | null;
  /** Times of the request; the first is inclusive. */
  readonly sinceMs?: number | null;
  readonly untilMs?: number | null;
  /** Whether decisions of a thread are found. */
  readonly mayRead?: ((threadId: string) => Awaitable<boolean>) | null;
}

export interface DecisionSearch extends DecisionFilter {
  /** Only those with a smaller number. */
  readonly before?: number | null;
  readonly limit: number;
}

export interface FoundDecisions {
  /** Newest first. */
  readonly data: readonly StoredDecision[];
  /** Whether there may be more. */
  readonly hasMore: boolean;
}

/** Read between two turns of the event loop, so that a search of the whole log does not delay other requests. */
const SLICE = 500;

export const MAX_SEARCH_TEXT = 256;

export async function findDecisions(
  list: (query: DecisionQuery) => Promise<readonly StoredDecision[]>,
  { threadId, before, limit, mayRead = null, ...filter }: DecisionSearch,
): Promise<FoundDecisions> {
  const matches = toPredicate(filter);
  const found: StoredDecision[] = [];
  let next = before ?? null;
  for (;;) {
    const slice = await list({
      ...(threadId != null && { threadId }),
      ...(next !== null && { before: next }),
      limit: SLICE,
    });
    for (const each of slice) {
      if (!matches(each) || (mayRead !== null && !(await mayRead(each.threadId)))) continue;
      if (found.length === limit) return { data: found, hasMore: true };
      found.push(each);
    }
    next = slice.at(-1)?.number ?? null;
    if (slice.length < SLICE || next === null) return { data: found, hasMore: false };
    await setImmediate();
  }
}

function toPredicate({ outcome, by, kind, text, sinceMs, untilMs }: Omit<DecisionFilter, "mayRead">) {
  const words = text == null || text === "" ? null : text.toLowerCase();
  return (decision: StoredDecision): boolean => {
    const { verdict, subject, atMs } = decision;
    if (outcome != null && (verdict?.outcome ?? "open") !== outcome) return false;
    if (by != null && verdict?.by.kind !== by) return false;
    if (kind != null && subject.kind !== kind) return false;
    if (sinceMs != null && atMs < sinceMs) return false;
    if (untilMs != null && atMs >= untilMs) return false;
    return words === null || textsOf(decision).some((each) => each.toLowerCase().includes(words));
  };
}

function textsOf({ subject, verdict }: StoredDecision): readonly string[] {
  const { reason = null, by } = verdict ?? {};
  const who = by?.kind === "client" ? [by.name ?? "", by.subject ?? ""] : [];
  return [...textsOfSubject(subject), ...(reason === null ? [] : [reason]), ...who];
}

function textsOfSubject(subject: Subject): readonly string[] {
  switch (subject.kind) {
    case "command":
      return [joinWords(subject.argv), subject.cwd];
    case "fileChange":
      return subject.paths;
    case "mcpTool":
      return [subject.server, subject.tool];
    case "permissions":
      return [...subject.read, ...subject.write];
  }
}
