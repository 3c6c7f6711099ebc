/**
 * The names of threads, in `session_index.jsonl`: each naming appends a line, and the last one counts. Other programs
 * write to the file as well, so what it has gained is read before names are shown.
 */

import { closeSync, fdatasyncSync, fstatSync, statSync, writeSync } from "node:fs";
import { join } from "node:path";
import { isObject } from "../../base/json-object.ts";
import { CHANGE_FLAGS, openRegularFileSync, openToAppendSync } from "../../base/open-regular-file.ts";
import type { HistoryIndex } from "../history-index.ts";
import { textOf } from "../rollout/members.ts";
import { readBytes } from "./read-bytes.ts";

export interface SessionIndex {
  /** Takes in what the file has gained since the last time. */
  sync(): Promise<void>;
  name(threadId: string, name: string, nowMs: number): Promise<void>;
  forget(threadId: string): Promise<void>;
}

interface Mark {
  readonly inode: number;
  readonly offset: number;
}

const NOTE = "session_index";

export function createSessionIndex(
  home: string,
  index: HistoryIndex,
  durability: "os" | "fsync" = "os",
): SessionIndex {
  const path = sessionIndexPath(home);
  let mark: Mark | null = null;
  let epoch = 0;

  async function loadMark(): Promise<Mark | null> {
    const stored = JSON.parse((await index.note(NOTE)) ?? "null") as unknown;
    return isObject(stored) ? (stored as unknown as Mark) : null;
  }

  async function sync(): Promise<void> {
    const status = statSync(path, { throwIfNoEntry: false });
    if (status === undefined || !status.isFile()) return;
    if (mark === null || index.epoch !== epoch) mark = await loadMark();
    epoch = index.epoch;
    if (mark !== null && mark.inode === status.ino && mark.offset === status.size) return;
    const isLonger = mark !== null && mark.inode === status.ino && mark.offset < status.size;
    const from = isLonger && mark !== null ? mark.offset : 0;
    const { names, end } = readNames(path, from, status.size);
    await index.setNames(names);
    mark = { inode: status.ino, offset: end };
    await index.setNote(NOTE, JSON.stringify(mark));
  }

  return {
    sync,
    async name(threadId, name, nowMs) {
      appendLine(path, namingLine(threadId, name, nowMs), durability);
      try {
        await index.setNames(new Map([[threadId, name === "" ? null : name]]));
      } catch {
        // The file has it, and whoever looks next takes it in from there.
      }
    },
    async forget(threadId) {
      if (statSync(path, { throwIfNoEntry: false }) !== undefined) blankNamings(path, threadId);
    },
  };
}

export function sessionIndexPath(home: string): string {
  return join(home, "session_index.jsonl");
}

export function namingLine(threadId: string, name: string, atMs: number): string {
  const entry = { id: threadId, thread_name: name, updated_at: new Date(atMs).toISOString() };
  return `${JSON.stringify(entry)}\n`;
}

/** What a full disk has left of an earlier line must not take this one with it. */
function appendLine(path: string, line: string, durability: "os" | "fsync"): void {
  const file = openToAppendSync(path, 0o600);
  try {
    const { size } = fstatSync(file);
    const isWhole = size === 0 || readBytes(file, size - 1, 1).toString() === "\n";
    const bytes = Buffer.from(isWhole ? line : `\n${line}`);
    for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
    if (durability === "fsync") fdatasyncSync(file);
  } finally {
    closeSync(file);
  }
}

/** Others append meanwhile: what they write stays only if the file stays, and blank lines name nothing. */
function blankNamings(path: string, threadId: string): void {
  const opened = openRegularFileSync(path, CHANGE_FLAGS);
  if (opened.kind === "refused") throw new Error(`cannot change ${path}: ${opened.message}`);
  const { file, stats } = opened;
  try {
    const bytes = readBytes(file, 0, stats.size);
    for (let start = 0; start < bytes.length; ) {
      const newline = bytes.indexOf("\n", start);
      const end = newline < 0 ? bytes.length : newline;
      const isNaming = parseEntry(bytes.toString("utf8", start, end))?.id === threadId;
      if (isNaming) writeSync(file, " ".repeat(end - start), start);
      start = end + 1;
    }
  } finally {
    closeSync(file);
  }
}

function readNames(path: string, from: number, to: number) {
  const opened = openRegularFileSync(path);
  if (opened.kind === "refused") throw new Error(`cannot read ${path}: ${opened.message}`);
  let bytes: Buffer;
  try {
    bytes = readBytes(opened.file, from, to - from);
  } finally {
    closeSync(opened.file);
  }
  // A line that is still being written is left for the next time.
  const end = bytes.lastIndexOf("\n") + 1;
  const names = new Map<string, string | null>();
  for (const line of bytes.toString("utf8", 0, end).split("\n")) {
    const entry = parseEntry(line);
    if (entry !== null) names.set(entry.id, entry.name === "" ? null : entry.name);
  }
  return { names, end: from + end };
}

function parseEntry(line: string): { readonly id: string; readonly name: string } | null {
  if (line.trim() === "") return null;
  try {
    const value = JSON.parse(line) as unknown;
    const id = isObject(value) ? textOf(value, "id") : null;
    const name = isObject(value) ? textOf(value, "thread_name") : null;
    return id === null || name === null ? null : { id, name: name.trim() };
  } catch {
    // Somebody else's broken line names nothing.
    return null;
  }
}
