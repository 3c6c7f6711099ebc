/** The files of a search, ranked by its query. */
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
  setQuery(query: string): void;
  /** Matches up to `count` further files; false if there are none. */
  matchNext(count: number): boolean;
  /** The best matches so far, best first. */
  bestMatches(): FileMatch[];
}

export function createFileIndex(roots: readonly string[], cwd: string): FileIndex {
  const resolvedRoots = roots.map((given): Root => ({ given, path: resolve(cwd, given) }));
  const entries: Entry[] = [];
  let query: Query = [];
  let hasQuery = false;
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
        const root = closestRoot(resolvedRoots, path);
        const below = root === null ? "" : path.slice(root.path === "/" ? 1 : root.path.length + 1);
        if (root === null || below === "") continue;
        entries.push({ root, path: below, isFolder, haystack: toHaystack(below) });
      }
    },
    setQuery(text) {
      query = parseQuery(text);
      hasQuery = text !== "";
      next = 0;
      ranked = [];
    },
    matchNext(count) {
      const end = hasQuery ? Math.min(entries.length, next + count) : entries.length;
      const hadMore = next < end;
      for (; next < end; next += 1) {
        const entry = entries[next];
        if (hasQuery && entry !== undefined) rank(entry, next);
      }
      return hadMore;
    },
    bestMatches: () => ranked.map(({ entry, score }) => toMatch(entry, score, query)).sort(compareMatch),
  };
}

/** Of nested roots the deepest one is used. */
function closestRoot(roots: readonly Root[], path: string): Root | null {
  let best: Root | null = null;
  for (const root of roots) {
    if ((best === null || root.path.length > best.path.length) && containsPath(root, path)) best = root;
  }
  return best;
}

function containsPath(root: Root, path: string): boolean {
  if (!path.startsWith(root.path)) return false;
  return path.length === root.path.length || root.path === "/" || path.charAt(root.path.length) === "/";
}

/** Ties are broken by the shorter path, then by discovery order. */
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
