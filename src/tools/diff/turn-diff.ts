/**
 * The one diff of a turn: what its patches made of the files, however many patches touched a file. It knows
 * only what it is told and never reads the disk, so what commands changed does not appear.
 */
import { dirname, join, relative, sep } from "node:path";
import { realPath, statOf } from "../../base/file-system.ts";
import { type FileEdit, type FileState, fileDiff } from "./file-diff.ts";

export interface TurnDiff {
  /** Takes in the edits of one patch, in the order in which they happened. */
  record(edits: readonly FileEdit[]): void;
  /** The diff from the start of the turn until now; empty if nothing is left of the changes. */
  render(): string;
}

export interface TurnDiffOptions {
  /** Names are shown relative to this folder. Resolved: no symbolic links in it. */
  readonly root: string;
  /** With more than this to remember the diff is empty for the rest of the turn. */
  readonly maxBytes?: number;
}

interface Tracked {
  readonly before: FileState | undefined;
  after: FileState | undefined;
  /** The file of the start of the turn whose content is here now. */
  origin: string | undefined;
  /** What this file showed last, and against which file. */
  rendered?: { readonly from: string; readonly after: FileState | undefined; readonly text: string };
}

const MAX_BYTES = 64 * 1024 * 1024;

export function createTurnDiff({ root, maxBytes = MAX_BYTES }: TurnDiffOptions): TurnDiff {
  const files = new Map<string, Tracked>();
  let tooMuch = false;

  function track(edit: FileEdit): Tracked {
    const known = files.get(edit.path);
    if (known !== undefined) return known;
    const tracked: Tracked = { before: edit.before, after: edit.before, origin: undefined };
    files.set(edit.path, tracked);
    return tracked;
  }

  function recordOne(edit: FileEdit): void {
    const tracked = track(edit);
    tracked.after = edit.after;
    const origin =
      edit.madeFrom === undefined ? undefined : (files.get(edit.madeFrom)?.origin ?? edit.madeFrom);
    tracked.origin = origin === edit.path ? undefined : origin;
  }

  function heldBytes(): number {
    let bytes = 0;
    for (const file of files.values()) {
      bytes += (file.before?.bytes.length ?? 0) + (file.after?.bytes.length ?? 0);
    }
    return bytes;
  }

  /** From where each new file came, for files that are gone from there. */
  function renames(): Map<string, string> {
    const pairs = new Map<string, string>();
    for (const [path, file] of files) {
      if (file.origin === undefined || file.after === undefined || file.before !== undefined) continue;
      const source = files.get(file.origin);
      if (source?.before !== undefined && source.after === undefined) pairs.set(file.origin, path);
    }
    return pairs;
  }

  function show(path: string): string {
    const inside = relative(root, path);
    const isInside = inside !== "" && inside !== ".." && !inside.startsWith(`..${sep}`);
    return (isInside ? inside : path).replaceAll("\\", "/");
  }

  function renderPair(from: string, to: string): string {
    const source = files.get(from);
    const target = files.get(to);
    if (source === undefined || target === undefined) return "";
    const known = target.rendered;
    if (known?.from === from && known.after === target.after) return known.text;
    const text = fileDiff(
      { path: show(from), state: source.before },
      { path: show(to), state: target.after },
    );
    target.rendered = { from, after: target.after, text };
    return text;
  }

  return {
    record(edits) {
      if (tooMuch) return;
      // A move is two edits. The new place learns where its content came from before the old one forgets it.
      for (const edit of [...edits].sort(movesFirst)) recordOne(edit);
      if (heldBytes() <= maxBytes) return;
      tooMuch = true;
      files.clear();
    },
    render() {
      const pairs = renames();
      const destinations = new Set(pairs.values());
      return [...files.keys()]
        .filter((path) => !destinations.has(path))
        .sort((a, b) => Buffer.compare(Buffer.from(show(a)), Buffer.from(show(b))))
        .map((path) => renderPair(path, pairs.get(path) ?? path))
        .join("");
    },
  };
}

function movesFirst(a: FileEdit, b: FileEdit): number {
  return Number(a.madeFrom === undefined) - Number(b.madeFrom === undefined);
}

/** The folder that the names in a turn's diff are relative to: that of the repository, else `cwd` itself. */
export function findDiffRoot(cwd: string): string {
  const start = realPath(cwd);
  for (let folder = start; ; folder = dirname(folder)) {
    if (statOf(join(folder, ".git")) !== null) return folder;
    if (folder === dirname(folder)) return start;
  }
}
