/** Loads the code and opens the store that the first thread of a server needs, in steps of a few milliseconds. */
import type { IdleStep } from "../base/idle-steps.ts";
import type { Machine } from "./machine/machine.ts";

/** For a server with a client, but without a thread. */
export function stepsBeforeThreads(
  storeAddress: string,
  openStore: () => Promise<unknown>,
): readonly IdleStep[] {
  return [
    () => import("./threads/thread-loader.ts"),
    () => import("../store/open/open-store.ts").then(({ loadStore }) => loadStore(storeAddress)),
    openStore,
    () => import("../model/providers/open-model.ts"),
    () => import("node:http"),
    // The first use of the store sets flags of V8.
    () => import("node:v8"),
    () => import("./threads/turns.ts"),
    () => import("./setup/skills.ts"),
    // Both start the helper process.
    () => import("node:child_process"),
    () => import("./machine/command-tools.ts"),
  ];
}

/**
 * Starts the process that starts commands. Its 40 MB of memory are for servers with a thread only, and it starts beside
 * the first turn, so that the first command does not wait for it.
 */
export async function startHelper({ commands }: Machine): Promise<void> {
  (await commands.get()).prepare();
}

/** For a server with a thread: the grammar takes 10 MB of memory. */
export function stepsBeforeCommands({ grammar, sandbox }: Machine): readonly IdleStep[] {
  return [
    // The first script compiles what parses scripts.
    async () => (await grammar()).read("echo a | b 'c' && d", () => null),
    sandbox,
  ];
}
