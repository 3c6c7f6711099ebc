/** Checks every line of one rollout file and reports its faults, without changing it. */

import { osErrorText } from "../../../base/errors.ts";
import { textMember } from "../../../base/json-members.ts";
import type { JsonObject } from "../../../base/json-object.ts";
import { openRegularFile } from "../../../base/open-regular-file.ts";
import { parseLine, type RolloutLine } from "../../lines/line.ts";
import { type HistoryBase, readHistoryBase } from "../rollout/file-meta.ts";
import type { FoundRollout } from "../rollout/find-rollouts.ts";
import { forwardLines, type RawLine } from "../rollout/raw-lines.ts";
import type { RolloutFiles } from "../rollout/rollout-files.ts";

export interface FileStamp {
  readonly size: number;
  readonly inode: number;
  readonly mtimeMs: number;
}

export interface FileExamination {
  readonly found: FoundRollout;
  readonly stamp: FileStamp;
  readonly faults: readonly Fault[];
  /** The part of another file that precedes this one. */
  readonly base: HistoryBase | null;
  /** Whether a line is too long to be read, so that the file cannot be rewritten. */
  readonly hasGiantLine: boolean;
}

/** Finds the faults within one file; faults that involve other files are found by `examineHome`. */
export async function examineFile(found: FoundRollout): Promise<FileExamination> {
  try {
    return await examine(found, new Examiner(found));
  } catch (error) {
    const fault = unreadable(found.path, osErrorText(error));
    const stamp = { size: 0, inode: 0, mtimeMs: 0 };
    return { found, stamp, faults: [fault], base: null, hasGiantLine: false };
  }
}

/**
 * Checks only whether a packed file can be unpacked: its lines were checked before it was packed and cannot be repaired
 * in place.
 */
export async function examinePacked(files: RolloutFiles, found: FoundRollout): Promise<FileExamination> {
  const opened = await files.open(found.path);
  const stamp = { size: 0, inode: 0, mtimeMs: 0 };
  const faults = opened.kind === "open" ? [] : [unreadable(found.path, opened.message)];
  if (opened.kind === "open") opened.close();
  return { found, stamp, faults, base: null, hasGiantLine: false };
}

function unreadable(path: string, why: string): Fault {
  return { kind: "unreadable", path, lineNumber: null, message: why, repair: null };
}

async function examine(found: FoundRollout, examiner: Examiner): Promise<FileExamination> {
  const opened = await openRegularFile(found.path);
  if (opened.kind === "refused")
    throw new Error(opened.reason === "notRegular" ? "it is not a file" : opened.message);
  const { file, stats: status } = opened;
  try {
    const stamp = { size: status.size, inode: status.ino, mtimeMs: status.mtimeMs };
    for await (const batch of forwardLines(file, { from: 0, to: status.size })) {
      for (const raw of batch) examiner.take(raw);
    }
    return { found, stamp, ...examiner.finish(status.size) };
  } finally {
    await file.close();
  }
}

class Examiner {
  readonly #found: FoundRollout;
  readonly #faults: Fault[] = [];
  #lineNumber = 0;
  #readable = 0;
  #base: HistoryBase | null = null;
  #isPaginated = false;
  #expected = 0;
  /** Unreadable lines since the last ordinal: each may have had one. */
  #lost = 0;
  #hasWrongOrdinal = false;
  #hasGiantLine = false;

  constructor(found: FoundRollout) {
    this.#found = found;
  }

  take(raw: RawLine): void {
    this.#lineNumber += 1;
    if (raw.text === null) {
      this.#hasGiantLine = true;
      this.#lost += 1;
      this.#add("unreadable", "it is too long to be read", null);
      return;
    }
    const hasByteOrderMark = raw.offset === 0 && raw.text.startsWith("\uFEFF");
    if (hasByteOrderMark)
      this.#add("byteOrderMark", "a byte order mark, which other programs do not read", "removed");
    const parsed = parseLine(hasByteOrderMark ? raw.text.slice(1) : raw.text);
    if (parsed.kind === "bad") {
      this.#lost += 1;
      if (raw.terminated) this.#add("badLine", `it cannot be read: ${parsed.reason}`, "left out");
      else this.#add("tornLine", "it was cut off", "left out");
    } else if (parsed.kind === "line") {
      this.#takeLine(parsed.line);
      if (!raw.terminated) this.#add("missingNewline", "its end is missing", "ended");
    }
  }

