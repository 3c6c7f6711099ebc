import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { silentLogger } from "../../base/logger.ts";
import { createDeferred, type Deferred } from "../../base/tasks.ts";
import type { ServerNotifications, ThreadItem } from "../../protocol/generated/types.ts";
import type { AppendOutcome } from "../../store/journal.ts";
import { callEvent, completed, messageEvents } from "../scripted-model.fixture.ts";
import type { ThreadEvent } from "../state/events.ts";
import { startThread } from "../thread.fixture.ts";
import { createTestJournal } from "./journal.fixture.ts";
import { type JournalCommits, NO_COMMITS, ThreadCommits } from "./journal-commits.ts";
import { createPublisher, createRawEvents, MAX_HELD_NOTICES } from "./publisher.ts";

const WRITTEN: AppendOutcome = { kind: "kept", firstSeq: 0 };
const FULL: AppendOutcome = { kind: "unavailable", reason: "noSpace", message: "the disk is full" };

/** A publisher whose appends the test settles by hand; `sent` collects the notifications. */
function open() {
  const writes: Deferred<AppendOutcome>[] = [];
  const journal = createTestJournal({
    append() {
      const write = createDeferred<AppendOutcome>();
      writes.push(write);
      return write.promise;
    },
  });
  return { ...openWith(new ThreadCommits(journal, { clock: systemClock, onFault() {} })), writes };
}

