/**
 * Writes a rollout anew beside the old file, without its faults. Where other files go on from this one, every line
 * stays at its place: they name the byte up to which it counts.
 */
import { openRegularFile } from "../../../base/open-regular-file.ts";
import { parseLine, type RolloutLine } from "../../lines/line.ts";
import { type AtomicFile, openAtomicFile } from "../rollout/atomic-file.ts";
import { forwardLines, type RawLine } from "../rollout/raw-lines.ts";
import { examineFile, type FileExamination, REPAIR_SUFFIX } from "./examine-file.ts";

export interface RewriteOptions {
  /** Whether other files go on from this one. */
  readonly keepPlaces: boolean;
  /** Whether the file that it goes on from is gone, so that it has to stand alone. */
  readonly detach: boolean;
}

/** The new file, sealed, or why there is none. */
export type Rewritten =
  | { readonly kind: "ready"; readonly file: AtomicFile }
  | { readonly kind: "impossible"; readonly why: string };

export async function rewriteFile(examined: FileExamination, options: RewriteOptions): Promise<Rewritten> {
  const { path } = examined.found;
  if (examined.hasGiantLine) return { kind: "impossible", why: "one of its lines is too long to be copied" };
  if (options.detach && options.keepPlaces)
    return { kind: "impossible", why: "another thread goes on from it, and would lose its place" };
  const beside = await openAtomicFile({ path, suffix: REPAIR_SUFFIX });
  try {
    const rewriter = options.keepPlaces ? new KeepingRewriter(examined) : new FreeRewriter(examined, options);
    const opened = await openRegularFile(path);
    if (opened.kind === "refused") throw new Error(opened.message);
    const { file: source } = opened;
    try {
      for await (const batch of forwardLines(source, { from: 0, to: examined.stamp.size })) {
        for (const raw of batch) await beside.write(rewriter.take(raw));
      }
      await beside.write(rewriter.finish());
    } finally {
      await source.close();
    }
    await beside.seal();
    const why = rewriter.obstacle ?? (await remainingFault(examined, beside.temporary));
    if (why === null) return { kind: "ready", file: beside };
    await beside.discard();
    return { kind: "impossible", why };
  } catch (error) {
    await beside.discard();
    throw error;
  }
}

/** Nothing is put in place of a history before it has been seen to be better. */
async function remainingFault({ found }: FileExamination, temporary: string): Promise<string | null> {
  const { faults } = await examineFile({ ...found, path: temporary });
  const [first] = faults;
  return first === undefined ? null : `line ${first.lineNumber ?? "?"} would still be wrong: ${first.says}`;
}

function lineOf({ text, offset }: RawLine): RolloutLine | null {
  const parsed = parseLine(offset === 0 ? (text ?? "").replace(/^\uFEFF/, "") : (text ?? ""));
  return parsed.kind === "line" ? parsed.line : null;
}

/** The line with the thread's right id, and on its own when the file before it is gone. */
function mendMeta(line: RolloutLine, threadId: string, detach: boolean): RolloutLine {
  const { history_base: base, forked_from_ordinal_exclusive: forkedAt, ...rest } = line.payload;
  const isRight = rest["id"] === threadId;
  if (isRight && !detach) return line;
  const sessionId = rest["session_id"] === rest["id"] ? threadId : rest["session_id"];
  const place = detach ? {} : { history_base: base, forked_from_ordinal_exclusive: forkedAt };
  return { ...line, payload: { ...rest, ...place, id: threadId, session_id: sessionId ?? threadId } };
}

const NUMBERED = /^(\s*\{"timestamp":"[^"]*",)"ordinal":\d+,/;

/** A line that is only numbered anew keeps its text: numbers beyond our precision would not survive a parsing. */
function renumber(text: string, line: RolloutLine, ordinal: number): string {
  if (line.ordinal === ordinal) return text;
  if (NUMBERED.test(text)) return text.replace(NUMBERED, `$1"ordinal":${ordinal},`);
  const { timestamp, ordinal: _wrong, ...rest } = line;
  return JSON.stringify({ timestamp, ordinal, ...rest });
}

/** Lines move up and are numbered anew. */
class FreeRewriter {
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
    const mended = isMeta ? mendMeta(line, this.#threadId, this.#detach) : line;
    const text = mended === line ? (raw.text ?? "").replace(/^\uFEFF/, "") : JSON.stringify(mended);
    if (this.#ordinal === null) return `${text}\n`;
    const numbered = renumber(text, mended, this.#ordinal);
    this.#ordinal += 1;
    return `${numbered}\n`;
  }

  finish(): string {
    return "";
  }
}

/** Every byte keeps its place: what cannot be read becomes a line of the same length that says nothing. */
class KeepingRewriter {
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
      // A last line that was cut off is behind everything that others count on.
      if (raw.terminated) this.#waiting.push(raw);
      return "";
    }
    const filled = this.#fill((line.ordinal ?? this.#expected) - this.#expected, line.timestamp);
    this.#expected = (line.ordinal ?? this.#expected) + 1;
    const isMeta = this.#isFirst && line.type === "session_meta";
    this.#isFirst = false;
    const mended = isMeta ? mendMeta(line, this.#threadId, false) : line;
    const text = mended === line ? (raw.text ?? "") : JSON.stringify(mended);
    const room = raw.terminated ? raw.length - 1 : Number.POSITIVE_INFINITY;
    return filled + this.#fit(text.replace(/^\uFEFF/, ""), room);
  }

  finish(): string {
    return this.#fill(0, "");
  }

  /** As many of the waiting lines get an ordinal as are missing before the next line. */
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
    if (spare < 0) this.obstacle ??= "another thread goes on from it, and its lines would have to move";
    return `${text}${Number.isFinite(spare) && spare > 0 ? " ".repeat(spare) : ""}\n`;
  }
}
