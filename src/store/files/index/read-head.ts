/**
 * Reads the facts for thread lists from the head and the tail of a file: origin, first message and last settings. The
 * rest is not read.
 */
import { fstatSync } from "node:fs";
import { basename } from "node:path";
import { AppError, osErrorText } from "../../../base/errors.ts";
import { parseLine } from "../../lines/line.ts";
import { sourceKindOf } from "../../lines/session-source.ts";
import { type FoldedFacts, foldFacts, noFacts } from "../../lines/thread-facts.ts";
import { type HistoryBase, readHistoryBase } from "../rollout/file-meta.ts";
import type { FoundRollout } from "../rollout/find-rollouts.ts";
import { readBytesAt } from "../rollout/raw-lines.ts";
import type { RolloutFiles } from "../rollout/rollout-files.ts";
import { createdOrderMs, creationTime, parseRolloutName } from "../rollout/rollout-name.ts";
import type { RolloutRow } from "./history-index.ts";

const CHUNK_BYTES = 64 * 1024;
/** A first message beyond this offset is not in the list until the thread is opened. */
const MAX_HEAD_BYTES = 8 * 1024 * 1024;
const TAIL_BYTES = 16 * 1024;
const NEWLINE = 10;

export type Head =
  | { readonly kind: "row"; readonly row: RolloutRow }
  | { readonly kind: "unreadable"; readonly reason: string };

/** Reads synchronously: from the page cache, that is faster than a thread pool round trip. */
export async function readHead(files: RolloutFiles, found: FoundRollout): Promise<Head> {
  const opened = await files.open(found.path);
  if (opened.kind === "unreadable") return { kind: "unreadable", reason: opened.message };
  const { file, stats } = opened;
  try {
    const { size } = fstatSync(file);
    const { facts, base, headBytes } = readBeginning(file, size);
    if (facts === null) return { kind: "unreadable", reason: size === 0 ? "it is empty" : NO_BEGINNING };
    const last = readEnd(file, { from: headBytes, size }, facts);
    return { kind: "row", row: toRow(found, stats, { facts: last, base }) };
  } catch (error) {
    return { kind: "unreadable", reason: osErrorText(error) };
  } finally {
    opened.close();
  }
}

const NO_BEGINNING = "none of its first lines can be read";

interface Beginning {
  readonly facts: FoldedFacts | null;
  readonly base: HistoryBase | null;
  readonly headBytes: number;
}

function readBeginning(file: number, size: number): Beginning {
  let facts: FoldedFacts | null = null;
  let base: HistoryBase | null = null;
  let rest: Buffer[] = [];
  let at = 0;
  const limit = Math.min(size, MAX_HEAD_BYTES);
  while (at < limit) {
    const chunk = readBytesAt(file, at, Math.min(CHUNK_BYTES, limit - at));
    if (chunk.length === 0) break;
    at += chunk.length;
    // The chunks of a long line are concatenated once, when its end is reached.
    const tail = at >= size ? chunk.length : chunk.lastIndexOf(NEWLINE) + 1;
    if (tail === 0) {
      rest.push(chunk);
      continue;
    }
    const bytes = Buffer.concat([...rest, chunk]);
    const end = bytes.length - chunk.length + tail;
    rest = [bytes.subarray(end)];
    for (const text of bytes.toString("utf8", 0, end).split("\n")) {
      const parsed = parseLine(text.replace(/^\uFEFF/, ""));
      if (parsed.kind !== "line") continue;
      const { line } = parsed;
      if (facts === null && line.type === "session_meta") base = readHistoryBase(line.payload);
      facts = foldFacts(facts ?? noFacts, line);
      if (facts.preview !== "") return { facts, base, headBytes: at };
    }
  }
  return { facts, base, headBytes: at };
}

function readEnd(
  file: number,
  { from, size }: { readonly from: number; readonly size: number },
  head: FoldedFacts,
): FoldedFacts {
  const start = Math.max(from, size - TAIL_BYTES, 0);
  const isWhole = size <= CHUNK_BYTES;
  const bytes = readBytesAt(file, isWhole ? 0 : start, size - (isWhole ? 0 : start));
  // The first piece may be the rest of a cut line, which fails to parse and is skipped.
  let facts = head;
  for (const text of bytes.toString().split("\n")) {
    const parsed = parseLine(text);
    if (parsed.kind === "line" && parsed.line.type !== "session_meta") facts = foldFacts(facts, parsed.line);
  }
  return facts;
}

