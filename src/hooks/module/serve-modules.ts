/** The code of the module process: it runs calls of the server, and exits when the IPC channel closes. */
import { systemClock } from "../../base/clock.ts";
import type { HandlerResult } from "../outcome.ts";
import type { PrintedText } from "./module-thread.ts";
import { openModuleThreads } from "./open-module-threads.ts";

/** Messages from the server to the process. */
export type ToProcess =
  | {
      readonly kind: "call";
      readonly id: number;
      readonly path: string;
      readonly input: string;
      readonly timeoutSeconds: number;
    }
  /** The caller no longer waits for the answer. */
  | { readonly kind: "cancel"; readonly id: number };

/** Messages from the process to the server. */
export type FromProcess =
  | { readonly kind: "result"; readonly id: number; readonly result: HandlerResult }
  | ({ readonly kind: "printed" } & PrintedText);

export function serveModules(process: NodeJS.Process): void {
  const [, file = "", maxThreads = "1"] = process.argv;
  const send = (message: FromProcess): void => void process.send?.(message);
  const modules = openModuleThreads({
    file,
    clock: systemClock,
    maxThreads: Number(maxThreads),
    onPrinted: (printed) => send({ kind: "printed", ...printed }),
  });
  const running = new Map<number, AbortController>();

  process.on("message", (message: ToProcess) => {
    if (message.kind === "cancel") {
      running.get(message.id)?.abort();
      return;
    }
    const { id, kind: _kind, ...call } = message;
    const abort = new AbortController();
    running.set(id, abort);
    void modules.run({ ...call, signal: abort.signal }).then((result) => {
      running.delete(id);
      send({ kind: "result", id, result });
    });
  });
  // Exits even while a module is running.
  process.on("disconnect", () => process.exit());
}
