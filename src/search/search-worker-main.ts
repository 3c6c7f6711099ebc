/** The entry point of the worker thread: a separate bundle, started by `openWorkerSearchHost`. */
import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "../base/clock.ts";
import type { FileSearch, FileSearchOptions } from "./file-search.ts";
import { createLocalSearchHost } from "./local-search-host.ts";
import type { FromSearchThread, ToSearchThread } from "./open-search-host.ts";

/** Only searches share this thread, so slices may be long. */
const SLICE_MS = 20;

const host = createLocalSearchHost({
  ...(workerData as FileSearchOptions),
  clock: systemClock,
  sliceMs: SLICE_MS,
});
const searches = new Map<number, FileSearch>();
const send = (message: FromSearchThread): void => parentPort?.postMessage(message, []);

parentPort?.on("message", (message: ToSearchThread) => {
  const { id } = message;
  if (message.kind === "open") {
    const search = host.open(message.request, {
      onUpdate: (query, files) => send({ kind: "update", id, query, files }),
      onComplete: (query) => send({ kind: "complete", id, query }),
    });
    searches.set(id, search);
  } else if (message.kind === "update") searches.get(id)?.update(message.query);
  else {
    searches.get(id)?.close();
    searches.delete(id);
  }
});
