import { inBackground } from "../../base/tasks.ts";
import type { RuntimeDeps } from "../setup/runtime-deps.ts";

/** Releases the resources of a thread that was unloaded or could not be loaded. */
export function releaseThread({ observers, machine, mcp, hooks, host }: RuntimeDeps, threadId: string): void {
  observers.forget(threadId);
  for (const { peek } of [machine.commands, mcp, hooks]) {
    const released = peek().then((holder) => holder?.forget(threadId));
    inBackground(host.log, "releasing a thread", released);
  }
}
