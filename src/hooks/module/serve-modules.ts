/** What the process of the modules does: it takes calls from the server, and ends with the connection to it. */
import { systemClock } from "../../base/clock.ts";
import type { HandlerResult } from "../outcome.ts";
import type { PrintedText } from "./module-thread.ts";
import { openModuleThreads } from "./open-module-threads.ts";

/** What the server says to the process. */
export type ToProcess =
  | {
      readonly kind: "call";
      readonly id: number;
      readonly path: string;
      readonly input: string;
      readonly timeoutSeconds: number;
    }
  /** Nobody waits for it any longer. */
  | { readonly kind: "cancel"; readonly id: number };

/** What the process says to the server. */
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
  // Whatever a module is doing.
  process.on("disconnect", () => process.exit());
}
