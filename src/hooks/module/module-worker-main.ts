/**
 * The program of the thread that a module of hooks runs in: a bundle of its own, started by `openModuleHost`. The module
 * exports a function as its default, which is called with the event's input and `{ signal }`; what it returns is the
 * answer, text as it is and anything else as JSON.
 */
import { pathToFileURL } from "node:url";
import { parentPort, workerData } from "node:worker_threads";
import { messageOf } from "../../base/errors.ts";
import { watchModuleFile } from "./module-file.ts";
import type { FromModule, ModuleData, ToModule } from "./module-thread.ts";

type ModuleHook = (input: unknown, context: { readonly signal: AbortSignal }) => unknown;

const { path, maxAnswerBytes } = workerData as ModuleData;
const running = new Map<number, AbortController>();
const send = (message: FromModule): void => parentPort?.postMessage(message, []);
const file = watchModuleFile(path);
const loaded = load();
// Each call hears of it; until there is one, nobody does.
loaded.catch(() => {});

async function load(): Promise<ModuleHook> {
  const { href } = pathToFileURL(path);
  const exported = ((await import(href)) as { readonly default?: unknown }).default;
  if (typeof exported !== "function")
    throw new Error(
      "the module exports no function as its default; write `export default async (input) => …`",
    );
  return exported as ModuleHook;
}

async function call(id: number, input: string): Promise<void> {
  const state = file.look();
  if (state.kind === "changed") return send({ kind: "stale", id });
  if (state.kind === "refused") return send({ kind: "failed", id, message: state.reason });
  const abort = new AbortController();
  running.set(id, abort);
  try {
    const hook = await loaded;
    send({ kind: "answered", id, ...toText(await hook(JSON.parse(input), { signal: abort.signal })) });
  } catch (error) {
    send({ kind: "failed", id, message: messageOf(error) });
  } finally {
    running.delete(id);
  }
}

/** Nothing, for what has no form as JSON. */
function toText(answer: unknown): { readonly text: string; readonly isCut: boolean } {
  const text = typeof answer === "string" ? answer : answer === null ? "" : (JSON.stringify(answer) ?? "");
  const bytes = Buffer.from(text);
  if (bytes.length <= maxAnswerBytes) return { text, isCut: false };
  return { text: bytes.subarray(0, maxAnswerBytes).toString("utf8"), isCut: true };
}

parentPort?.on("message", (message: ToModule) => {
  if (message.kind === "call") {
    void call(message.id, message.input);
    return;
  }
  send({ kind: "cancelled", id: message.id });
  running.get(message.id)?.abort();
});