function openWith(commits: JournalCommits) {
  const sent: string[] = [];
  const events: ThreadEvent[] = [];
  const publisher = createPublisher({
    send(method, params) {
      const { item, itemId, delta } = params as { item?: ThreadItem; itemId?: string; delta?: string };
      if (item?.id === "unsendable") throw new Error("it cannot be sent");
      sent.push([method.split("/").at(-1), item?.id ?? itemId, delta].filter(Boolean).join(" "));
    },
    commits,
    onEvent: (event) => void events.push(event),
    log: silentLogger,
  });
  const ids = { threadId: "thread", turnId: "turn" };
  const send = (method: keyof ServerNotifications, params: object) =>
    publisher.emit(method, { ...ids, ...params });
  const item = (id: string, type = "contextCompaction") => ({ item: { id, type } });
  return {
    publisher,
    sent,
    /** Ids of the items with an `itemCompleted` event. */
    finished: () => events.flatMap((event) => (event.type === "itemCompleted" ? [event.item.id] : [])),
    commits,
    start: (id: string, type?: string) => send("item/started", item(id, type)),
    /** Each completed item is a group of its own. */
    end(id: string, type?: string) {
      send("item/completed", item(id, type));
      void commits.flush();
    },
    piece: (itemId: string, delta: string) => send("item/agentMessage/delta", { itemId, delta }),
    news: () => send("thread/status/changed", { status: { type: "idle" } }),
    written: async (write: Deferred<AppendOutcome> | undefined, outcome: AppendOutcome = WRITTEN) => {
      write?.resolve(outcome);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe("a notification of a thread", () => {
  test("is held until the line of a completed item is persisted, in order", async () => {
    const { start, end, news, sent, writes, written } = open();
    start("a");
    end("a");
    news();
    start("b");
    end("b");
    expect(sent).toEqual(["started a"]);
    await written(writes[0]);
    expect(sent).toEqual(["started a", "completed a", "changed", "started b"]);
    await written(writes[1]);
    expect(sent.slice(4)).toEqual(["completed b"]);
  });

  test("is held for lines of other kinds as well", async () => {
    const { commits, news, sent, writes, written } = open();
    commits.append({ type: "event_msg", payload: { type: "token_count" } });
    void commits.flush();
    news();
    expect(sent).toEqual([]);
    await written(writes[0]);
    expect(sent).toEqual(["changed"]);
  });

  test("is sent immediately where there is no journal", () => {
    const { start, end, sent } = openWith(NO_COMMITS);
    start("a");
    end("a");
    expect(sent).toEqual(["started a", "completed a"]);
  });

  test("is dropped only for a completed item whose append failed", async () => {
    const { start, end, news, sent, writes, written, publisher } = open();
    start("a");
    end("a");
    news();
    await written(writes[0], FULL);
    expect(sent).toEqual(["started a", "changed"]);
    expect(publisher.openItems().map(({ id }) => id)).toEqual(["a"]);
    start("b");
    expect(sent.at(-1)).toBe("started b");
  });

  test("emits an internal event once the item is persisted, and not before", async () => {
    const { start, end, finished, written, writes } = open();
    start("kept");
    end("kept");
    start("lost");
    end("lost");
    expect(finished()).toEqual([]);
    await written(writes[0]);
    await written(writes[1], FULL);
    expect(finished()).toEqual(["kept"]);
  });

  test("is sent although an earlier one threw", async () => {
    const { start, end, news, commits, sent, writes, written } = open();
    start("a");
    end("a");
    start("unsendable");
    news();
    await written(writes[0]);
    expect([sent, await commits.last.settled]).toEqual([["started a", "completed a", "changed"], null]);
  });

  test("resolves the flush promise when it has been sent", async () => {
    const { start, end, publisher, writes, written } = open();
    expect(publisher.whenFlushed()).toBeNull();
    start("a");
    end("a");
    let isFlushed = false;
    const waiting = publisher.whenFlushed()?.then(() => {
      isFlushed = true;
    });
    await written(undefined);
    expect(isFlushed).toBe(false);
    await written(writes[0]);
    await waiting;
    expect([isFlushed, publisher.whenFlushed()]).toEqual([true, null]);
  });
});

describe("a delta of an item", () => {
  test("is sent immediately for an announced item, and held until the start of any other", async () => {
    const { start, end, piece, sent, writes, written } = open();
    start("a");
    start("other");
    end("other");
    piece("a", "1");
    start("b");
    piece("b", "1");
    piece("a", "2");
    expect(sent).toEqual(["started a", "started other", "delta a 1", "delta a 2"]);
    await written(writes[0]);
    expect(sent.slice(4)).toEqual(["completed other", "started b", "delta b 1"]);
  });

  test("applies backpressure when very many notices are held", async () => {
    const { start, end, piece, publisher, writes, written, sent } = open();
    start("a");
    end("a");
    start("b");
    for (let at = 0; at < MAX_HELD_NOTICES; at += 1) piece("b", "x");
    const behind = publisher.pace();
    expect(behind).not.toBeNull();
    await written(writes[0]);
    await behind;
    expect([publisher.pace(), sent.length]).toEqual([null, MAX_HELD_NOTICES + 3]);
  });
});

test("items are open from their started notification to their completed notification", async () => {
  const { start, end, publisher, writes, written } = open();
  const openIds = () => publisher.openItems().map(({ id }) => id);
  start("c1");
  start("m1", "agentMessage");
  end("c1");
  start("c2");
  expect(openIds()).toEqual(["c1"]);
  await written(writes[0]);
  expect(openIds()).toEqual(["c2"]);
  publisher.endItems();
  expect(openIds()).toEqual([]);
});

test("under any append outcomes, items are sent in order and complete only when persisted", async () => {
  const step = fc.constantFrom("start", "piece", "end", "news", "write", "fail");
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const harness = open();
      const running: string[] = [];
      const ended: string[] = [];
      const failed = new Set<string>();
      let next = 0;
      let answered = 0;
      for (const each of steps) {
        if (each === "start") {
          running.push(`i${next}`);
          harness.start(`i${next++}`);
        } else if (each === "piece") for (const id of running.slice(-1)) harness.piece(id, "x");
        else if (each === "end") {
          for (const id of running.splice(0, 1)) {
            ended.push(id);
            harness.end(id);
          }
        } else if (each === "news") harness.news();
        else if (answered < harness.writes.length) {
          if (each === "fail") failed.add(ended[answered] ?? "");
          await harness.written(harness.writes[answered++], each === "fail" ? FULL : WRITTEN);
        }
        const known = new Set(ended.slice(0, answered).filter((id) => !failed.has(id)));
        for (const line of harness.sent)
          if (line.startsWith("completed")) expect(known).toContain(line.slice(10));
      }
      while (answered < harness.writes.length) await harness.written(harness.writes[answered++]);
      for (const id of Array.from({ length: next }, (_, at) => `i${at}`)) {
        const own = harness.sent
          .filter((line) => line.split(" ")[1] === id)
          .map((line) => line.split(" ")[0]);
        const pieces = own.filter((word) => word === "delta");
        const isShown = ended.includes(id) && !failed.has(id);
        expect(own).toEqual(["started", ...pieces, ...(isShown ? ["completed"] : [])]);
      }
      const ends = harness.sent.filter((line) => line.startsWith("completed")).map((line) => line.slice(10));
      expect(ends).toEqual(ended.filter((id) => !failed.has(id)));
    }),
  );
});