function toRow(
  { path, name, archived }: FoundRollout,
  status: { readonly size: number; readonly ino: number; readonly mtimeMs: number },
  { facts, base }: { readonly facts: FoldedFacts; readonly base: HistoryBase | null },
): RolloutRow {
  const createdAtMs = creationTime(name, facts.createdAtMs);
  const updatedAtMs = Math.floor(status.mtimeMs);
  return {
    rolloutId: name.rolloutId,
    threadId: name.threadId,
    path,
    archived,
    fileTime: name.time,
    size: status.size,
    inode: status.ino,
    mtimeMs: status.mtimeMs,
    indexedBytes: 0,
    base,
    sourceKind: sourceKindOf(facts.source),
    createdOrderMs: createdOrderMs(name, createdAtMs),
    recencyAtMs: updatedAtMs,
    facts: {
      ...facts,
      id: name.threadId,
      createdAtMs,
      updatedAtMs,
      baseInstructions: null,
      dynamicTools: null,
    },
  };
}

/**
 * The facts that a file inherits from its base until its own lines override them. A reverted thread keeps its preview;
 * the preview of a fork is its own first message.
 */
export function inheritedFacts(base: RolloutRow, threadId: string): FoldedFacts {
  const { facts } = base;
  const preview = base.threadId === threadId ? facts.preview : "";
  return { ...facts, preview, generation: null, ownHistoryStart: 0, goal: null };
}

/** Access to the bases of a file. */
export interface BaseSource {
  readonly files: RolloutFiles;
  /** An indexed or cached row; null if there is none. */
  readonly known: (rolloutId: string) => Promise<RolloutRow | null>;
  /** The file of a rollout; null if there is none. */
  readonly locate: (rolloutId: string) => Promise<FoundRollout | null>;
  /** Called with the rows of bases that were read. */
  readonly keep?: (row: RolloutRow) => void;
}

/** Limit of the files that one history is based on. */
export const MAX_FILES = 1000;

/** Bases may form a cycle or an endless chain: each file is read once, up to a limit. */
export async function headWithBase(found: FoundRollout, source: BaseSource): Promise<Head> {
  const first = await readHead(source.files, found);
  if (first.kind === "unreadable") return first;
  const chain: RolloutRow[] = [first.row];
  const seen = new Set([first.row.rolloutId]);
  let before: RolloutRow | null = null;
  for (let { base } = first.row; base !== null && chain.length < MAX_FILES; ) {
    const id = base.thread_id.toLowerCase();
    if (seen.has(id)) break;
    seen.add(id);
    before = await source.known(id);
    const file = before === null ? await source.locate(id) : null;
    const head = file === null ? null : await readHead(source.files, file);
    if (head?.kind !== "row") break;
    chain.push(head.row);
    ({ base } = head.row);
  }
  for (const [at, row] of chain.toReversed().entries()) {
    before = before === null ? row : inherit(row, before);
    if (at < chain.length - 1) source.keep?.(before);
  }
  return { kind: "row", row: before ?? first.row };
}

function inherit(row: RolloutRow, base: RolloutRow): RolloutRow {
  const { facts: own, threadId } = row;
  const { preview, model } = inheritedFacts(base, threadId);
  const isSame = base.threadId === threadId;
  const createdAtMs = isSame ? base.facts.createdAtMs : own.createdAtMs;
  const createdOrderMs = isSame ? base.createdOrderMs : row.createdOrderMs;
  const facts = { ...own, preview: preview || own.preview, createdAtMs, model: own.model ?? model };
  return { ...row, createdOrderMs, facts };
}

/** The row of a file that does not exist yet. */
export function newRow(path: string): RolloutRow {
  const name = parseRolloutName(basename(path));
  if (name === null) throw new AppError("history.name", `${path} is not named like a rollout`);
  return {
    rolloutId: name.rolloutId,
    threadId: name.threadId,
    path,
    archived: false,
    fileTime: name.time,
    size: 0,
    inode: 0,
    mtimeMs: 0,
    indexedBytes: 0,
    base: null,
    sourceKind: "unknown",
    createdOrderMs: 0,
    recencyAtMs: 0,
    facts: noFacts,
  };
}
