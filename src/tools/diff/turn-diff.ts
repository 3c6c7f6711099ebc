/**
 * The combined diff of a turn's patches, however many patches touched a file. It never reads the disk, so
 * that changes made by commands do not appear.
 */
import { dirname, join, relative, sep } from "node:path";
import { realPath, statOf } from "../../base/file-system.ts";
import type { StatOf } from "../../base/tick-stats.ts";
import { type FileEdit, type FileSnapshot, fileDiff } from "./file-diff.ts";

export interface TurnDiff {
  /** Records the edits of one patch, in the order in which they happened. */
  record(edits: readonly FileEdit[]): void;
  /** The diff since the start of the turn; empty where no change remains. */
  render(): string;
}

export interface TurnDiffOptions {
  /** Names are shown relative to this folder. Resolved: it contains no symlinks. Looked for when there is a diff. */
  readonly root: () => string;
  /** If more content than this is retained, the diff is empty for the rest of the turn. */
  readonly maxBytes?: number;
}

interface Tracked {
  readonly before: FileSnapshot | undefined;
  after: FileSnapshot | undefined;
  /** The file at the start of the turn whose content is here now. */
  origin: string | undefined;
  /** The cached rendering, and the file that it was compared with. */
  rendered?: { readonly from: string; readonly after: FileSnapshot | undefined; readonly text: string };
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
      edit.derivedFrom === undefined ? undefined : (files.get(edit.derivedFrom)?.origin ?? edit.derivedFrom);
    tracked.origin = origin === edit.path ? undefined : origin;
  }

  function heldBytes(): number {
    let bytes = 0;
    for (const file of files.values()) {
      bytes += (file.before?.bytes.length ?? 0) + (file.after?.bytes.length ?? 0);
    }
    return bytes;
  }

  /** The origin of each new file whose original no longer exists. */
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
    const inside = relative(root(), path);
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
      // A move is two edits: the new path must record its origin before the old one drops it.
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
  return Number(a.derivedFrom === undefined) - Number(b.derivedFrom === undefined);
}

/** The folder that names in a turn's diff are relative to: the repository root, or `cwd` itself. */
export function findDiffRoot(cwd: string, stat: StatOf = statOf): string {
  const start = realPath(cwd);
  for (let folder = start; ; folder = dirname(folder)) {
    if (stat(join(folder, ".git")) !== null) return folder;
    if (folder === dirname(folder)) return start;
  }
}
