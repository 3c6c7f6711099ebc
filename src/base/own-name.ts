/**
 * Some sentences are part of the protocol as they are, with the name of the program whose clients know them. To people,
 * in its log and at the command line, Heddle says them in its own name.
 */
export function inOwnName(text: string): string {
  return text.replace(/^Codex (?=is ignoring |ran out of room |could not read |cannot attach )/u, "Heddle ");
}
