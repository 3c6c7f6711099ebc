// Deterministic ids derived from those of the session, so that a second import finds the first one.
import { createHash } from "node:crypto";

/** The id of a session's thread: a UUIDv7 with the creation time, by which rollout files are found. */
export function importedThreadId(sessionId: string, createdAtMs: number): string {
  const time = Math.max(0, createdAtMs).toString(16).padStart(12, "0").slice(-12);
  const hex = digest(["claude-code", sessionId]);
  return format(`${time}7${hex.slice(0, 3)}8${hex.slice(3, 18)}`);
}

/** A UUID for a part of a thread. */
export function importedId(threadId: string, ...parts: readonly string[]): string {
  const hex = digest([threadId, ...parts]);
  return format(`${hex.slice(0, 12)}8${hex.slice(12, 15)}8${hex.slice(15, 30)}`);
}

const MAX_CALL_ID = 64;

/** The id of a call in the model's history: an id that is too long or has other characters is replaced by a digest. */
export function importedCallId(threadId: string, sourceId: string): string {
  const fits = sourceId.length <= MAX_CALL_ID && /^[\w-]+$/.test(sourceId);
  return fits ? sourceId : `call_${digest([threadId, sourceId]).slice(0, 24)}`;
}

function digest(parts: readonly string[]): string {
  return createHash("sha256").update(JSON.stringify(parts)).digest("hex");
}

function format(hex: string): string {
  const ends = [8, 12, 16, 20, 32];
  return ends.map((end, at) => hex.slice(at === 0 ? 0 : ends[at - 1], end)).join("-");
}
