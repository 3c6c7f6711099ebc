/** The files that a search has found, and the best of them for its query. */
import { basename, resolve } from "node:path";
import { type FileMatch, MAX_MATCHES } from "./file-search.ts";
import { type Haystack, toHaystack } from "./haystack.ts";
import { matchQuery, parseQuery, type Query } from "./query.ts";
import type { FoundFile } from "./walk-files.ts";

interface Entry {
  readonly root: Root;
  readonly path: string;
  readonly isFolder: boolean;
  readonly haystack: Haystack;
}

interface Root {
  readonly given: string;
  readonly path: string;
}

interface Ranked {
  readonly entry: Entry;
  readonly order: number;
  readonly score: number;
}

export interface FileIndex {
  readonly size: () => number;
  add(found: readonly FoundFile[]): void;
  ask(query: string): void;
  /** Looks at the next files, so many at most; false when there are none. */
  look(count: number): boolean;
  /** The best of those that were looked at, best first. */
  best(): FileMatch[];
}

export function createFileIndex(roots: readonly string[], cwd: string): FileIndex {
  const places = roots.map((given): Root => ({ given, path: resolve(cwd, given) }));
  const entries: Entry[] = [];
  let query: Query = [];
  let isAsked = false;
  let next = 0;
  let ranked: Ranked[] = [];

  function rank(entry: Entry, order: number): void {
    const match = matchQuery(query, entry.haystack);
    if (match === null) return;
    const one = { entry, order, score: match.score };
    const worst = ranked[MAX_MATCHES - 1];
    if (worst !== undefined && compareRank(one, worst) > 0) return;
    const at = ranked.findIndex((other) => compareRank(one, other) < 0);
    ranked.splice(at === -1 ? ranked.length : at, 0, one);
    ranked.length = Math.min(ranked.length, MAX_MATCHES);
  }

  return {
    size: () => entries.length,
    add(found) {
      for (const { path, isFolder } of found) {
        const root = closestRoot(places, path);
        const below = root === null ? "" : path.slice(root.path === "/" ? 1 : root.path.length + 1);
        if (root === null || below === "") continue;
        entries.push({ root, path: below, isFolder, haystack: toHaystack(below) });
      }
    },
    ask(text) {
      query = parseQuery(text);
      isAsked = text !== "";
      next = 0;
      ranked = [];
    },
    look(count) {
      const end = isAsked ? Math.min(entries.length, next + count) : entries.length;
      const hadMore = next < end;
      for (; next < end; next += 1) {
        const entry = entries[next];
        if (isAsked && entry !== undefined) rank(entry, next);
      }
      return hadMore;
    },
    best: () => ranked.map(({ entry, score }) => toMatch(entry, score, query)).sort(compareMatch),
  };
}

/** A file in two roots belongs to the deeper one. */
function closestRoot(roots: readonly Root[], path: string): Root | null {
  let best: Root | null = null;
  for (const root of roots) {
    if ((best === null || root.path.length > best.path.length) && isAround(root, path)) best = root;
  }
  return best;
}

function isAround(root: Root, path: string): boolean {
  if (!path.startsWith(root.path)) return false;
  return path.length === root.path.length || root.path === "/" || path.charAt(root.path.length) === "/";
}

/** Of equals the shorter path is chosen, and then the one that was found first. */
function compareRank(one: Ranked, other: Ranked): number {
  return (
    other.score - one.score ||
    one.entry.haystack.text.length - other.entry.haystack.text.length ||
    one.order - other.order
  );
}

function compareMatch(one: FileMatch, other: FileMatch): number {
  return other.score - one.score || (one.path < other.path ? -1 : 1);
}

function toMatch({ root, path, isFolder, haystack }: Entry, score: number, query: Query): FileMatch {
  return {
    root: root.given,
    path,
    match_type: isFolder ? "directory" : "file",
    file_name: basename(path),
    score,
    indices: [...(matchQuery(query, haystack)?.indices ?? [])],
  };
}
