import type { Subject } from "./decision-log.ts";

/** Characters of a subject's words that are kept; what a command line or a list of paths says beyond it is left out. */
export const MAX_SUBJECT_CHARACTERS = 8192;

/** Keeps a subject within bounds: words beyond them are cut, and a mark tells that. */
export function clipSubject(subject: Subject): Subject {
  switch (subject.kind) {
    case "command":
      return { ...subject, argv: clipWords(subject.argv) };
    case "fileChange":
      return { ...subject, paths: clipWords(subject.paths) };
    case "mcpTool":
      return subject;
  }
}

function clipWords(words: readonly string[]): readonly string[] {
  let room = MAX_SUBJECT_CHARACTERS;
  const kept: string[] = [];
  for (const word of words) {
    if (word.length > room) return [...kept, `${word.slice(0, room)}…`];
    kept.push(word);
    room -= word.length;
  }
  return kept;
}
