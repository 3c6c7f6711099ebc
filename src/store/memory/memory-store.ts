import type { Store } from "../store.ts";
import { createMemoryDecisions } from "./memory-decisions.ts";
import { createMemoryIndex } from "./memory-index.ts";

/** A store that forgets: for embedding without a home, and the model that others are compared with. */
export function createMemoryStore(): Store {
  return {
    history: createMemoryIndex(),
    decisions: createMemoryDecisions(),
    close: async () => {},
  };
}