const isRaw = (line: string) => /^(rawResponse|turn\/(started|completed)|thread\/tokenUsage)/u.test(line);

test("raw events show the history in the provider's format, after the turn has started", async () => {
  const { thread, begin, events } = startThread(
    [
      [callEvent("c", "nothing", {}), completed],
      [...messageEvents("msg_1", "Done"), completed],
    ],
    [],
    { rawEvents: true },
  );
  await begin("Go");
  await thread.whenIdle();
  expect(events.filter(isRaw)).toEqual([
    "turn/started inProgress",
    expect.stringMatching(/^rawResponseItem\/completed message <environment_context>/u),
    "rawResponseItem/completed message Go",
    "rawResponseItem/completed function_call",
    "rawResponse/completed",
    "rawResponseItem/completed function_call_output",
    "thread/tokenUsage/updated",
    "rawResponseItem/completed message Done",
    "rawResponse/completed",
    "thread/tokenUsage/updated",
    "turn/completed completed",
  ]);
});

test("raw events include the response to a compaction request", async () => {
  const { thread, begin, events } = startThread(
    [
      [...messageEvents("msg_1", "Done"), completed],
      [...messageEvents("msg_2", "SUMMARY"), completed],
    ],
    [],
    { rawEvents: true },
  );
  await begin("Go");
  await thread.whenIdle();
  events.length = 0;
  (await thread.accept({ kind: "compact" })).begin();
  await thread.whenIdle();
  expect(events.filter(isRaw)).toEqual([
    "turn/started inProgress",
    "rawResponseItem/completed message SUMMARY",
    "rawResponse/completed",
    "thread/tokenUsage/updated",
    "thread/tokenUsage/updated",
    "turn/completed completed",
  ]);
});

test("raw events are not sent unless enabled", async () => {
  const { thread, begin, events } = startThread([[...messageEvents("msg_1", "Done"), completed]]);
  await begin("Go");
  await thread.whenIdle();
  expect(events.filter((line) => line.startsWith("raw"))).toEqual([]);
});

test("raw usage is forwarded as the provider sent it", () => {
  const sent: unknown[] = [];
  const raw = createRawEvents("thread", (_, params) => sent.push(params));
  const usage = {
    totalTokens: 3,
    inputTokens: 2,
    cachedInputTokens: 0,
    cacheWriteInputTokens: 0,
    outputTokens: 1,
    reasoningOutputTokens: 0,
  };
  const end = { type: "completed", responseId: "r", endTurn: null } as const;
  raw.answered("turn", { ...end, usage, rawUsage: { input_tokens: 2, own: 1 } });
  raw.answered("turn", { ...end, usage: null });
  const ids = { threadId: "thread", turnId: "turn", responseId: "r" };
  expect(sent).toEqual([
    { ...ids, usage, usageMetadata: { amount: null, metadata: { input_tokens: 2, own: 1 } } },
    { ...ids, usage: null, usageMetadata: null },
  ]);
});
