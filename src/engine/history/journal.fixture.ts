import type { Journal } from "../../store/journal.ts";

/** A journal that keeps nothing, but for what the test says. */
export function createTestJournal(members: Partial<Journal> = {}): Journal {
  return {
    threadId: "thread",
    location: "/rollout.jsonl",
    fence: null,
    append: async () => ({ kind: "kept", firstSeq: 0 }),
    persist: async () => ({ kind: "persisted", fence: { threadId: "thread", epoch: 1 } }),
    deferTurnEnd() {},
    close: async () => {},
    ...members,
  };
}
