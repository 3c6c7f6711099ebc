import { checkMountResponsive, describeUnresponsive, runWithDeadline } from "../../base/thread-pool.ts";
import { refuse } from "../configuration/refusal.ts";

/** A look at a path that a client has named, for which nobody waits for ever; it throws what `look` throws. */
export async function readWithDeadline<T>(path: string, look: () => Promise<T>): Promise<T> {
  const outcome = await runWithDeadline(path, look);
  if (outcome.kind === "done") return outcome.value;
  throw new Error(describeUnresponsive(path));
}

/** Refuses a folder on a disk that does not answer. */
export async function requireResponsiveMount(folder: string): Promise<void> {
  const unresponsive = await checkMountResponsive(folder);
  if (unresponsive !== null) throw refuse(`${unresponsive}; choose another folder`);
}
