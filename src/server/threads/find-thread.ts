import type { Engine } from "../../engine/engine.ts";
import type { Thread } from "../../engine/thread-options.ts";
import { invalidRequest } from "../handler.ts";
import { parseThreadId } from "./thread-id.ts";

/** The loaded thread of this id; refuses the request when there is none. */
export function findThread(engine: Engine, text: string): Thread {
  const id = parseThreadId(text);
  const thread = engine.find(id);
  if (thread === undefined) throw invalidRequest(`thread not found: ${id}`);
  return thread;
}
