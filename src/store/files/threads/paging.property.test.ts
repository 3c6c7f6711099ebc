import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { createFinishedThread, writeTurn } from "../../contract/store-harness.fixture.ts";
import { threadPage, toThreadQuery } from "../../pages/thread-list.ts";
import type { ThreadOrder } from "../../thread-store.ts";
import { type HistoryIndex, toStoredThread } from "../index/history-index.ts";
import { rolloutRow } from "../index/index-rows.fixture.ts";
import { createMemoryIndex } from "../sqlite/memory-index.fixture.ts";
import { createHistoryHarness, sqliteIndex } from "./history.fixture.ts";

type Step =
  | { readonly kind: "create"; readonly at: number }
  | { readonly kind: "page"; readonly limit: number };

// Few different times, so that many threads share one.
const time = fc.integer({ min: 0, max: 3 });
const steps = fc.array(
  fc.oneof(
    fc.record({ kind: fc.constant("create" as const), at: time }),
    fc.record({ kind: fc.constant("page" as const), limit: fc.integer({ min: 1, max: 4 }) }),
  ),
  { maxLength: 30 },
);

const kinds: readonly (readonly [string, (home: string) => HistoryIndex])[] = [
  ["SQLite in memory", () => createMemoryIndex()],
  ["SQLite in a file", sqliteIndex],
];

describe.each(kinds)("pages from an index, %s", (_name, openIndex) => {
  test("hold every thread once, whatever is created between them", async () => {
    const harness = createHistoryHarness();
    const index = openIndex(harness.home);
    let rows = 0;

    async function add(at: number): Promise<string> {
      const id = `thread-${String(rows++).padStart(6, "0")}`;
      const facts = { createdAtMs: at, updatedAtMs: at };
      await index.putHeads([rolloutRow(id, { recencyAtMs: at }, facts)]);
      return id;
    }

    const run = async (
      before: readonly number[],
      script: readonly Step[],
      order: ThreadOrder,
      direction: "asc" | "desc",
    ): Promise<void> => {
      await index.remove((await index.indexedFiles("/home")).map(({ rolloutId }) => rolloutId));
      const first: string[] = [];
      for (const at of before) first.push(await add(at));
      const seen: string[] = [];
      let cursor: string | null = null;
      /** False after the last page. */
      const turnPage = async (limit: number): Promise<boolean> => {
        const query = toThreadQuery({ archived: false, order, direction, cursor, limit });
        if ("kind" in query) throw new Error(query.message);
        const page = threadPage(await index.list(query), query, {
          listed: ({ row }) => row,
          show: toStoredThread,
        });
        seen.push(...page.data.map(({ threadId }) => threadId));
        cursor = page.nextCursor;
        return cursor !== null;
      };
      let goesOn = true;
      for (const step of script) {
        if (step.kind === "create") await add(step.at);
        else if (goesOn) goesOn = await turnPage(step.limit);
      }
      while (goesOn) goesOn = await turnPage(3);
      expect(new Set(seen).size).toBe(seen.length);
      expect(first.filter((id) => !seen.includes(id))).toEqual([]);
    };

    await fc.assert(
      fc.asyncProperty(
        fc.array(time, { maxLength: 12 }),
        steps,
        fc.constantFrom<ThreadOrder>("created_at", "updated_at", "recency_at"),
        fc.constantFrom("asc" as const, "desc" as const),
        run,
      ),
      { numRuns: 60 },
    );
  });
});

test("pages of turns hold every turn once while more are written", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 4 }), { maxLength: 8 }), async (limits) => {
      const harness = createHistoryHarness();
      const history = harness.open();
      const names = Array.from({ length: 5 }, (_, at) => `t${at}`);
      const threadId = await createFinishedThread(harness, history, names);
      const opened = await history.open(threadId);
      if (opened.kind === "refused") throw new Error(opened.message);
      const seen: string[] = [];
      let cursor: string | null = null;
      for (let at = 0; at === 0 || cursor !== null; at += 1) {
        const limit = (limits[at] ?? 1) + 1;
        const page = await history.turns(threadId, { direction: "desc", cursor, limit });
        if (page.kind === "refused") throw new Error(page.message);
        seen.push(...page.data.map(({ id }) => id));
        cursor = page.nextCursor;
        await writeTurn(opened.journal, `later${at}`);
      }
      await history.close();
      expect(seen).toEqual(names.toReversed());
    }),
    { numRuns: 15 },
  );
});
