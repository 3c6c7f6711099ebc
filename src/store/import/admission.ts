/** Which entries of a transcript belong to the conversation as it stands. */
import type { TranscriptEntry } from "./transcript-entry.ts";

/**
 * Says why an entry is left out, or null. Going back to an earlier message leaves the old answer in the file: what
 * follows from an abandoned message is abandoned too. Some versions write entries a second time.
 */
export function createAdmission(abandoned: ReadonlySet<string>): (entry: TranscriptEntry) => string | null {
  const seen = new Set<string>();
  const dropped = new Set<string>();
  return (entry) => {
    if (entry.kind === "title") return null;
    const { uuid, parentUuid, isSidechain } = entry.envelope;
    if (isSidechain) return "words of a sub-agent";
    if (uuid !== null && seen.has(uuid)) return "written twice";
    if (uuid !== null) seen.add(uuid);
    const isDropped =
      (uuid !== null && abandoned.has(uuid)) || (parentUuid !== null && dropped.has(parentUuid));
    if (isDropped && uuid !== null) dropped.add(uuid);
    // Entries without meaning stand between others all the same.
    if (entry.kind === "bookkeeping") return "bookkeeping of the program";
    return isDropped ? "taken back by the user" : null;
  };
}
