/** Removes tagged blocks from streamed text, even where a tag is split between deltas. */

export interface HiddenTags {
  /** Returns the text that can be shown now. */
  push(text: string): string;
  /** Returns the text that was held back as a possible tag. A block that is still open ends here. */
  finish(): string;
  /** The contents of the closed blocks so far. */
  readonly found: readonly string[];
}

export function createHiddenTags(open: string, close: string): HiddenTags {
  const found: string[] = [];
  const first = open.slice(0, 1);
  /** The end of the text so far that may be the beginning of a tag. */
  let held = "";
  /** The content of the open block. */
  let inner = "";
  let inside = false;

  function push(text: string): string {
    // The fast path for almost every delta.
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

/** The length of the longest suffix of the text that is a prefix of the tag. */
function overlap(text: string, tag: string): number {
  for (let length = Math.min(text.length, tag.length - 1); length > 0; length -= 1) {
    if (text.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}

const OPEN = "<proposed_plan>";
const CLOSE = "</proposed_plan>";
/** A longer line is not taken for a tag, even if most of it is white space: each delta would scan it again. */
const MAX_TAG_LINE = 256;

export type PlanPiece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "planStart" }
  | { readonly kind: "planText"; readonly text: string };

/** Finds the plan that a model proposes in its text: a block between two tags, each on a line by itself. */
export interface PlanTags {
  push(text: string): readonly PlanPiece[];
  /** Returns the text that was held back as a possible tag. A block that is still open ends here. */
  finish(): readonly PlanPiece[];
}

export function createPlanTags(): PlanTags {
  let inside = false;
  /** The current line, as long as it may become a tag; null when it cannot. */
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

  /** Takes a whole line or the beginning of one. */
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

/** Splits a complete text into the part outside of plans and the last plan; null where there is no plan. */
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
