import { sortedJson } from "../text/json.ts";
import { toWellFormed, utf8Length } from "../text/text.ts";

/** The rendered part of one payload. A body takes precedence over a reference. */
export interface ContextEntry {
  readonly payload_id: string;
  readonly payload_kind: string;
  readonly body?: string;
  readonly body_ref?: string;
}

/** Texts of a result have no payload ids, so they are numbered. */
export function entriesOfTexts(texts: readonly string[]): ContextEntry[] {
  return texts.map((body, index) => ({
    payload_id: `context-${index + 1}`,
    payload_kind: "context",
    body,
  }));
}

/** The compatible form: one JSON document as text, or an empty object without entries. */
export function contextDocument(entries: readonly ContextEntry[]): string {
  if (entries.length === 0) return "{}";
  const payloads = entries.map(({ payload_id, payload_kind, body, body_ref }) => ({
    ...(body === undefined ? { body_ref: body_ref ?? "" } : { body }),
    payload_id,
    payload_kind,
  }));
  return sortedJson({ payloads }, 2);
}

/**
 * The readable form: each text between two fences, as in Markdown. All fences of one context have the same length, and
 * are longer than any run of the fence character in the texts, so that no text can begin or end one, whatever it uses
 * as a line end.
 */
const FENCE_CHARACTER = "~";
const FENCE_UNIT = FENCE_CHARACTER.charCodeAt(0);
const MIN_FENCE = 3;

/** A text with a longer run is not fenced, because its fences would use up the budget of the others. */
export const MAX_FENCE_RUN = 64;

/** Line ends that JSON does not escape. */
const LINE_ENDS = /[\u007f\u0085\u2028\u2029]/g;

export function fencedContext(entries: readonly ContextEntry[]): string {
  const fence = fenceFor(entries);
  return entries.map((entry) => fenced(entry, fence)).join("\n");
}

/** A fence that none of the texts contains. */
export function fenceFor(entries: readonly ContextEntry[]): string {
  const longest = entries.reduce((length, entry) => Math.max(length, longestRun(textOf(entry))), 0);
  return FENCE_CHARACTER.repeat(Math.max(MIN_FENCE, longest + 1));
}

export function canBeFenced(entry: ContextEntry): boolean {
  return longestRun(textOf(entry)) <= MAX_FENCE_RUN;
}

/** The size of an entry with its fences and its last line end. */
export function fencedSize(entry: ContextEntry, fence: string): number {
  return utf8Length(fenced(entry, fence)) + 1;
}

function fenced(entry: ContextEntry, fence: string): string {
  const text = textOf(entry);
  const head = `${fence} payload ${quote(entry.payload_id)} of kind ${quote(entry.payload_kind)}`;
  return `${head}\n${text}${text === "" || text.endsWith("\n") ? "" : "\n"}${fence}`;
}

function textOf({ body, body_ref }: ContextEntry): string {
  return body === undefined ? `see ${quote(body_ref ?? "")}` : toWellFormed(body);
}

/** Quotes a text on one line. */
function quote(text: string): string {
  return JSON.stringify(toWellFormed(text)).replaceAll(
    LINE_ENDS,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function longestRun(text: string): number {
  let longest = 0;
  let run = 0;
  for (let at = text.indexOf(FENCE_CHARACTER); at >= 0 && at < text.length; at += 1) {
    run = text.charCodeAt(at) === FENCE_UNIT ? run + 1 : 0;
    if (run > longest) longest = run;
  }
  return longest;
}
