/** Signals to whole process groups; a group that is gone already is not an error. */

/** Sends a signal to every process of a group, and says whether there was one to take it. */
export function signalGroup(groupId: number, name: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-groupId, name);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    // EPERM: the group is there, but what is left of it belongs to another user.
    if (code === "EPERM") return true;
    if (code === "ESRCH") return false;
    throw error;
  }
}

/** SIGTERM, then SIGKILL when something of the group is left after the grace; the function takes the second back. */
export function terminateGroup(groupId: number, graceMs: number): () => void {
  if (!signalGroup(groupId, "SIGTERM")) return () => {};
  const timer = setTimeout(() => signalGroup(groupId, "SIGKILL"), graceMs);
  timer.unref();
  return () => clearTimeout(timer);
}
