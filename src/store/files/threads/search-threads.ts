/**
 * Case-insensitive search in names and messages of threads. There is no search index: the files are read in list order,
 * usually newest first, until the page is full.
 */

import { fstatSync } from "node:fs";
import { foldCase, lineText, snippetIn } from "../../pages/snippet.ts";
import { positionOf, type ThreadQuery } from "../../pages/thread-list.ts";
import { type HistoryIndex, type ThreadEntry } from "../index/history-index.ts";
import { forwardLines, readBytesAt, toReadable } from "../rollout/raw-lines.ts";
import type { RolloutFiles } from "../rollout/rollout-files.ts";

export interface FoundEntry {
  readonly entry: ThreadEntry;
  readonly snippet: string;
}

const ROWS = 200;
const SMALL_FILE_BYTES = 4 * 1024 * 1024;
/** The search yields to the event loop at this interval. */
const SLICE_MS = 8;

export interface SearchOptions {
  /** Reads a page of threads from the index. */
  readonly list: HistoryIndex["list"];
  readonly files: RolloutFiles;
  readonly query: ThreadQuery;
  readonly term: string;
  readonly now: () => number;
}

/** Returns up to `query.limit` threads. */
export async function searchThreads({ list, files, query, term, now }: SearchOptions): Promise<FoundEntry[]> {
  const found: FoundEntry[] = [];
  let { from } = query;
  let sliceEnd = now() + SLICE_MS;
  for (;;) {
    const entries = await list({ ...query, from, limit: ROWS });
    for (const entry of entries) {
      const snippet = await snippetOf(files, entry, term);
      if (snippet !== null) found.push({ entry, snippet });
      if (found.length >= query.limit) return found;
      if (now() < sliceEnd) continue;
      await new Promise((resolve) => void setImmediate(resolve));
      sliceEnd = now() + SLICE_MS;
    }
    const last = entries.at(-1);
    if (last === undefined || entries.length < ROWS) return found;
    from = { ...positionOf(last.row, query), inclusive: false };
  }
}

async function snippetOf(
  files: RolloutFiles,
  { row, details }: ThreadEntry,
  term: string,
): Promise<string | null> {
  const inMessages = await searchFile(files, row.path, term);
  return inMessages ?? snippetIn(row.facts.preview, term) ?? snippetIn(details.name ?? "", term);
}

/** A missing or unreadable file has no match; lists and pages report it. */
async function searchFile(files: RolloutFiles, path: string, term: string): Promise<string | null> {
  const needle = foldCase(JSON.stringify(term).slice(1, -1));
  const opened = await files.open(path);
  if (opened.kind === "unreadable") return null;
  try {
    const { size } = fstatSync(opened.file);
    return size <= SMALL_FILE_BYTES
      ? searchSmall(readBytesAt(opened.file, 0, size), needle, term)
      : await searchLarge(opened.file, needle, term);
  } catch {
    return null;
  } finally {
    opened.close();
  }
}

function searchSmall(bytes: Buffer, needle: string, term: string): string | null {
  // As latin1, every byte is one character, so that offsets agree; terms with other characters need UTF-8.
  const isAscii = /^[\x20-\x7e]*$/.test(needle);
  const text = isAscii ? bytes.toString("latin1") : bytes.toString();
  const folded = foldCase(text);
  if (folded.length !== text.length) return searchLines(text.split("\n"), needle, term);
  for (let at = folded.indexOf(needle); at >= 0; at = folded.indexOf(needle, at)) {
    const start = text.lastIndexOf("\n", at) + 1;
    const end = text.indexOf("\n", at) < 0 ? text.length : text.indexOf("\n", at);
    const line = isAscii ? bytes.toString("utf8", start, end) : text.slice(start, end);
    const snippet = snippetIn(lineText(line) ?? "", term);
    if (snippet !== null) return snippet;
    at = end;
  }
  return null;
}

function searchLines(lines: readonly string[], needle: string, term: string): string | null {
  for (const line of lines) {
    if (!foldCase(line).includes(needle)) continue;
    const snippet = snippetIn(lineText(line) ?? "", term);
    if (snippet !== null) return snippet;
  }
  return null;
}

async function searchLarge(file: number, needle: string, term: string): Promise<string | null> {
  for await (const batch of forwardLines(toReadable(file), { from: 0, to: fstatSync(file).size })) {
    const snippet = searchLines(
      batch.map(({ text }) => text ?? ""),
      needle,
      term,
    );
    if (snippet !== null) return snippet;
  }
  return null;
}
