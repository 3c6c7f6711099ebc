import type { Journal } from "../../store/journal.ts";

/** A journal that stores nothing, with members that a test overrides. */
export function createTestJournal(members: Partial<Journal> = {}): Journal {
  return {
    threadId: "thread",
    location: "/rollout.jsonl",
    fence: null,
    next: () => null,
    append: async () => ({ kind: "kept", firstSeq: 0 }),
    persist: async () => ({ kind: "persisted", fence: { threadId: "thread", epoch: 1 } }),
    deferTurnEnd() {},
    continueTurn() {},
    close: async () => {},
    ...members,
  };
}
