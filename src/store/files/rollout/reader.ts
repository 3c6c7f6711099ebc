/**
 * Reads one rollout file. Unreadable lines are reported once and skipped; all others are returned. Memory is bounded by
 * the maximum line length, independent of the file size.
 */
import { fstatSync } from "node:fs";
import { AppError } from "../../../base/errors.ts";
import type { Logger } from "../../../base/logger.ts";
import { parseLine, type RolloutLine } from "../../lines/line.ts";
import {
  backwardLines,
  DEFAULT_MAX_LINE_BYTES,
  forwardLines,
  lastLineWith,
  type RawLine,
  type ReadableFile,
  toReadable,
} from "./raw-lines.ts";
import type { RolloutFile, RolloutFiles, UnreadableReason } from "./rollout-files.ts";

/** A line with its position; the next line begins at `offset + length`. */
export interface LocatedLine {
  readonly path: string;
  readonly line: RolloutLine;
  readonly offset: number;
  readonly length: number;
}

export interface LineFault {
  readonly path: string;
  /** Counted from 1; null if the read did not start at the beginning. */
  readonly lineNumber: number | null;
  readonly offset: number;
  readonly reason: string;
}

export interface ReaderOptions {
  readonly maxLineBytes?: number;
  readonly onFault?: (fault: LineFault) => void;
}

export type OpenedRollout =
  | { readonly kind: "open"; readonly reader: RolloutReader }
  | { readonly kind: "unreadable"; readonly reason: UnreadableReason; readonly message: string };

export interface LinePage {
  /** Newest first. */
  readonly lines: readonly LocatedLine[];
  /** Where the next page ends; null at the beginning of the file. */
  readonly before: number | null;
}

export async function openRollout(
  files: RolloutFiles,
  path: string,
  options: ReaderOptions = {},
): Promise<OpenedRollout> {
  const opened = await files.open(path);
  if (opened.kind === "open") return { kind: "open", reader: new RolloutReader(path, opened, options) };
  const message =
    opened.reason === "notAFile" ? `${path} is not a file` : `cannot read ${path}: ${opened.message}`;
  return { ...opened, message };
}

export class RolloutReader {
  readonly path: string;
  readonly #opened: RolloutFile;
  readonly #file: ReadableFile;
  readonly #maxLineBytes: number;
  readonly #onFault: (fault: LineFault) => void;
  readonly #reported = new Set<number>();

  constructor(path: string, opened: RolloutFile, options: ReaderOptions) {
    this.path = path;
    this.#opened = opened;
    this.#file = toReadable(opened.file);
    this.#maxLineBytes = options.maxLineBytes ?? DEFAULT_MAX_LINE_BYTES;
    this.#onFault = options.onFault ?? (() => {});
  }

  async size(): Promise<number> {
    return fstatSync(this.#opened.file).size;
  }

  /** The lines between two byte offsets; by default, up to the size at the start of the read. */
  async *lines(range: { readonly from?: number; readonly to?: number } = {}): AsyncGenerator<LocatedLine> {
    const from = range.from ?? 0;
    const to = Math.min(range.to ?? Number.POSITIVE_INFINITY, await this.size());
    let lineNumber = from === 0 ? 0 : null;
    for await (const batch of forwardLines(this.#file, { from, to }, this.#maxLineBytes)) {
      for (const raw of batch) {
        if (lineNumber !== null) lineNumber += 1;
        const located = this.#locate(raw, lineNumber);
        if (located !== null) yield located;
      }
    }
  }

  /** A page of lines before a byte offset, or before the end. */
  async page(options: { readonly before?: number; readonly limit: number }): Promise<LinePage> {
    let before = options.before ?? (await this.size());
    const lines: LocatedLine[] = [];
    while (before > 0 && lines.length < options.limit) {
      const limit = options.limit - lines.length;
      const raws = await backwardLines(this.#file, { before, limit, maxLineBytes: this.#maxLineBytes });
      if (raws.length === 0) break;
      for (const raw of raws) {
        const located = this.#locate(raw, null);
        if (located !== null) lines.push(located);
        before = raw.offset;
      }
    }
    return { lines, before: before > 0 ? before : null };
  }

  /** The last line before an offset that contains the text and is accepted; only candidate lines are parsed. */
  async lastWith(
    text: string,
    before: number,
    accepts: (line: LocatedLine) => boolean,
  ): Promise<LocatedLine | null> {
    const bytes = Buffer.from(text);
    let from = await lastLineWith(this.#file, bytes, before);
    while (from !== null) {
      for await (const located of this.lines({ from, to: before })) {
        if (located.offset === from && accepts(located)) return located;
        break;
      }
      from = await lastLineWith(this.#file, bytes, from);
    }
    return null;
  }

  /** The end of the last complete line; bytes after it are incomplete. */
  async endOfLines(size: number): Promise<number> {
    const [last] = await backwardLines(this.#file, { before: size, limit: 1, maxLineBytes: 0 });
    return last === undefined || last.terminated ? size : last.offset;
  }

  async close(): Promise<void> {
    this.#opened.close();
  }

  #locate(raw: RawLine, lineNumber: number | null): LocatedLine | null {
    const { offset, length } = raw;
    const parsed =
      raw.text === null
        ? ({ kind: "bad", reason: `longer than ${this.#maxLineBytes} bytes` } as const)
        : parseLine(offset === 0 ? raw.text.replace(/^\uFEFF/, "") : raw.text);
    if (parsed.kind === "line") return { path: this.path, line: parsed.line, offset, length };
    if (parsed.kind === "bad" && !this.#reported.has(offset)) {
      this.#reported.add(offset);
      const reason = raw.terminated ? parsed.reason : "cut off";
      this.#onFault({ path: this.path, lineNumber, offset, reason });
    }
    return null;
  }
}

/** Logs unreadable lines and files, each once. */

export interface FaultList {
  line(fault: LineFault): void;
  file(path: string, reason: string): void;
}

const MAX_FAULTS = 1000;

export function createFaultList(log: Logger): FaultList {
  const known = new Set<string>();

  function report(key: string, message: string, path: string): void {
    if (known.has(key) || known.size >= MAX_FAULTS) return;
    known.add(key);
    // Lost history is an error, so that operators see it at the default log level.
    log.error(message, { path });
  }

  return {
    line({ path, lineNumber, offset, reason }) {
      const place = lineNumber === null ? `the line at byte ${offset}` : `line ${lineNumber}`;
      report(`${path}:${offset}`, `${place} of ${path} is skipped: ${reason}`, path);
    },
    file: (path, reason) => report(path, `${path} is left out: ${reason}`, path),
  };
}

/** A part of a file that belongs to a history; a fork or a revert continues in another file. */
export interface Segment {
  readonly path: string;
  /** The start offset; 0 by default. */
  readonly from?: number;
  /** The end offset; null for the newest file, which is read to its end. */
  readonly to: number | null;
}

/** The lines of all segments in order. */
export async function* readLineage(
  files: RolloutFiles,
  segments: readonly Segment[],
  options: ReaderOptions = {},
): AsyncGenerator<LocatedLine> {
  for (const { path, from = 0, to } of segments) {
    const opened = await openRollout(files, path, options);
    if (opened.kind === "unreadable") throw new AppError("rollout.unreadable", opened.message);
    try {
      yield* opened.reader.lines(to === null ? { from } : { from, to });
    } finally {
      await opened.reader.close();
    }
  }
}
