/**
 * The names of threads, in `session_index.jsonl`: each naming appends a line, and the last one counts. Other programs
 * write to the file as well, so what it has gained is read before names are shown.
 */
import {
  appendFileSync,
  closeSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import type { HistoryIndex } from "../history-index.ts";
import { isObject, textOf } from "../rollout/members.ts";

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

export function createSessionIndex(home: string, index: HistoryIndex): SessionIndex {
  const path = join(home, "session_index.jsonl");
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
      const entry = { id: threadId, thread_name: name, updated_at: new Date(nowMs).toISOString() };
      appendFileSync(path, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
      await index.setNames(new Map([[threadId, name === "" ? null : name]]));
    },
    async forget(threadId) {
      if (statSync(path, { throwIfNoEntry: false }) === undefined) return;
      const lines = readFileSync(path, "utf8").split("\n");
      const kept = lines.filter((line) => parseEntry(line)?.id !== threadId);
      if (kept.length === lines.length) return;
      const temporary = `${path}.tmp`;
      writeFileSync(temporary, kept.join("\n"), { mode: 0o600 });
      renameSync(temporary, path);
    },
  };
}

function readNames(path: string, from: number, to: number) {
  const buffer = Buffer.alloc(to - from);
  const file = openSync(path, "r");
  let filled = 0;
  try {
    while (filled < buffer.length) {
      const count = readSync(file, buffer, filled, buffer.length - filled, from + filled);
      if (count === 0) break;
      filled += count;
    }
  } finally {
    closeSync(file);
  }
  // A line that is still being written is left for the next time.
  const end = buffer.subarray(0, filled).lastIndexOf("\n") + 1;
  const names = new Map<string, string | null>();
  for (const line of buffer.toString("utf8", 0, end).split("\n")) {
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
