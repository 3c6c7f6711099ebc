import { checkMountResponsive, describeUnresponsive, runWithDeadline } from "../../base/thread-pool.ts";
import { refuseInvalid, type ThreadRefusal } from "../configuration/thread-refusal.ts";

/** Reads a path that a client has named, within a deadline. Rethrows errors of `read`. */
export async function readWithDeadline<T>(path: string, read: () => Promise<T>): Promise<T> {
  const outcome = await runWithDeadline(path, read);
  if (outcome.kind === "done") return outcome.value;
  throw new Error(describeUnresponsive(path));
}

/** Refuses a folder on a mount that does not respond; null for others. */
export async function refuseUnresponsiveMount(folder: string): Promise<ThreadRefusal | null> {
  const unresponsive = await checkMountResponsive(folder);
  return unresponsive === null ? null : refuseInvalid(`${unresponsive}; choose another folder`);
}
