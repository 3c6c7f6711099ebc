/** Finds the plan that a model proposes in its text: a block between two tags that each have a line to themselves. */

const OPEN = "<proposed_plan>";
const CLOSE = "</proposed_plan>";
/** A longer line is none of a tag, however much of it is white space: it would be looked at again with each piece. */
const MAX_TAG_LINE = 256;

export type PlanPiece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "planStart" }
  | { readonly kind: "planText"; readonly text: string };

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
