import { redactSecrets, redactWords } from "../../base/redact-secrets.ts";
import type { Subject, Verdict } from "./decision-log.ts";

/** Characters that are kept of a command line, a list of paths, a name or a reason; what it says beyond is left out. */
export const MAX_SUBJECT_CHARACTERS = 8192;

/** Keeps a subject within bounds and secrets out of it: words beyond the bound are cut, and a mark tells that. */
export function clipSubject(subject: Subject): Subject {
  switch (subject.kind) {
    case "command":
      return { ...subject, argv: clipWords(redactWords(subject.argv)) };
    case "fileChange":
      return { ...subject, paths: clipWords(subject.paths) };
    case "mcpTool":
      return { ...subject, server: clipText(subject.server), tool: clipText(subject.tool) };
    case "permissions":
      return { ...subject, read: clipWords(subject.read), write: clipWords(subject.write) };
  }
}

export function clipVerdict(verdict: Verdict): Verdict {
  const { by, reason } = verdict;
  return {
    ...verdict,
    // Both quote the command.
    by: by.kind === "rule" ? { ...by, prefix: clipWords(redactWords(by.prefix)) } : by,
    reason: reason === null ? null : clipText(redactSecrets(reason)),
  };
}

function clipText(text: string): string {
  return text.length > MAX_SUBJECT_CHARACTERS ? `${text.slice(0, MAX_SUBJECT_CHARACTERS)}…` : text;
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
