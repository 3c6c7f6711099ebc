import { toWellFormed, utf8Length } from "../text/text.ts";
import type { ContextEntry } from "./context-entry.ts";

/**
 * The readable form: each text between two fences, as in Markdown. All fences of one context are of one length, and
 * longer than any run of their sign in any of the texts, so nothing inside can end or begin one, whatever it takes for
 * the end of a line.
 */
const SIGN = "~";
const SIGN_UNIT = SIGN.charCodeAt(0);
const SHORTEST_FENCE = 3;

/** A text with a longer run of the sign is not fenced: its fence would cost all others their room. */
export const LONGEST_RUN = 64;

/** Ends of lines that JSON leaves as they are. */
const LINE_ENDS = /[\u007f\u0085\u2028\u2029]/g;

export function fencedContext(entries: readonly ContextEntry[]): string {
  const fence = fenceFor(entries);
  return entries.map((entry) => fenced(entry, fence)).join("\n");
}

/** The fence that none of the texts can contain. */
export function fenceFor(entries: readonly ContextEntry[]): string {
  const longest = entries.reduce((length, entry) => Math.max(length, longestRun(textOf(entry))), 0);
  return SIGN.repeat(Math.max(SHORTEST_FENCE, longest + 1));
}

export function canBeFenced(entry: ContextEntry): boolean {
  return longestRun(textOf(entry)) <= LONGEST_RUN;
}

/** What it takes of a budget, with its fences and the end of its last line. */
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

/** On one line, whatever is in it. */
function quote(text: string): string {
  return JSON.stringify(toWellFormed(text)).replaceAll(
    LINE_ENDS,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function longestRun(text: string): number {
  let longest = 0;
  let run = 0;
  for (let at = text.indexOf(SIGN); at >= 0 && at < text.length; at += 1) {
    run = text.charCodeAt(at) === SIGN_UNIT ? run + 1 : 0;
    if (run > longest) longest = run;
  }
  return longest;
}
