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
    () => import("./threads/turns.ts"),
    () => import("./setup/skills.ts"),
  ];
}

/**
 * For a server with a thread: the process that starts commands takes 40 MB of memory, and the grammar 10 MB.
 */
export function stepsBeforeCommands({ commands, grammar, sandbox }: Machine): readonly IdleStep[] {
  return [
    async () => (await commands.get()).prepare(),
    // The first script compiles what parses scripts.
    async () => (await grammar()).read("echo a | b 'c' && d", () => null),
    sandbox,
  ];
}
