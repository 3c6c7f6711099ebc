/**
 * Replaces the product name in messages for people. Some texts are part of the protocol verbatim and begin with the name
 * Codex; in the log and on the command line they name Heddle.
 */
export function withOwnProductName(text: string): string {
  return text.replace(/^Codex (?=is ignoring |ran out of room |could not read |cannot attach )/u, "Heddle ");
}
