/**
 * The code of a module's thread. The module's default export is a function that is called with the event's
 * input and `{ signal }`; a returned string is the raw output, and any other value is serialized as JSON.
 */
import { createHash } from "node:crypto";
import { statSync } from "node:fs";
import { pathToFileURL } from "node:url";
import type { MessagePort } from "node:worker_threads";
import { messageOf, osErrorText } from "../../base/errors.ts";
import { isSettled, stampOf } from "../../base/file-stamp.ts";
import { readRegularFileSync } from "../../base/read-regular-file.ts";
import type { FromModule, ModuleData, ToModule } from "./module-thread.ts";

type ModuleHook = (input: unknown, context: { readonly signal: AbortSignal }) => unknown;

export function runModule({ path, maxAnswerBytes }: ModuleData, port: MessagePort): void {
  const running = new Map<number, AbortController>();
  const send = (message: FromModule): void => port.postMessage(message, []);
  const file = watchModuleFile(path);
  const loaded = load(path);
  // Each call reports the load error; without a call the rejection must not be unhandled.
  loaded.catch(() => {});

  async function call(id: number, input: string): Promise<void> {
    const state = file.check();
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

/** Empty for values without a JSON form. */
function toText(answer: unknown, maxBytes: number): { readonly text: string; readonly isCut: boolean } {
  const text = typeof answer === "string" ? answer : answer === null ? "" : (JSON.stringify(answer) ?? "");
  const bytes = Buffer.from(text);
  if (bytes.length <= maxBytes) return { text, isCut: false };
  return { text: bytes.subarray(0, maxBytes).toString("utf8"), isCut: true };
}

/**
 * Detects whether a module's file has changed since it was loaded. The check runs in the module's own thread
 * before each call, so that a file system that does not respond blocks no other thread.
 */
interface ModuleFile {
  check(): FileState;
}

type FileState =
  | { readonly kind: "same" | "changed" }
  /** The file cannot be read. */
  | { readonly kind: "refused"; readonly reason: string };

interface FileSnapshot {
  /** Null where a later write could leave the same timestamps. */
  readonly stamp: string | null;
  readonly digest: string;
}

type SnapshotResult = FileSnapshot | { readonly reason: string };

const MAX_MODULE_BYTES = 16 << 20;

function watchModuleFile(path: string, now: () => number = Date.now): ModuleFile {
  const first = takeSnapshot(path, null, now);
  let last = first;
  return {
    check() {
      const current = takeSnapshot(path, last, now);
      if ("reason" in current) return { kind: "refused", reason: current.reason };
      if ("reason" in first || current.digest !== first.digest) return { kind: "changed" };
      last = current;
      return { kind: "same" };
    },
  };
}

function takeSnapshot(path: string, last: SnapshotResult | null, now: () => number): SnapshotResult {
  try {
    const stats = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (stats === undefined) return { reason: `module ${path} does not exist` };
    const stamp = stampOf(stats);
    if (last !== null && "stamp" in last && last.stamp === stamp) return last;
    const read = readRegularFileSync(path, { maxBytes: MAX_MODULE_BYTES });
    if (read.kind === "refused") return { reason: `module ${path} cannot be read: ${read.message}` };
    const digest = createHash("sha256").update(read.bytes).digest("hex");
    return { stamp: isSettled(stats, now()) ? stamp : null, digest };
  } catch (error) {
    return { reason: `module ${path} cannot be read: ${osErrorText(error)}` };
  }
}
