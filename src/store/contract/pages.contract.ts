import { describe, expect, test } from "vitest";
import { responseItem } from "../lines/thread-lines.ts";
import {
  type CreateHarness,
  createFinishedThread,
  pageOf,
  turnLines,
  writeTurn,
} from "./store-harness.fixture.ts";

export function pagesContract(createHarness: CreateHarness): void {
  describe("pages of a thread", () => {
    test("continue at their cursors without gaps, forwards and backwards", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const names = Array.from({ length: 7 }, (_, at) => `t${at + 1}`);
      const threadId = await createFinishedThread(harness, threads, names);
      const first = pageOf(await threads.turns(threadId, { limit: 3, direction: "asc" }));
      const second = pageOf(
        await threads.turns(threadId, { limit: 3, direction: "asc", cursor: first.nextCursor }),
      );
      const third = pageOf(
        await threads.turns(threadId, { limit: 3, direction: "asc", cursor: second.nextCursor }),
      );
      expect([first, second, third].map(({ data }) => data.map(({ id }) => id))).toEqual([
        ["t1", "t2", "t3"],
        ["t4", "t5", "t6"],
        ["t7"],
      ]);
      expect(third.nextCursor).toBeNull();
      const back = pageOf(
        await threads.turns(threadId, { limit: 9, direction: "desc", cursor: second.backwardsCursor }),
      );
      expect(back.data.map(({ id }) => id)).toEqual(["t4", "t3", "t2", "t1"]);
    });

    test("show the prompt of a hook that only the model's history has", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const text = '<hook_prompt hook_run_id="run-1">go on</hook_prompt>';
      const message = { type: "message", id: "msg_1", role: "user", content: [{ type: "input_text", text }] };
      const journal = threads.create(harness.origin());
      const before = turnLines(journal.threadId, "t1", "hello", "hi");
      await journal.append([...before.slice(0, -1), responseItem(message), ...before.slice(-1)]);
      await journal.close();
      const { data } = pageOf(await threads.items(journal.threadId, {}));
      expect(data.map(({ turnId, item }) => [turnId, item.id])).toEqual([
        ["t1", "t1-user"],
        ["t1", "t1-agent"],
        ["t1", "msg_1"],
      ]);
      expect(data.at(-1)?.item).toMatchObject({
        type: "hookPrompt",
        fragments: [{ text: "go on", hookRunId: "run-1" }],
      });
    });

    test("contain items with their times, of one turn or of all", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const threadId = await createFinishedThread(harness, threads, ["t1", "t2"]);
      const all = pageOf(await threads.items(threadId, { limit: 3 }));
      expect(all.data.map(({ item, turnId, startedAtMs }) => [turnId, item.id, startedAtMs])).toEqual([
        ["t1", "t1-user", 1],
        ["t1", "t1-agent", 1],
        ["t2", "t2-user", 1],
      ]);
      const rest = pageOf(await threads.items(threadId, { cursor: all.nextCursor }));
      const one = pageOf(await threads.items(threadId, { turnId: "t2", direction: "desc" }));
      const anchored = pageOf(await threads.items(threadId, { anchorItemId: "t2-user" }));
      const ids = [rest, one, anchored].map(({ data }) => data.map(({ item }) => item.id));
      expect(ids).toEqual([["t2-agent"], ["t2-agent", "t2-user"], ["t2-agent"]]);
      const named = await threads.itemsById(threadId, "t1", ["t1-agent", "none"]);
      expect(named.kind === "items" && named.data.map(({ item }) => item.id)).toEqual(["t1-agent"]);
    });

    test("list the timeline in line order, the latest page first", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const threadId = await createFinishedThread(harness, threads, ["t1", "t2"]);
      const told: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await threads.timeline(threadId, { limit: 3, cursor });
        if (page.kind === "refused") throw new Error(page.message);
        told.unshift(...page.data.map(({ type, position, turnId }) => `${position} ${type} ${turnId}`));
        ({ nextCursor: cursor } = page);
      } while (cursor !== null);
      expect(told).toEqual(
        ["t1", "t2"].flatMap((turn, at) =>
          ["turnStarted", "item", "item", "turnCompleted"].map(
            (type, line) => `${at * 4 + line + 1} ${type} ${turn}`,
          ),
        ),
      );
    });

    test("refuse cursors of other pages", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const threadId = await createFinishedThread(harness, threads, ["t1"]);
      expect([
        await threads.turns(threadId, { cursor: "zzz" }),
        await threads.items(threadId, { cursor: "zzz" }),
        await threads.list({ archived: false, cursor: "zzz" }),
      ]).toEqual(
        [0, 1, 2].map(() => ({ kind: "refused", reason: "cursor", message: "invalid cursor: zzz" })),
      );
    });
  });

  describe("searches", () => {
    test("find threads by their messages, case-insensitively", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const journal = threads.create(harness.origin());
      await writeTurn(journal, "t1", "First", 'The "Ägyptian" cat sat\non the mat.');
      await createFinishedThread(harness, threads, ["t2"]);
      const snippets = async (term: string) =>
        pageOf(await threads.search(term, { archived: false })).data.map(({ snippet }) => snippet);
      const snippet = 'The "Ägyptian" cat sat on the mat.';
      expect([
        await snippets("CAT SAT"),
        await snippets('"ägyptian'),
        await snippets("task_started"),
      ]).toEqual([[snippet], [snippet], []]);
      expect(await threads.search(" ", { archived: false })).toMatchObject({ reason: "input" });
    });

    test("list every occurrence in a thread, page by page", async () => {
      const harness = createHarness();
      const { threads } = await harness.open();
      const journal = threads.create(harness.origin());
      await writeTurn(journal, "t1", "tick tick", "Tick!");
      await writeTurn(journal, "t2", "tock", "tick");
      const all: string[] = [];
      let cursor: string | null = null;
      do {
        const page = await threads.searchOccurrences(journal.threadId, "tick", { limit: 3, cursor });
        if (page.kind === "refused") throw new Error(page.message);
        all.push(
          ...page.data.map(({ itemId, snippetMatchRange: { start, end } }) => `${itemId} ${start}-${end}`),
        );
        ({ nextCursor: cursor } = page);
      } while (cursor !== null);
      expect(all).toEqual(["t1-user 0-4", "t1-user 5-9", "t1-agent 0-4", "t2-agent 0-4"]);
    });
  });
}
