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
import { createJournalCommits, type JournalCommits, NO_COMMITS } from "./journal-commits.ts";
import { createPublisher, createRawEvents, MAX_HELD_NOTICES } from "./publisher.ts";

const WRITTEN: AppendOutcome = { kind: "kept", firstSeq: 0 };
const FULL: AppendOutcome = { kind: "unavailable", reason: "noSpace", message: "the disk is full" };

/** A publisher whose disk answers when the test says so; `told` has what clients have heard. */
function open() {
  const writes: Deferred<AppendOutcome>[] = [];
  const journal = createTestJournal({
    append() {
      const write = createDeferred<AppendOutcome>();
      writes.push(write);
      return write.promise;
    },
  });
  return { ...openWith(createJournalCommits(journal, { clock: systemClock, onFault() {} })), writes };
}

function openWith(commits: JournalCommits) {
  const told: string[] = [];
  const events: ThreadEvent[] = [];
  const publisher = createPublisher({
    send(method, params) {
      const { item, itemId, delta } = params as { item?: ThreadItem; itemId?: string; delta?: string };
      if (item?.id === "unspeakable") throw new Error("it cannot be said");
      told.push([method.split("/").at(-1), item?.id ?? itemId, delta].filter(Boolean).join(" "));
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
    told,
    /** Items of which the rest of the server knows that they are finished. */
    finished: () => events.flatMap((event) => (event.type === "itemCompleted" ? [event.item.id] : [])),
    commits,
    start: (id: string, type?: string) => send("item/started", item(id, type)),
    end: (id: string, type?: string) => send("item/completed", item(id, type)),
    piece: (itemId: string, delta: string) => send("item/agentMessage/delta", { itemId, delta }),
    news: () => send("thread/status/changed", { status: { type: "idle" } }),
    written: async (write: Deferred<AppendOutcome> | undefined, outcome: AppendOutcome = WRITTEN) => {
      write?.resolve(outcome);
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

describe("what is told of a thread", () => {
  test("waits for the line of an item that has ended, and keeps its order", async () => {
    const { start, end, news, told, writes, written } = open();
    start("a");
    end("a");
    news();
    start("b");
    end("b");
    expect(told).toEqual(["started a"]);
    await written(writes[0]);
    expect(told).toEqual(["started a", "completed a", "changed", "started b"]);
    await written(writes[1]);
    expect(told.slice(4)).toEqual(["completed b"]);
  });

  test("waits for lines of other kinds as well", async () => {
    const { commits, news, told, writes, written } = open();
    commits.append({ type: "event_msg", payload: { type: "token_count" } });
    news();
    expect(told).toEqual([]);
    await written(writes[0]);
    expect(told).toEqual(["changed"]);
  });

  test("goes at once where nothing is kept", () => {
    const { start, end, told } = openWith(NO_COMMITS);
    start("a");
    end("a");
    expect(told).toEqual(["started a", "completed a"]);
  });

  test("leaves an item out that could not be kept, and nothing else", async () => {
    const { start, end, news, told, writes, written, publisher } = open();
    start("a");
    end("a");
    news();
    await written(writes[0], FULL);
    expect(told).toEqual(["started a", "changed"]);
    expect(publisher.openItems().map(({ id }) => id)).toEqual(["a"]);
    start("b");
    expect(told.at(-1)).toBe("started b");
  });

  test("is an event for the rest of the server, when it is kept and not before", async () => {
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

  test("goes on behind what cannot be told", async () => {
    const { start, end, news, commits, told, writes, written } = open();
    start("a");
    end("a");
    start("unspeakable");
    news();
    await written(writes[0]);
    expect([told, await commits.last.settled]).toEqual([["started a", "completed a", "changed"], null]);
  });

  test("is heard of by whoever waits for it", async () => {
    const { start, end, publisher, writes, written } = open();
    expect(publisher.caughtUp()).toBeNull();
    start("a");
    end("a");
    let isTold = false;
    const waiting = publisher.caughtUp()?.then(() => {
      isTold = true;
    });
    await written(undefined);
    expect(isTold).toBe(false);
    await written(writes[0]);
    await waiting;
    expect([isTold, publisher.caughtUp()]).toEqual([true, null]);
  });
});

describe("a piece of an item", () => {
  test("waits for nothing when clients know the item, and for its beginning when they do not", async () => {
    const { start, end, piece, told, writes, written } = open();
    start("a");
    start("other");
    end("other");
    piece("a", "1");
    start("b");
    piece("b", "1");
    piece("a", "2");
    expect(told).toEqual(["started a", "started other", "delta a 1", "delta a 2"]);
    await written(writes[0]);
    expect(told.slice(4)).toEqual(["completed other", "started b", "delta b 1"]);
  });

  test("makes its maker wait when very many are held", async () => {
    const { start, end, piece, publisher, writes, written, told } = open();
    start("a");
    end("a");
    start("b");
    for (let at = 0; at < MAX_HELD_NOTICES; at += 1) piece("b", "x");
    const behind = publisher.pace();
    expect(behind).not.toBeNull();
    await written(writes[0]);
    await behind;
    expect([publisher.pace(), told.length]).toEqual([null, MAX_HELD_NOTICES + 3]);
  });
});

test("items are open from when clients hear of their beginning until they hear of their end", async () => {
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

test("whatever the disk does, each item is told in its order, and ends only when it is kept", async () => {
  const step = fc.constantFrom("start", "piece", "end", "news", "write", "fail");
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
      const world = open();
      const running: string[] = [];
      const ended: string[] = [];
      const failed = new Set<string>();
      let next = 0;
      let answered = 0;
      for (const each of steps) {
        if (each === "start") {
          running.push(`i${next}`);
          world.start(`i${next++}`);
        } else if (each === "piece") for (const id of running.slice(-1)) world.piece(id, "x");
        else if (each === "end") {
          for (const id of running.splice(0, 1)) {
            ended.push(id);
            world.end(id);
          }
        } else if (each === "news") world.news();
        else if (answered < world.writes.length) {
          if (each === "fail") failed.add(ended[answered] ?? "");
          await world.written(world.writes[answered++], each === "fail" ? FULL : WRITTEN);
        }
        const known = new Set(ended.slice(0, answered).filter((id) => !failed.has(id)));
        for (const line of world.told)
          if (line.startsWith("completed")) expect(known).toContain(line.slice(10));
      }
      while (answered < world.writes.length) await world.written(world.writes[answered++]);
      for (const id of Array.from({ length: next }, (_, at) => `i${at}`)) {
        const own = world.told.filter((line) => line.split(" ")[1] === id).map((line) => line.split(" ")[0]);
        const pieces = own.filter((word) => word === "delta");
        const isShown = ended.includes(id) && !failed.has(id);
        expect(own).toEqual(["started", ...pieces, ...(isShown ? ["completed"] : [])]);
      }
      const ends = world.told.filter((line) => line.startsWith("completed")).map((line) => line.slice(10));
      expect(ends).toEqual(ended.filter((id) => !failed.has(id)));
    }),
  );
});

const isRaw = (line: string) => /^(rawResponse|turn\/(started|completed)|thread\/tokenUsage)/u.test(line);

test("a client that wants to sees the history as the provider does, once it knows of the turn", async () => {
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

test("the answer to a request for a summary is told too", async () => {
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

test("nobody else hears of it", async () => {
  const { thread, begin, events } = startThread([[...messageEvents("msg_1", "Done"), completed]]);
  await begin("Go");
  await thread.whenIdle();
  expect(events.filter((line) => line.startsWith("raw"))).toEqual([]);
});

test("the usage of a response is told as it was sent", () => {
  const told: unknown[] = [];
  const raw = createRawEvents("thread", (_, params) => told.push(params));
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
  expect(told).toEqual([
    { ...ids, usage, usageMetadata: { amount: null, metadata: { input_tokens: 2, own: 1 } } },
    { ...ids, usage: null, usageMetadata: null },
  ]);
});
