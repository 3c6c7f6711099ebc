import { describe, expect, test } from "vitest";
import type { CreateHarness } from "./store-harness.fixture.ts";

const token = (tokenId: string, threadId = "thread", name: string | null = null) => ({
  tokenId,
  threadId,
  name,
  hash: `hash-${tokenId}`,
});

export function wakeTokensContract(createHarness: CreateHarness): void {
  describe("tokens that wake threads", () => {
    test("are listed by thread, found by their hash, and revoked", async () => {
      const harness = createHarness();
      const { wakeTokens } = await harness.open();
      const createdAtMs = harness.now();
      const first = { tokenId: "a", threadId: "thread", name: "ci", createdAtMs };
      expect(await wakeTokens.add(token("a", "thread", "ci"), 9)).toEqual({ kind: "added", token: first });
      await wakeTokens.add(token("b"), 9);
      await wakeTokens.add(token("c", "other"), 9);
      expect((await wakeTokens.list("thread")).map(({ tokenId }) => tokenId)).toEqual(["a", "b"]);
      expect(await wakeTokens.find("hash-a")).toEqual(first);
      expect(await wakeTokens.find("a")).toBeNull();
      expect(await wakeTokens.revoke("other", "a")).toBe(false);
      expect(await wakeTokens.revoke("thread", "a")).toBe(true);
      expect(await wakeTokens.revoke("thread", "a")).toBe(false);
      expect(await wakeTokens.find("hash-a")).toBeNull();
    });

    test("are limited for each thread", async () => {
      const { wakeTokens } = await createHarness().open();
      await wakeTokens.add(token("a"), 1);
      expect(await wakeTokens.add(token("b"), 1)).toEqual({ kind: "full" });
      expect((await wakeTokens.add(token("c", "other"), 1)).kind).toBe("added");
    });

    test("are deleted with their thread", async () => {
      const store = await createHarness().open();
      const { wakeTokens } = store;
      await wakeTokens.add(token("a"), 9);
      await wakeTokens.add(token("b", "other"), 9);
      await store.forgetQueue("thread");
      expect([await wakeTokens.list("thread"), await wakeTokens.find("hash-a")]).toEqual([[], null]);
      expect(await wakeTokens.list("other")).toHaveLength(1);
    });
  });
}
