import { createMemoryDecisions } from "../decisions/memory-decisions.ts";
import type { Store, ThreadRecord } from "../store.ts";
import { createMemoryIndex } from "./memory-index.ts";

/** A store that forgets: for embedding without a home, and the model that others are compared with. */
export function createMemoryStore(): Store {
  const threads = new Map<string, ThreadRecord>();
  return {
    threads: {
      put: async (record) => void threads.set(record.id, record),
      get: async (id) => threads.get(id) ?? null,
    },
    history: createMemoryIndex(),
    decisions: createMemoryDecisions(),
    close: async () => {},
  };
}
