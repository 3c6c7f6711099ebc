import { isRefusal, refusal } from "../../base/refusal.ts";
import type { Engine } from "../../engine/engine.ts";
import type { Thread } from "../../engine/thread-options.ts";
import type { ThreadRefusal } from "../configuration/thread-refusal.ts";
import { parseThreadId } from "./thread-id.ts";

/** The loaded thread with this id, or a refusal. */
export function findThread(engine: Pick<Engine, "find">, text: string): Thread | ThreadRefusal {
  const id = parseThreadId(text);
  if (isRefusal(id)) return id;
  return engine.find(id) ?? refusal("threadNotFound", `thread not found: ${id}`);
}

/** Deeper families are cut, because a question goes to the clients of all ancestors. */
const MAX_DEPTH = 32;

/** The ids of the threads that spawned a loaded thread, nearest first. */
export function ancestorThreadIds(engine: Pick<Engine, "find">, threadId: string): readonly string[] {
  const ancestors: string[] = [];
  let agent = engine.find(threadId)?.agent ?? null;
  while (agent !== null && ancestors.length < MAX_DEPTH) {
    ancestors.push(agent.parentThreadId);
    agent = engine.find(agent.parentThreadId)?.agent ?? null;
  }
  return ancestors;
}
