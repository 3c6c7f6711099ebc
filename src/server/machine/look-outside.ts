import { stat } from "node:fs/promises";
import { FILE_DEADLINE_MS, workOutside } from "../../base/thread-pool.ts";
import { refuse } from "../configuration/refusal.ts";

const SILENT = `did not answer within ${FILE_DEADLINE_MS / 1000} seconds`;

/** A look at a path that a client has named, for which nobody waits for ever; it throws what `look` throws. */
export async function lookOutside<T>(path: string, look: () => Promise<T>): Promise<T> {
  const outcome = await workOutside(path, look);
  if (outcome.kind === "done") return outcome.value;
  throw new Error(`the file system of ${path} ${SILENT}`);
}

/**
 * Refuses a folder on a disk that does not answer. Much of what a thread looks at in its folder is looked at without
 * leaving the main thread, and would stop everybody.
 */
export async function requireAnswer(folder: string): Promise<void> {
  const outcome = await workOutside(folder, () => stat(folder).catch(() => null));
  if (outcome.kind === "done") return;
  throw refuse(`the file system of ${folder} ${SILENT}; choose another folder`);
}
