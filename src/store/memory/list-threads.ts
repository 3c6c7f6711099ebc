/** Lists and searches of threads in memory. */
import type { ThreadSourceKind } from "../../protocol/generated/types.ts";
import { matchingKinds } from "../lines/session-source.ts";
import type { ThreadFacts } from "../lines/thread-facts.ts";
import { lineText, snippetIn } from "../pages/snippet.ts";
import { type ListedThread, positionOf, type ThreadQuery } from "../pages/thread-list.ts";
import type { ThreadDetails } from "../thread-store.ts";
import type { MemoryThread } from "./memory-thread.ts";

/** The fields that filters match. */
interface ListEntry {
  readonly row: ListedThread & {
    readonly archived: boolean;
    readonly sourceKind: ThreadSourceKind;
    readonly facts: ThreadFacts;
  };
  readonly details: ThreadDetails;
}

export function listMemory(threads: ReadonlyMap<string, MemoryThread>, query: ThreadQuery): MemoryThread[] {
  const entries = [...threads.values()].map((thread) => ({
    row: { ...listed(thread), archived: thread.archived, sourceKind: thread.sourceKind },
    details: thread.details,
    thread,
  }));
  return listEntries(entries, query).map(({ thread }) => thread);
}

export function listed(thread: MemoryThread) {
  const { facts } = thread.state;
  const { id: threadId, recencyAtMs } = thread;
  return { threadId, createdOrderMs: facts.createdAtMs, recencyAtMs, facts };
}

/** The snippet of a search result: the first message with the term, else the preview or the name. */
export function findSnippet({ lines, state, details }: MemoryThread, term: string): string | null {
  for (const { line } of lines) {
    const snippet = snippetIn(lineText(JSON.stringify(line)) ?? "", term);
    if (snippet !== null) return snippet;
  }
  return snippetIn(state.facts.preview, term) ?? snippetIn(details.name ?? "", term);
}

/** All descendants of a thread, nearest first. */
export function descendantsOf(threads: ReadonlyMap<string, MemoryThread>, threadId: string): string[] {
  const found = [threadId];
  for (const id of found) {
    for (const { id: childId, state } of threads.values())
      if (state.facts.parentThreadId === id && !found.includes(childId)) found.push(childId);
  }
  return found.slice(1);
}

type SortKey = ReturnType<typeof positionOf>;

function listEntries<E extends ListEntry>(entries: readonly E[], query: ThreadQuery): E[] {
  const { from, direction } = query;
  const sign = direction === "asc" ? 1 : -1;
  const compare = (one: SortKey, other: SortKey) =>
    sign * (one.value - other.value || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0));
  return entries
    .filter((entry) => matches(entry, query) && isBelow(entry, query.ancestorThreadId, entries))
    .map((entry) => ({ entry, key: positionOf(entry.row, query) }))
    .filter(({ key }) => from === null || compare(key, from) > (from.inclusive ? -1 : 0))
    .sort((one, other) => compare(one.key, other.key))
    .slice(0, query.limit)
    .map(({ entry }) => entry);
}

function matches(entry: ListEntry, query: ThreadQuery): boolean {
  const { row } = entry;
  const { facts } = row;
  const kinds = query.sourceKinds == null ? null : matchingKinds(query.sourceKinds);
  return (
    facts.preview !== "" &&
    row.archived === query.archived &&
    isIn(facts.cwd, query.cwds) &&
    isIn(row.sourceKind, kinds) &&
    isIn(facts.modelProvider, query.modelProviders) &&
    isIn(facts.originator, query.originators) &&
    (query.owner == null || facts.owner === query.owner) &&
    !(query.excludedIds ?? []).includes(row.threadId) &&
    belongs(entry, query)
  );
}

function belongs({ row, details }: ListEntry, query: ThreadQuery): boolean {
  const { searchTerm, projectId, parentThreadId } = query;
  const { facts } = row;
  return (
    (searchTerm == null || [details.name ?? "", facts.preview].some((text) => text.includes(searchTerm))) &&
    (projectId == null || details.projectId === projectId) &&
    (parentThreadId == null || facts.parentThreadId === parentThreadId)
  );
}

function isIn(value: string, allowed: readonly string[] | null | undefined): boolean {
  return allowed == null || allowed.includes(value);
}

function isBelow(
  { row }: ListEntry,
  ancestor: string | null | undefined,
  entries: readonly ListEntry[],
): boolean {
  if (ancestor == null) return true;
  const parents = new Map(entries.map((entry) => [entry.row.threadId, entry.row.facts.parentThreadId]));
  const seen = new Set<string>();
  let parent = row.facts.parentThreadId;
  while (parent !== null && !seen.has(parent)) {
    if (parent === ancestor) return true;
    seen.add(parent);
    parent = parents.get(parent) ?? null;
  }
  return false;
}
