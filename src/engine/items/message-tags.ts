/** Takes out of streamed text what stands between two tags, wherever they are, also when a tag comes in pieces. */

export interface HiddenTags {
  /** The text that can be shown by now. */
  push(text: string): string;
  /** What was held back because it might have begun a tag. A tag that is still open ends here. */
  finish(): string;
  /** What stood between tags, so far. */
  readonly found: readonly string[];
}

export function createHiddenTags(open: string, close: string): HiddenTags {
  const found: string[] = [];
  const first = open.slice(0, 1);
  /** The end of the text so far, as far as it may be the beginning of a tag. */
  let held = "";
  /** What stands behind a tag that is open. */
  let inner = "";
  let inside = false;

  function push(text: string): string {
    // Almost every piece of a stream is plain text.
    if (held === "" && !inside && !text.includes(first)) return text;
    let rest = held + text;
    let shown = "";
    for (;;) {
      const tag = inside ? close : open;
      const at = rest.indexOf(tag);
      const end = at === -1 ? rest.length - overlap(rest, tag) : at;
      if (inside) inner += rest.slice(0, end);
      else shown += rest.slice(0, end);
      if (at === -1) {
        held = rest.slice(end);
        return shown;
      }
      rest = rest.slice(at + tag.length);
      if (inside) closeTag("");
      else inside = true;
    }
  }

  function closeTag(last: string): void {
    found.push(inner + last);
    inner = "";
    inside = false;
  }

  function finish(): string {
    const rest = held;
    held = "";
    if (!inside) return rest;
    closeTag(rest);
    return "";
  }

  return { push, finish, found };
}

/** How much of the end of the text is the beginning of the tag. */
function overlap(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length -= 1) {
    if (text.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}

const OPEN = "<proposed_plan>";
const CLOSE = "</proposed_plan>";
/** A longer line is none of a tag, however much of it is white space: it would be looked at again with each piece. */
const MAX_TAG_LINE = 256;

export type PlanPiece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "planStart" }
  | { readonly kind: "planText"; readonly text: string };

/** Finds the plan that a model proposes in its text: a block between two tags that each have a line to themselves. */
export interface PlanTags {
  push(text: string): readonly PlanPiece[];
  /** What was held back because it might have become a tag. A block that is still open ends here. */
  finish(): readonly PlanPiece[];
}

export function createPlanTags(): PlanTags {
  let inside = false;
  /** The line so far, as long as it can still become a tag; null when it cannot. */
  let line: string | null = "";

  function add(pieces: PlanPiece[], text: string): void {
    if (text === "") return;
    const kind = inside ? "planText" : "text";
    const last = pieces.at(-1);
    if (last !== undefined && last.kind === kind)
      pieces[pieces.length - 1] = { kind, text: last.text + text };
    else pieces.push({ kind, text });
  }

  function endLine(pieces: PlanPiece[], whole: string): void {
    const tag = whole.length > MAX_TAG_LINE ? "" : whole.trim();
    if (tag === OPEN && !inside) {
      inside = true;
      pieces.push({ kind: "planStart" });
    } else if (tag === CLOSE && inside) inside = false;
    else add(pieces, whole);
  }

  /** Takes one line or the beginning of one. */
  function take(pieces: PlanPiece[], part: string): void {
    const ends = part.endsWith("\n");
    if (line === null) add(pieces, part);
    else {
      const whole: string = line + part;
      if (ends) endLine(pieces, whole);
      else if (mayBecomeTag(whole)) {
        line = whole;
        return;
      } else {
        add(pieces, whole);
        line = null;
      }
    }
    if (ends) line = "";
  }

  return {
    push(text) {
      const pieces: PlanPiece[] = [];
      for (const part of text.match(/[^\n]*\n|[^\n]+/g) ?? []) take(pieces, part);
      return pieces;
    },
    finish() {
      const pieces: PlanPiece[] = [];
      if (line !== null && line !== "") endLine(pieces, line);
      line = "";
      inside = false;
      return pieces;
    },
  };
}

function mayBecomeTag(line: string): boolean {
  if (line.length > MAX_TAG_LINE) return false;
  const start = line.trim();
  return OPEN.startsWith(start) || CLOSE.startsWith(start);
}

/** A whole text without its plans, and the last of them; null when there is none. */
export function splitPlan(text: string): { readonly text: string; readonly plan: string | null } {
  const tags = createPlanTags();
  let rest = "";
  let plan: string | null = null;
  for (const piece of [...tags.push(text), ...tags.finish()]) {
    if (piece.kind === "text") rest += piece.text;
    else plan = piece.kind === "planStart" ? "" : (plan ?? "") + piece.text;
  }
  return { text: rest, plan };
}
