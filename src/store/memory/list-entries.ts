// A list of threads out of plain entries.
import { positionOf, type ThreadEntry, type ThreadQuery } from "../history-index.ts";
import { matchingKinds } from "../source-kind.ts";

type Place = ReturnType<typeof positionOf>;

export function listEntries(entries: readonly ThreadEntry[], query: ThreadQuery): ThreadEntry[] {
  const { from, direction } = query;
  const sign = direction === "asc" ? 1 : -1;
  const compare = (one: Place, other: Place) =>
    sign * (one.value - other.value || (one.id < other.id ? -1 : one.id > other.id ? 1 : 0));
  return entries
    .filter((entry) => matches(entry, query) && isBelow(entry, query.ancestorThreadId, entries))
    .map((entry) => ({ entry, key: positionOf(entry, query) }))
    .filter(({ key }) => from === null || compare(key, from) > (from.inclusive ? -1 : 0))
    .sort((one, other) => compare(one.key, other.key))
    .slice(0, query.limit)
    .map(({ entry }) => entry);
}

function matches(entry: ThreadEntry, query: ThreadQuery): boolean {
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
    !(query.excludedIds ?? []).includes(row.threadId) &&
    belongs(entry, query)
  );
}

function belongs({ row, details }: ThreadEntry, query: ThreadQuery): boolean {
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
  { row }: ThreadEntry,
  ancestor: string | null | undefined,
  entries: readonly ThreadEntry[],
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
