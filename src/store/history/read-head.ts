/**
 * What a list needs to know of a file, from its beginning and its end alone: where the thread comes from, its first
 * message, and what it was last set to. The rest of the file is not read.
 */
import { closeSync } from "node:fs";
import { openRegularFileSync } from "../../base/open-regular-file.ts";
import { osErrorText } from "../../base/os-error.ts";
import type { RolloutRow } from "../history-index.ts";
import type { FoundRollout } from "../rollout/find-rollouts.ts";
import { parseLine } from "../rollout/line.ts";
import { foldFacts, noFacts, type ThreadFacts } from "../rollout/thread-facts.ts";
import { sourceKindOf } from "../source-kind.ts";
import { createdOrderMs, creationTime } from "./created-order.ts";
import { readBytes } from "./read-bytes.ts";

const CHUNK_BYTES = 64 * 1024;
/** A first message further back than this is not shown before the thread is opened. */
const MAX_HEAD_BYTES = 8 * 1024 * 1024;
const TAIL_BYTES = 16 * 1024;
const NEWLINE = 10;

export type Head =
  | { readonly kind: "row"; readonly row: RolloutRow }
  | { readonly kind: "unreadable"; readonly reason: string };

/** Reads without leaving the thread: from the system's memory that takes less time than asking another thread. */
export function readHead(found: FoundRollout): Head {
  if (found.name.compressed) return { kind: "unreadable", reason: "it is compressed with zstd" };
  const opened = openRegularFileSync(found.path);
  if (opened.kind === "refused")
    return {
      kind: "unreadable",
      reason: opened.reason === "notRegular" ? "it is not a file" : opened.message,
    };
  const { file, stats: status } = opened;
  try {
    const { facts, headBytes } = readBeginning(file, status.size);
    if (facts === null)
      return { kind: "unreadable", reason: status.size === 0 ? "it is empty" : NO_BEGINNING };
    const last = readEnd(file, { from: headBytes, size: status.size }, facts);
    return { kind: "row", row: toRow(found, status, last) };
  } catch (error) {
    return { kind: "unreadable", reason: osErrorText(error) };
  } finally {
    closeSync(file);
  }
}

const NO_BEGINNING = "none of its first lines can be read";

function readBeginning(file: number, size: number): { facts: ThreadFacts | null; headBytes: number } {
  let facts: ThreadFacts | null = null;
  let rest: Buffer[] = [];
  let at = 0;
  const limit = Math.min(size, MAX_HEAD_BYTES);
  while (at < limit) {
    const chunk = readBytes(file, at, Math.min(CHUNK_BYTES, limit - at));
    if (chunk.length === 0) break;
    at += chunk.length;
    // Pieces of a long line are put together once, when its end has come.
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
      facts = foldFacts(facts ?? noFacts, parsed.line);
      if (facts.preview !== "") return { facts, headBytes: at };
    }
  }
  return { facts, headBytes: at };
}

function readEnd(
  file: number,
  { from, size }: { readonly from: number; readonly size: number },
  head: ThreadFacts,
): ThreadFacts {
  const start = Math.max(from, size - TAIL_BYTES, 0);
  const isWhole = size <= CHUNK_BYTES;
  const bytes = readBytes(file, isWhole ? 0 : start, size - (isWhole ? 0 : start));
  // The first piece may be the rest of a longer line, which is then no JSON and left out.
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
  facts: ThreadFacts,
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
    base: facts.historyBase,
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
 * What a file has from the one it goes on from, until its own lines say otherwise. A reverted thread is still the
 * same; a fork is shown by what is first said in it.
 */
export function inheritedFacts(base: RolloutRow, threadId: string): ThreadFacts {
  const { facts } = base;
  const preview = base.threadId === threadId ? facts.preview : "";
  return { ...facts, preview, historyBase: null, ownHistoryStart: 0, goal: null };
}
