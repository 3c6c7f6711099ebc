/** Renders the result of `heddle gc`: one line per thread, or JSON. */
import { type Collection, type Fate, type HomeFamily, WITHIN_LIMITS } from "../../store/open/collect-home.ts";
import type { Paint } from "../command-line/paint.ts";
import { clip, formatAge } from "../command-line/terminal-text.ts";

export interface CollectionLayout {
  readonly nowMs: number;
  readonly columns: number | undefined;
  readonly paint: Paint;
}

const ACTIONS = ["delete", "archive", "pack"] as const;
const DONE = { delete: "deleted", archive: "archived", pack: "packed" } as const;
const MIN_TITLE_WIDTH = 12;

export function renderCollection(
  collection: Collection,
  isDone: boolean,
  { nowMs, columns = 120, paint }: CollectionLayout,
): string {
  const { fates, applied, leftovers } = collection;
  const left = new Map(applied.map((each) => [each.fate.family.rootId, each.left]));
  const rows = fates.filter(({ kind, why }) => kind !== "keep" || why !== WITHIN_LIMITS);
  const lines = rows.map(({ family, kind, why }) => {
    const failed = left.get(family.rootId) ?? null;
    const action = (failed === null ? kind : "keep").padEnd(7);
    const age = formatAge(nowMs - family.lastActiveMs).padStart(5);
    const start = `${family.rootId}  ${age}  ${formatBytes(family.bytes).padStart(8)}  ${failed ?? why}`;
    const title = clip(titleOf(family), Math.max(MIN_TITLE_WIDTH, columns - start.length - 11));
    return `${failed === null && kind === "delete" ? paint.bad(action) : action}  ${start}  ${paint.faint(title)}`;
  });
  for (const { path, bytes, what } of leftovers)
    lines.push(`${"remove".padEnd(7)}  ${clip(path, 200)}  ${formatBytes(bytes)}  ${what}`);
  return [...lines, summary(collection, isDone), ""].join("\n");
}

function summary({ fates, applied, leftovers, bytes, bytesAfter }: Collection, isDone: boolean): string {
  const left = new Set(applied.filter((each) => each.left !== null).map(({ fate }) => fate));
  const counts = ACTIONS.map((action) => {
    const some = fates.filter((fate) => fate.kind === action && !left.has(fate));
    const threads = some.reduce((sum, { family }) => sum + family.threads.length, 0);
    return `${threads} ${isDone ? "" : "would be "}${DONE[action]}`;
  });
  const kept = fates.filter((fate) => fate.kind === "keep" || left.has(fate));
  const threads = kept.reduce((sum, { family }) => sum + family.threads.length, 0);
  const size =
    bytesAfter === null ? formatBytes(bytes) : `${formatBytes(bytesAfter)} of ${formatBytes(bytes)}`;
  const files =
    leftovers.length === 0 ? "" : `; ${leftovers.length} other files ${isDone ? "" : "would be "}removed`;
  return `threads: ${counts.join(", ")}, ${threads} stay as they are; ${size} in use${files}`;
}

export function collectionToJson(
  { fates, applied, leftovers, bytes, bytesAfter }: Collection,
  isDone: boolean,
) {
  const left = new Map(applied.map((each) => [each.fate.family.rootId, each.left]));
  return {
    dryRun: !isDone,
    bytes,
    bytesAfter,
    threads: fates.map(({ family, kind, why }: Fate<HomeFamily>) => ({
      threadId: family.rootId,
      threadIds: family.threads.map(({ threadId }) => threadId),
      action: kind,
      reason: why,
      left: left.get(family.rootId) ?? null,
      bytes: family.bytes,
      lastActiveAt: Math.floor(family.lastActiveMs / 1000),
      archived: family.archivedSinceMs !== null,
    })),
    leftovers,
  };
}

function titleOf({ threads }: HomeFamily): string {
  const title = (threads[0]?.title ?? "").slice(0, 500).replaceAll(/\s+/g, " ").trim();
  return threads.length === 1 ? title : `${title} (+${threads.length - 1})`;
}

const UNITS = ["B", "KB", "MB", "GB", "TB"] as const;

export function formatBytes(bytes: number): string {
  const power = bytes < 1024 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(power === 0 ? 0 : 1)} ${UNITS[power]}`;
}
