import { findSilence, silenceOf, workOutside } from "../../base/thread-pool.ts";
import { refuse } from "../configuration/refusal.ts";

/** A look at a path that a client has named, for which nobody waits for ever; it throws what `look` throws. */
export async function lookOutside<T>(path: string, look: () => Promise<T>): Promise<T> {
  const outcome = await workOutside(path, look);
  if (outcome.kind === "done") return outcome.value;
  throw new Error(silenceOf(path));
}

/** Refuses a folder on a disk that does not answer. */
export async function requireAnswer(folder: string): Promise<void> {
  const silence = await findSilence(folder);
  if (silence !== null) throw refuse(`${silence}; choose another folder`);
}
