// Converts the params of thread lists and searches to a query of the store.

import { resolve } from "node:path";
import type {
  ThreadListParams,
  ThreadSearchParams,
  ThreadSourceKind,
} from "../../protocol/generated/types.ts";
import { parseThreadId } from "../../runtime/threads/thread-id.ts";
import { INTERACTIVE_KINDS, matchingKinds } from "../../store/lines/session-source.ts";
import type { ThreadListQuery } from "../../store/thread-store.ts";
import { invalidParams, invalidRequest, unwrap } from "../connections/handler.ts";

const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 100;

export interface ThreadListContext {
  /** Relative folders start from it. */
  readonly cwd: string;
  /** The default provider; lists without a provider filter show only its threads. */
  readonly provider: string;
}

export function pageSize(limit: number | null | undefined, most = MAX_LIMIT): number {
  return Math.min(most, Math.max(1, limit ?? DEFAULT_LIMIT));
}

/** Null if no thread can match: Heddle has no sections and no attachments. */
export function toListQuery(
  params: ThreadListParams,
  { cwd, provider }: ThreadListContext,
): ThreadListQuery | null {
  refuseProject(params.projectId);
  const relation = toRelation(params);
  const { sortKey, sectionId, modelProviders, originators, searchTerm } = params;
  if (sortKey === "section_position" && sectionId == null) {
    throw invalidRequest("section-position sorting requires a section filter");
  }
  const excludedIds = toExcluded(params);
  if (sectionId != null || params.attachedToThreadId != null) return null;
  return {
    ...toPage(params),
    ...(sortKey == null || sortKey === "section_position" ? {} : { order: sortKey }),
    modelProviders: toProviders(modelProviders ?? (relation === null ? [provider] : []), provider),
    sourceKinds: toKinds(params.sourceKinds, relation === null ? INTERACTIVE_KINDS : null),
    originators: orNull(originators ?? []),
    excludedIds: orNull(excludedIds),
    cwds: params.cwd == null ? null : [params.cwd].flat().map((folder) => resolve(cwd, folder)),
    searchTerm: searchTerm === "" ? null : (searchTerm ?? null),
    ...relation,
  };
}

export function toSearchQuery(params: ThreadSearchParams): ThreadListQuery {
  return {
    ...toPage(params),
    ...(params.sortKey == null ? {} : { order: params.sortKey }),
    sourceKinds: toKinds(params.sourceKinds, INTERACTIVE_KINDS),
  };
}

function toPage({ cursor, limit, sortDirection, archived }: ThreadListParams | ThreadSearchParams) {
  return {
    archived: archived ?? false,
    cursor: cursor ?? null,
    limit: pageSize(limit),
    ...(sortDirection == null ? {} : { direction: sortDirection }),
  };
}

/** The requested kinds; `usual` if the param is absent, and interactive kinds for an empty list. */
function toKinds(
  asked: readonly ThreadSourceKind[] | null | undefined,
  usual: readonly ThreadSourceKind[] | null,
): readonly ThreadSourceKind[] | null {
  if (asked == null) return usual;
  return asked.length === 0 ? INTERACTIVE_KINDS : matchingKinds(asked);
}

function toRelation({
  parentThreadId,
  ancestorThreadId,
  attachedToThreadId,
}: ThreadListParams): Pick<ThreadListQuery, "parentThreadId" | "ancestorThreadId"> | null {
  if (parentThreadId != null && ancestorThreadId != null) {
    throw invalidRequest("parentThreadId and ancestorThreadId are mutually exclusive");
  }
  if (attachedToThreadId != null) unwrap(parseThreadId(attachedToThreadId, "attached thread parent id"));
  if (parentThreadId != null)
    return { parentThreadId: unwrap(parseThreadId(parentThreadId, "parent thread id")) };
  if (ancestorThreadId != null) {
    return { ancestorThreadId: unwrap(parseThreadId(ancestorThreadId, "ancestor thread id")) };
  }
  return null;
}

function toExcluded({ excludedThreadIds }: ThreadListParams): string[] {
  return (excludedThreadIds ?? []).map((id) =>
    unwrap(parseThreadId(id, "excluded thread id", "invalidParams")),
  );
}

function refuseProject(projectId: string | null | undefined): void {
  if (projectId == null) return;
  throw invalidParams(projectId === "" ? "projectId must not be empty" : `project not found: ${projectId}`);
}

/** Files without a provider count as threads of the configured one. */
function toProviders(asked: readonly string[], provider: string): readonly string[] | null {
  return orNull(asked.includes(provider) ? [...asked, ""] : asked);
}

function orNull<T>(list: readonly T[]): readonly T[] | null {
  return list.length === 0 ? null : list;
}
