import type { Clock } from "../../base/clock.ts";
import type { StoredWakeToken, WakeTokens } from "../wake-tokens.ts";

/** Tokens by their hash, in the order of their creation. */
export type WakeTokenMemory = Map<string, StoredWakeToken>;

export function createMemoryWakeTokens(memory: WakeTokenMemory, clock: Pick<Clock, "now">): WakeTokens {
  const list = (threadId: string) => [...memory.values()].filter((token) => token.threadId === threadId);
  return {
    async add({ hash, ...given }, maxPerThread) {
      if (list(given.threadId).length >= maxPerThread) return { kind: "full" };
      const token = { ...given, createdAtMs: clock.now() };
      memory.set(hash, token);
      return { kind: "added", token };
    },
    list: async (threadId) => list(threadId),
    async revoke(threadId, tokenId) {
      for (const [hash, token] of memory)
        if (token.threadId === threadId && token.tokenId === tokenId) return memory.delete(hash);
      return false;
    },
    find: async (hash) => memory.get(hash) ?? null,
  };
}

/** Deletes the tokens of a deleted thread. */
export function forgetWakeTokens(memory: WakeTokenMemory, threadId: string): void {
  for (const [hash, token] of memory) if (token.threadId === threadId) memory.delete(hash);
}
