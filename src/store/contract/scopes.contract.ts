import { describe, expect, test } from "vitest";
import { started } from "../lines/lines.fixture.ts";
import { LOCAL_SCOPE, type Scope } from "../scope.ts";
import { type CreateHarness, createFinishedThread, listed, opened } from "./store-harness.fixture.ts";

const FOREIGN: Scope = { tenant: "other", subject: "somebody" };

export function scopesContract(createHarness: CreateHarness): void {
  describe("a scope", () => {
    test("sees the data of its tenant for every user, and none of another tenant", async () => {
      const harness = createHarness();
      const store = await harness.open();
      const threadId = await createFinishedThread(harness, store.threads, ["t1"]);
      const fence = (await opened(store.threads, threadId)).fence;
      if (fence === null) throw new Error("it has no fence");
      const subject = { kind: "fileChange", paths: ["/a"] } as const;
      const asked = await store.decisions.open(fence, { threadId, turnId: "t1", itemId: "i", subject });
      if (asked.kind === "fenced") throw new Error("it is held elsewhere");

      const own = store.forScope({ ...LOCAL_SCOPE, subject: "a colleague" });
      expect([await listed(own.threads), (await own.threads.read(threadId))?.threadId]).toEqual([
        [threadId],
        threadId,
      ]);
      expect(await own.decisions.list({ limit: 9 })).toEqual([asked.decision]);

      const { threads, decisions } = store.forScope(FOREIGN);
      expect([await listed(threads), await threads.read(threadId), threads.journal(threadId)]).toEqual([
        [],
        null,
        null,
      ]);
      const lines: unknown[] = [];
      for await (const line of threads.lines(threadId)) lines.push(line);
      expect(lines).toEqual([]);
      const whole = { kind: "whole" } as const;
      expect(
        [
          await threads.open(threadId),
          await threads.fork(threadId, whole, harness.origin()),
          await threads.copy(threadId, whole, { type: "marker" }),
          await threads.revert(threadId, "t1"),
          await threads.turns(threadId),
          await threads.items(threadId),
          await threads.timeline(threadId),
          await threads.searchOccurrences(threadId, "say"),
          await threads.archive(threadId),
          await threads.delete(threadId),
          await threads.rename(threadId, "theirs"),
          await threads.updateMetadata(threadId, {}),
          await threads.setGoal(threadId, null),
        ].map((answer) => ("reason" in answer ? answer.reason : null)),
      ).toEqual(Array.from({ length: 13 }, () => "missing"));
      expect(await threads.readStates([threadId])).toEqual(new Map());
      expect(await decisions.list({ limit: 9 })).toEqual([]);
      const verdict = { outcome: "approved", by: { kind: "policy" }, reason: null } as const;
      expect(await decisions.answer(asked.decision, verdict)).toEqual({ kind: "late" });
      expect(await listed(store.threads)).toEqual([threadId]);
    });

    test("has threads of its own, or a refusal to create them", async () => {
      const harness = createHarness();
      const store = await harness.open();
      const { threads } = store.forScope(FOREIGN);
      if (store.files !== null) {
        expect(() => threads.create(harness.origin())).toThrow("a home in files has one tenant");
        return;
      }
      const journal = threads.create(harness.origin());
      expect((await journal.append([started("t1")])).kind).toBe("kept");
      expect([
        (await threads.read(journal.threadId))?.threadId,
        await store.threads.read(journal.threadId),
      ]).toEqual([journal.threadId, null]);
    });
  });
}