  finish(size: number): Pick<FileExamination, "faults" | "base" | "hasGiantLine"> {
    const { path } = this.#found;
    const rest = { base: this.#base, hasGiantLine: this.#hasGiantLine };
    if (size === 0) {
      const fault = { path, lineNumber: null, message: "it is empty", repair: "moved aside" } as const;
      return { ...rest, faults: [{ kind: "empty", ...fault }] };
    }
    // A file without a readable line cannot be rewritten.
    if (this.#readable === 0) return { ...rest, faults: [unreadable(path, "none of its lines can be read")] };
    return { ...rest, faults: this.#faults };
  }

  #takeLine(line: RolloutLine): void {
    this.#readable += 1;
    if (this.#readable === 1 && line.type === "session_meta") this.#takeMeta(line.payload);
    if (!this.#isPaginated) return;
    const { ordinal } = line;
    const isExpected =
      ordinal !== undefined && ordinal >= this.#expected && ordinal <= this.#expected + this.#lost;
    if (!isExpected && !this.#hasWrongOrdinal) {
      this.#hasWrongOrdinal = true;
      this.#add(
        "wrongOrdinal",
        `it has ordinal ${ordinal ?? "none"} instead of ${this.#expected}`,
        "renumbered",
      );
    }
    this.#expected = (ordinal ?? this.#expected) + 1;
    this.#lost = 0;
  }

  #takeMeta(meta: JsonObject): void {
    this.#base = readHistoryBase(meta);
    this.#isPaginated = textMember(meta, "history_mode") === "paginated";
    this.#expected = this.#base?.end_ordinal_exclusive ?? 0;
    const id = textMember(meta, "id");
    const named = this.#found.name.threadId;
    if (id?.toLowerCase() !== named.toLowerCase())
      this.#add(
        "wrongId",
        `it names thread ${id ?? "none"}, and the file's name ${named}`,
        "set to that of the name",
      );
  }

  #add(kind: FaultKind, message: string, repair: string | null): void {
    this.#faults.push({ kind, path: this.#found.path, lineNumber: this.#lineNumber, message, repair });
  }
}

/** The faults that a history file can have. */
export type FaultKind =
  | "tornLine"
  | "badLine"
  | "byteOrderMark"
  | "missingNewline"
  | "wrongOrdinal"
  | "wrongId"
  | "missingBase"
  | "duplicate"
  | "empty"
  | "misnamed"
  | "leftover"
  | "unreadable";

export interface Fault {
  readonly kind: FaultKind;
  readonly path: string;
  /** Counted from 1; null for a fault of the whole file. */
  readonly lineNumber: number | null;
  readonly message: string;
  /** The repair, as a past participle; null if there is none. */
  readonly repair: string | null;
}

/** The result of handling a fault. */
export type FaultState =
  | { readonly kind: "found" }
  | { readonly kind: "mended"; readonly keptAs: string | null }
  /** Not repaired: the file is in use, or a repair would damage another thread. */
  | { readonly kind: "left"; readonly why: string };

export interface FaultReport extends Fault {
  readonly state: FaultState;
}

export const REPAIR_SUFFIX = ".heddle-repair";
export const IMPORT_SUFFIX = ".heddle-import";

/** A backup name that no program mistakes for a rollout. */
export function backupName(path: string, nowMs: number): string {
  return `${path}.bak-${new Date(nowMs).toISOString().slice(0, 23).replaceAll(/[:.]/g, "-")}`;
}
