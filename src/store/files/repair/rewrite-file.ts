/**
 * Writes a corrected copy of a rollout. If other files are based on it, every line keeps its offset, because they refer
 * to it by byte offset.
 */
import { openRegularFile } from "../../../base/open-regular-file.ts";
import { parseLine, type RolloutLine } from "../../lines/line.ts";
import { type AtomicFile, openAtomicFile } from "../rollout/atomic-file.ts";
import { forwardLines, type RawLine } from "../rollout/raw-lines.ts";
import { examineFile, type FileExamination, REPAIR_SUFFIX } from "./examine-file.ts";

export interface RewriteOptions {
  /** Whether other files are based on this one. */
  readonly keepOffsets: boolean;
  /** Whether the base of the file is missing, so that the file must become self-contained. */
  readonly detach: boolean;
}

/** The finished copy, or why there is none. */
export type Rewritten =
  | { readonly kind: "ready"; readonly file: AtomicFile }
  | { readonly kind: "impossible"; readonly why: string };

export async function rewriteFile(examined: FileExamination, options: RewriteOptions): Promise<Rewritten> {
  const { path } = examined.found;
  if (examined.hasGiantLine) return { kind: "impossible", why: "one of its lines is too long to be copied" };
  if (options.detach && options.keepOffsets)
    return { kind: "impossible", why: "another thread is based on it and refers to its offsets" };
  const copy = await openAtomicFile({ path, suffix: REPAIR_SUFFIX });
  try {
    const rewriter = options.keepOffsets
      ? new OffsetPreservingRewriter(examined)
      : new RenumberingRewriter(examined, options);
    const opened = await openRegularFile(path);
    if (opened.kind === "refused") throw new Error(opened.message);
    const { file: source } = opened;
    try {
      for await (const batch of forwardLines(source, { from: 0, to: examined.stamp.size })) {
        for (const raw of batch) await copy.write(rewriter.take(raw));
      }
      await copy.write(rewriter.finish());
    } finally {
      await source.close();
    }
    await copy.seal();
    const why = rewriter.obstacle ?? (await remainingFault(examined, copy.temporary));
    if (why === null) return { kind: "ready", file: copy };
    await copy.discard();
    return { kind: "impossible", why };
  } catch (error) {
    await copy.discard();
    throw error;
  }
}

/** Only a copy without faults may replace a history file. */
async function remainingFault({ found }: FileExamination, temporary: string): Promise<string | null> {
  const { faults } = await examineFile({ ...found, path: temporary });
  const [first] = faults;
  return first === undefined
    ? null
    : `line ${first.lineNumber ?? "?"} would still be wrong: ${first.message}`;
}

function lineOf({ text, offset }: RawLine): RolloutLine | null {
  const parsed = parseLine(offset === 0 ? (text ?? "").replace(/^\uFEFF/, "") : (text ?? ""));
  return parsed.kind === "line" ? parsed.line : null;
}

/** Corrects the thread id, and removes the reference to a missing base. */
function repairMeta(line: RolloutLine, threadId: string, detach: boolean): RolloutLine {
  const { history_base: base, forked_from_ordinal_exclusive: forkedAt, ...rest } = line.payload;
  const isCorrect = rest["id"] === threadId;
  if (isCorrect && !detach) return line;
  const sessionId = rest["session_id"] === rest["id"] ? threadId : rest["session_id"];
  const place = detach ? {} : { history_base: base, forked_from_ordinal_exclusive: forkedAt };
  return { ...line, payload: { ...rest, ...place, id: threadId, session_id: sessionId ?? threadId } };
}

const NUMBERED = /^(\s*\{"timestamp":"[^"]*",)"ordinal":\d+,/;

/** A line that is only renumbered keeps its text: numbers beyond double precision would not survive parsing. */
function renumber(text: string, line: RolloutLine, ordinal: number): string {
  if (line.ordinal === ordinal) return text;
  if (NUMBERED.test(text)) return text.replace(NUMBERED, `$1"ordinal":${ordinal},`);
  const { timestamp, ordinal: _wrong, ...rest } = line;
  return JSON.stringify({ timestamp, ordinal, ...rest });
}

/** Omits unreadable lines and renumbers the rest. */
class RenumberingRewriter {
  readonly obstacle = null;
  readonly #threadId: string;
  readonly #detach: boolean;
  readonly #first: number;
  #ordinal: number | null = null;
  #lines = 0;

  constructor({ found, base }: FileExamination, { detach }: RewriteOptions) {
    this.#threadId = found.name.threadId;
    this.#detach = detach;
    this.#first = detach ? 0 : (base?.end_ordinal_exclusive ?? 0);
  }

  take(raw: RawLine): string {
    const line = lineOf(raw);
    if (line === null) return "";
    this.#lines += 1;
    const isMeta = this.#lines === 1 && line.type === "session_meta";
    if (isMeta && line.payload["history_mode"] === "paginated") this.#ordinal = this.#first;
    const repaired = isMeta ? repairMeta(line, this.#threadId, this.#detach) : line;
    const text = repaired === line ? (raw.text ?? "").replace(/^\uFEFF/, "") : JSON.stringify(repaired);
    if (this.#ordinal === null) return `${text}\n`;
    const numbered = renumber(text, repaired, this.#ordinal);
    this.#ordinal += 1;
    return `${numbered}\n`;
  }

  finish(): string {
    return "";
  }
}

/** Keeps every byte offset: an unreadable line becomes an empty line of the same length. */
class OffsetPreservingRewriter {
  obstacle: string | null = null;
  readonly #threadId: string;
  #expected: number;
  #waiting: RawLine[] = [];
  #isFirst = true;

  constructor({ found, base }: FileExamination) {
    this.#threadId = found.name.threadId;
    this.#expected = base?.end_ordinal_exclusive ?? 0;
  }

  take(raw: RawLine): string {
    const line = lineOf(raw);
    if (line === null) {
      // No other file can be based on a cut-off last line.
      if (raw.terminated) this.#waiting.push(raw);
      return "";
    }
    const filled = this.#fill((line.ordinal ?? this.#expected) - this.#expected, line.timestamp);
    this.#expected = (line.ordinal ?? this.#expected) + 1;
    const isMeta = this.#isFirst && line.type === "session_meta";
    this.#isFirst = false;
    const repaired = isMeta ? repairMeta(line, this.#threadId, false) : line;
    const text = repaired === line ? (raw.text ?? "") : JSON.stringify(repaired);
    const room = raw.terminated ? raw.length - 1 : Number.POSITIVE_INFINITY;
    return filled + this.#fit(text.replace(/^\uFEFF/, ""), room);
  }

  finish(): string {
    return this.#fill(0, "");
  }

  /**
   * Turns unreadable lines into lines without content; as many of them get an ordinal as are missing before the next
   * line.
   */
  #fill(missing: number, timestamp: string): string {
    const lines = this.#waiting;
    this.#waiting = [];
    return lines
      .map(({ length }, at) => {
        const ordinal = this.#expected + at;
        const payload = { type: "token_count", info: null, rate_limits: null };
        const text = at < missing ? JSON.stringify({ timestamp, ordinal, type: "event_msg", payload }) : "";
        return this.#fit(text, length - 1);
      })
      .join("");
  }

  #fit(text: string, room: number): string {
    const spare = room - Buffer.byteLength(text);
    if (spare < 0) this.obstacle ??= "another thread is based on it, and its lines would have to move";
    return `${text}${Number.isFinite(spare) && spare > 0 ? " ".repeat(spare) : ""}\n`;
  }
}
