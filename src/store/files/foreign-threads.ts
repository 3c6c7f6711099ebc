/** The threads of a tenant that does not own the home: none, and none can be created. */
import { AppError } from "../../base/errors.ts";
import { missingThread, storeRefusal } from "../refusal.ts";
import type { ThreadStore } from "../thread-store.ts";

const NOTHING = { kind: "page", data: [], nextCursor: null, backwardsCursor: null } as const;

export function createForeignThreads(tenant: string): ThreadStore {
  const missing = async (threadId: string) => missingThread(threadId);
  return {
    create() {
      throw new AppError(
        "store.foreignTenant",
        `a home in files has one tenant: it cannot store threads of ${tenant}`,
      );
    },
    journal: () => null,
    open: missing,
    fork: missing,
    copy: missing,
    revert: missing,
    list: async () => NOTHING,
    search: async () => NOTHING,
    read: async () => null,
    turns: missing,
    items: missing,
    itemsById: missing,
    timeline: missing,
    searchOccurrences: missing,
    async *lines() {},
    archive: missing,
    unarchive: async (threadId) =>
      storeRefusal("notArchived", `no archived rollout found for thread id ${threadId}`),
    delete: missing,
    rename: missing,
    updateMetadata: missing,
    goal: async () => null,
    setGoal: missing,
    readStates: async () => new Map(),
    setReadState: async () => false,
  };
}
