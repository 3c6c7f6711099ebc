/**
 * The names of threads in `session_index.jsonl`: each rename appends a line, and the last one wins. Other programs
 * write to the file too, so that new lines are read before names are shown.
 */

import type { FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { nameMember } from "../../../base/json-members.ts";
import { isObject } from "../../../base/json-object.ts";
import { CHANGE_FLAGS, openRegularFile } from "../../../base/open-regular-file.ts";
import { yieldToEventLoop } from "../../../base/time-slices.ts";
import { forwardLines } from "../rollout/raw-lines.ts";
import { openWritable } from "../rollout/writable-file.ts";
import type { HistoryIndex } from "./history-index.ts";
import { statusOf } from "./rollout-folders.ts";

export interface SessionIndex {
  /** Reads the lines that were added since the previous call. */
  sync(): Promise<void>;
  name(threadId: string, name: string, nowMs: number): Promise<void>;
  forget(threadId: string): Promise<void>;
}

interface Mark {
  readonly inode: number;
  readonly offset: number;
}

const NOTE = "session_index";
/** Names per transaction, which blocks all other work. */
const NAMES_AT_ONCE = 500;
/** Longer lines are ignored. */
const MAX_LINE_BYTES = 64 * 1024;

export function createSessionIndex(
  home: string,
  index: HistoryIndex,
  durability: "os" | "fsync" = "os",
): SessionIndex {
  const path = sessionIndexPath(home);
  let mark: Mark | null = null;
  let epoch = 0;
  let last: Promise<void> = Promise.resolve();

  /** Serializes reads and writes: an older name that was just read must not overwrite a newer one. */
  function serialize(work: () => Promise<void>): Promise<void> {
    const done = last.then(work);
    last = done.catch(() => {});
    return done;
  }

  async function loadMark(): Promise<Mark | null> {
    const stored = JSON.parse((await index.note(NOTE)) ?? "null") as unknown;
    return isObject(stored) ? (stored as unknown as Mark) : null;
  }

  async function readNewLines(): Promise<void> {
    const status = statusOf(path);
    if (status?.isFile() !== true) return;
    if (mark === null || index.epoch !== epoch) mark = await loadMark();
    epoch = index.epoch;
    if (mark !== null && mark.inode === status.ino && mark.offset === status.size) return;
    const isLonger = mark !== null && mark.inode === status.ino && mark.offset < status.size;
    const from = isLonger && mark !== null ? mark.offset : 0;
    const end = await readNames(path, { from, to: status.size }, (names) => index.setNames(names));
    mark = { inode: status.ino, offset: end };
    await index.setNote(NOTE, JSON.stringify(mark));
  }

  return {
    sync: () => serialize(readNewLines),
    name: (threadId, name, nowMs) =>
      serialize(async () => {
        await appendLine(path, namingLine(threadId, name, nowMs), durability);
        try {
          await index.setNames(new Map([[threadId, name === "" ? null : name]]));
        } catch {
          // The name is in the file, and the next sync reads it from there.
        }
      }),
    forget: (threadId) =>
      serialize(async () => {
        if (statusOf(path)?.isFile() === true) await blankNamings(path, threadId);
      }),
  };
}

export function sessionIndexPath(home: string): string {
  return join(home, "session_index.jsonl");
}

export function namingLine(threadId: string, name: string, atMs: number): string {
  const entry = { id: threadId, thread_name: name, updated_at: new Date(atMs).toISOString() };
  return `${JSON.stringify(entry)}\n`;
}

/** A line that a full disk cut off must not swallow this one. */
async function appendLine(path: string, line: string, durability: "os" | "fsync"): Promise<void> {
  const file = await openWritable(path);
  try {
    const { size } = await file.stat();
    const last = Buffer.alloc(1);
    if (size > 0) await file.read(last, 0, 1, size - 1);
    const isWhole = size === 0 || last.toString() === "\n";
    const bytes = Buffer.from(isWhole ? line : `\n${line}`);
    for (let at = 0; at < bytes.length; ) at += await file.write(bytes, at);
    if (durability === "fsync") await file.datasync();
  } finally {
    await file.close();
  }
}

/**
 * Overwrites the lines with spaces in place: other programs append meanwhile, and would lose lines if the file were
 * replaced.
 */
async function blankNamings(path: string, threadId: string): Promise<void> {
  await withFile(path, CHANGE_FLAGS, async (file) => {
    const { size } = await file.stat();
    for await (const batch of forwardLines(file, { from: 0, to: size }, MAX_LINE_BYTES)) {
      for (const { text, offset, length, terminated } of batch) {
        if (parseEntry(text)?.id !== threadId) continue;
        const blank = Buffer.alloc(terminated ? length - 1 : length, " ");
        await file.write(blank, 0, blank.length, offset);
      }
    }
  });
}

/** Returns the end of the last complete line; an unterminated one is left for the next call. */
async function readNames(
  path: string,
  range: { readonly from: number; readonly to: number },
  take: (names: ReadonlyMap<string, string | null>) => Promise<void>,
): Promise<number> {
  let end = range.from;
  let names = new Map<string, string | null>();
  await withFile(path, undefined, async (file) => {
    for await (const batch of forwardLines(file, range, MAX_LINE_BYTES)) {
      for (const { text, offset, length, terminated } of batch) {
        const entry = terminated ? parseEntry(text) : null;
        if (terminated) end = offset + length;
        if (entry !== null) names.set(entry.id, entry.name === "" ? null : entry.name);
        if (names.size < NAMES_AT_ONCE) continue;
        await take(names);
        names = new Map();
        await yieldToEventLoop();
      }
    }
  });
  await take(names);
  return end;
}

async function withFile(
  path: string,
  flags: number | undefined,
  work: (file: FileHandle) => Promise<void>,
): Promise<void> {
  const opened = await openRegularFile(path, flags);
  if (opened.kind === "refused") throw new Error(`cannot open ${path}: ${opened.message}`);
  try {
    await work(opened.file);
  } finally {
    await opened.file.close();
  }
}

function parseEntry(line: string | null): { readonly id: string; readonly name: string } | null {
  if (line === null || line.trim() === "") return null;
  try {
    const value = JSON.parse(line) as unknown;
    const id = isObject(value) ? nameMember(value, "id") : null;
    const name = isObject(value) ? nameMember(value, "thread_name") : null;
    return id === null || name === null ? null : { id, name: name.trim() };
  } catch {
    // An invalid line of another program is ignored.
    return null;
  }
}
