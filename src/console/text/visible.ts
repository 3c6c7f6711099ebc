/**
 * Makes characters visible that change how a text is read without being seen: controls, bidirectional and zero-width
 * characters. A person who decides about a command must see what runs.
 */
export interface VisiblePart {
  readonly text: string;
  /** Whether the part stands for a character that cannot be seen. */
  readonly isMark: boolean;
}

/** Line feeds and tabs are drawn as they are. */
const INVISIBLE = /[\p{Cc}\p{Cf}\p{Co}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]/gu;
const isDrawn = (character: string): boolean => character === "\n" || character === "\t";

export function toVisible(text: string): readonly VisiblePart[] {
  const parts: VisiblePart[] = [];
  let from = 0;
  for (const { 0: character, index } of text.matchAll(INVISIBLE)) {
    if (isDrawn(character)) continue;
    if (index > from) parts.push({ text: text.slice(from, index), isMark: false });
    parts.push({ text: markOf(character), isMark: true });
    from = index + character.length;
  }
  if (from < text.length) parts.push({ text: text.slice(from), isMark: false });
  return parts;
}

/** Controls that turn the order of what follows them: a text can hide in them what it says. */
const BIDIRECTIONAL = /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/gu;

/** Prose, in which other invisible characters are common, as those that join emoji. */
export const withBidiMarks = (text: string): string => text.replace(BIDIRECTIONAL, markOf);

export const hasInvisible = (text: string): boolean => toVisible(text).some(({ isMark }) => isMark);

function markOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `‹U+${code.toString(16).toUpperCase().padStart(4, "0")}›`;
}
