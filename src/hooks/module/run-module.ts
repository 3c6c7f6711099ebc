/**
 * What the thread of a module does. The module exports a function as its default, which is called with the event's input
 * and `{ signal }`; what it returns is the answer, text as it is and anything else as JSON.
 */
import { pathToFileURL } from "node:url";
import type { MessagePort } from "node:worker_threads";
import { messageOf } from "../../base/errors.ts";
import { watchModuleFile } from "./module-file.ts";
import type { FromModule, ModuleData, ToModule } from "./module-thread.ts";

type ModuleHook = (input: unknown, context: { readonly signal: AbortSignal }) => unknown;

export function runModule({ path, maxAnswerBytes }: ModuleData, port: MessagePort): void {
  const running = new Map<number, AbortController>();
  const send = (message: FromModule): void => port.postMessage(message, []);
  const file = watchModuleFile(path);
  const loaded = load(path);
  // Each call hears of it; until there is one, nobody does.
  loaded.catch(() => {});

  async function call(id: number, input: string): Promise<void> {
    const state = file.look();
    if (state.kind === "changed") return send({ kind: "stale", id });
    if (state.kind === "refused") return send({ kind: "failed", id, message: state.reason });
    const abort = new AbortController();
    running.set(id, abort);
    try {
      const hook = await loaded;
      const answer = await hook(JSON.parse(input), { signal: abort.signal });
      send({ kind: "answered", id, ...toText(answer, maxAnswerBytes) });
    } catch (error) {
      send({ kind: "failed", id, message: messageOf(error) });
    } finally {
      running.delete(id);
    }
  }

  port.on("message", (message: ToModule) => {
    if (message.kind === "call") {
      void call(message.id, message.input);
      return;
    }
    send({ kind: "cancelled", id: message.id });
    running.get(message.id)?.abort();
  });
}

async function load(path: string): Promise<ModuleHook> {
  const { href } = pathToFileURL(path);
  const exported = ((await import(href)) as { readonly default?: unknown }).default;
  if (typeof exported !== "function")
    throw new Error(
      "the module exports no function as its default; write `export default async (input) => …`",
    );
  return exported as ModuleHook;
}

/** Nothing, for what has no form as JSON. */
function toText(answer: unknown, maxBytes: number): { readonly text: string; readonly isCut: boolean } {
  const text = typeof answer === "string" ? answer : answer === null ? "" : (JSON.stringify(answer) ?? "");
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return { text, isCut: false };
  return { text: bytes.subarray(0, maxBytes).toString("utf8"), isCut: true };
}
