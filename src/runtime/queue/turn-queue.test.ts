import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../base/property-runs.fixture.ts";
import { WHOLE } from "../../store/queue-row.fixture.ts";
import {
  CUT_OFF_END,
  createQueueHarness,
  held,
  type NextStart,
  type QueueHarness,
  REFUSED,
  THREAD,
} from "./queue-harness.fixture.ts";

async function opened(): Promise<QueueHarness> {
  const harness = createQueueHarness();
  await harness.restart();
  return harness;
}

const listed = async (harness: QueueHarness) => (await harness.queue().list(THREAD, WHOLE)).rows;
const texts = async (harness: QueueHarness) => (await listed(harness)).map(({ params }) => params["text"]);

async function add(harness: QueueHarness, text: string, more = {}): Promise<string> {
  const row = harness.row(text, more);
  const outcome = await harness.queue().add(held(), row);
  if (outcome.kind === "full" || outcome.kind === "started") throw new Error(`it is ${outcome.kind}`);
  outcome.begin();
  return outcome.row.rowId;
}

describe("a row", () => {
  test("starts at once where nothing runs, and the others after it in their order", async () => {
    const harness = await opened();
    const ids = [await add(harness, "a"), await add(harness, "b"), await add(harness, "c")];
    expect([harness.journal, await texts(harness)]).toEqual([ids.slice(0, 1), ["b", "c"]]);
    await harness.end("completed");
    await harness.end("interrupted");
    expect([harness.journal, await texts(harness)]).toEqual([ids, []]);
    expect(harness.published()?.rows).toEqual([]);
  });

  test("waits for a turn that was accepted and has not begun to show", async () => {
    const harness = await opened();
    harness.direct();
    const id = await add(harness, "a");
    expect(harness.journal).toEqual([null]);
    await harness.end("completed");
    expect(harness.journal).toEqual([null, id]);
  });

  test("that cannot be started stays with its error and holds up the others, until it is out of the way", async () => {
    for (const unblock of ["remove", "reorder", "update"] as const) {
      const harness = await opened();
      harness.direct();
      const [a, b] = [await add(harness, "a"), await add(harness, "b")];
      harness.next = "refused";
      await harness.end("completed");
      expect(await listed(harness)).toMatchObject([
        { rowId: a, state: "failed", failure: REFUSED },
        { rowId: b, state: "pending" },
      ]);
      expect(harness.journal).toEqual([null]);
      if (unblock === "remove") await harness.queue().remove(held(), a);
      if (unblock === "reorder") await harness.queue().reorder(held(), [b, a]);
      if (unblock === "update") await harness.queue().update(held(), a, { params: { text: "again" } });
      expect(harness.journal).toEqual([null, unblock === "update" ? a : b]);
    }
  });

  test("with a time waits for it, and those behind it too", async () => {
    const harness = await opened();
    const notBeforeMs = harness.clock.now() + 60_000;
    const a = await add(harness, "a", { notBeforeMs });
    await add(harness, "b");
    expect([harness.journal, harness.due]).toEqual([[], []]);
    harness.clock.advance(60_000);
    expect(harness.due).toEqual([THREAD]);
    await harness.queue().drain(held());
    expect(harness.journal).toEqual([a]);
  });

  test("that a client sends twice is there once", async () => {
    const harness = await opened();
    harness.direct();
    const row = harness.row("a");
    const first = await harness.queue().add(held(), row);
    const second = await harness.queue().add(held(), { ...row, rowId: "other", params: { text: "b" } });
    expect([first.kind, second.kind]).toEqual(["added", "known"]);
    expect(await texts(harness)).toEqual(["a"]);
    await harness.end("completed");
    expect(await harness.queue().add(held(), { ...row, rowId: "third" })).toMatchObject({
      kind: "started",
      started: { rowId: row.rowId },
    });
    await harness.restart();
    expect((await harness.queue().add(held(), { ...row, rowId: "fourth" })).kind).toBe("started");
    expect(harness.journal).toEqual([null, row.rowId]);
  });

  test("is refused when there are too many, or too large", async () => {
    const harness = await opened();
    harness.settings = { ...harness.settings, maxRows: 1 };
    harness.direct();
    const id = await add(harness, "a");
    const text = "x".repeat(64 * 1024 * 1024);
    const told = harness.published();
    expect(await harness.queue().add(held(), harness.row("b"))).toEqual({
      kind: "full",
      message: "queue cannot contain more than 1 submissions",
    });
    expect(await harness.queue().update(held(), id, { params: { text } })).toEqual({
      kind: "full",
      message: expect.stringContaining("a queued turn cannot have more than 67108864 bytes"),
    });
    // Clients are notified of stored rows only.
    expect(harness.published()).toBe(told);
  });
});

describe("a queue", () => {
  test.each([
    ["whose last row has started is told of after a restart", "accepted", true],
    ["whose last row was being started when its process died, too", "diesAfter", true],
    ["that was never used is not", null, false],
  ] as const)("%s", async (_, next, isTold) => {
    const harness = await opened();
    expect(harness.published()).toBeNull();
    if (next !== null) {
      harness.next = next;
      await harness.until(add(harness, "a"));
    }
    await harness.restart();
    expect(harness.published()).toEqual(isTold ? { rows: [], total: 0, pause: null } : null);
    expect(harness.journal.length).toBe(isTold ? 1 : 0);
  });

  test("that is paused starts nothing, also in another process, until it is resumed", async () => {
    const harness = await opened();
    await harness.queue().pause(held(), "lunch");
    const id = await add(harness, "a");
    await harness.restart();
    expect([harness.journal, harness.published()?.pause]).toEqual([[], "lunch"]);
    await harness.queue().resume(held());
    expect([harness.journal, harness.published()?.pause]).toEqual([[id], null]);
  });

  test("pauses after an interruption where that is wanted, and goes on behind the next turn", async () => {
    const harness = await opened();
    harness.settings = { ...harness.settings, afterInterrupt: "pause" };
    harness.direct();
    const id = await add(harness, "a");
    await harness.end("interrupted");
    expect([harness.journal, harness.published()?.pause]).toEqual([
      [null],
      "the turn before was interrupted",
    ]);
    harness.direct();
    await harness.end("completed");
    expect([harness.journal, harness.published()?.pause]).toEqual([[null, null, id], null]);
  });

  test("pauses after a failure where that is wanted, and goes on behind the next turn that does not fail", async () => {
    const harness = await opened();
    harness.settings = { ...harness.settings, afterFailure: "pause" };
    harness.direct();
    const [a, b] = [await add(harness, "a"), await add(harness, "b")];
    await harness.end("failed");
    expect([harness.journal, harness.published()?.pause]).toEqual([[null], "the turn before failed"]);
    harness.direct();
    await harness.end("failed");
    expect(harness.journal).toEqual([null, null]);
    harness.direct();
    await harness.end("completed");
    expect([harness.journal, harness.published()?.pause]).toEqual([[null, null, null, a], null]);
    await harness.end("interrupted");
    expect(harness.journal).toEqual([null, null, null, a, b]);
  });

  test("that somebody has resumed is not paused again when its thread is loaded again", async () => {
    const harness = await opened();
    harness.settings = { ...harness.settings, afterFailure: "pause" };
    harness.direct();
    const id = await add(harness, "a");
    await harness.end("failed");
    await harness.restart();
    expect([harness.journal, harness.published()?.pause]).toEqual([[null], "the turn before failed"]);
    await harness.store().queue.resume(THREAD);
    await harness.restart();
    expect(harness.journal).toEqual([null, id]);
  });

  test("says how turns have ended that were cut off with their process", async () => {
    const harness = await opened();
    await add(harness, "a");
    await harness.restart();
    expect(await harness.store().queue.started({ limit: 9 })).toMatchObject([{ end: CUT_OFF_END }]);
  });

  test("pauses as well where the turn was cut off with its process", async () => {
    const harness = await opened();
    harness.settings = { ...harness.settings, afterInterrupt: "pause" };
    harness.direct();
    const id = await add(harness, "a");
    await harness.restart();
    expect([harness.journal, harness.published()?.pause]).toEqual([
      [null],
      "the turn before was interrupted",
    ]);
    expect((await harness.queue().start(held(), null)).kind).toBe("accepted");
    expect(harness.journal).toEqual([null, id]);
  });

  test("that paused after an interruption goes on behind the next turn, and says so", async () => {
    const harness = await opened();
    harness.settings = { ...harness.settings, afterInterrupt: "pause" };
    harness.direct();
    const id = await add(harness, "a", { notBeforeMs: harness.clock.now() + 60_000 });
    await harness.end("interrupted");
    expect(harness.published()?.pause).toBe("the turn before was interrupted");
    harness.direct();
    await harness.end("completed");
    expect(harness.published()).toMatchObject({ pause: null, rows: [{ rowId: id }] });
  });

  test("whose store could not say that a row has started goes on as soon as it can", async () => {
    const harness = await opened();
    harness.refused.add("ack");
    const [a, b] = [await add(harness, "a"), await add(harness, "b")];
    await harness.end("completed");
    expect([harness.journal, await texts(harness)]).toEqual([[a], ["b"]]);
    const c = await add(harness, "c");
    harness.refused.clear();
    harness.direct();
    await harness.end("completed");
    expect([harness.journal, await texts(harness)]).toEqual([[a, null, b], ["c"]]);
    await harness.end("completed");
    expect(harness.journal).toEqual([a, null, b, c]);
  });

  test("that could not be taken up after a restart is taken up before anything of it starts", async () => {
    const harness = await opened();
    harness.next = "diesBefore";
    const id = harness.row("a");
    await harness.until(harness.queue().add(held(), id));
    harness.refused.add("recover");
    await expect(harness.restart()).rejects.toThrow("the database is locked");
    harness.refused.clear();
    harness.direct();
    await harness.end("completed");
    expect(await listed(harness)).toMatchObject([{ rowId: id.rowId, state: "failed" }]);
    expect(harness.published()?.rows).toHaveLength(1);
  });

  test("starts nothing while a turn runs, whoever says that there is something to start", async () => {
    const harness = await opened();
    harness.direct();
    const id = await add(harness, "a");
    expect(await harness.queue().changedElsewhere(held())).toBeNull();
    expect(await harness.queue().drain(held())).toBeNull();
    expect([harness.journal, await texts(harness)]).toEqual([[null], ["a"]]);
    await harness.end("completed");
    expect(harness.journal).toEqual([null, id]);
  });

  test("looks at the clock again while a row waits for its time: it may have been set, or have slept", async () => {
    const harness = await opened();
    await add(harness, "a", { notBeforeMs: harness.clock.now() + 3_600_000 });
    harness.clock.advance(60_000);
    expect(harness.due).toEqual([THREAD]);
    expect(await harness.queue().drain(held())).toBeNull();
    harness.clock.advance(60_000);
    expect(harness.due).toEqual([THREAD, THREAD]);
  });

  test("can be started by hand: the first or a chosen one, and then goes on", async () => {
    const harness = await opened();
    expect(await harness.queue().start(held(), null)).toEqual({ kind: "empty" });
    await harness.queue().pause(held(), "lunch");
    const [a, b] = [await add(harness, "a"), await add(harness, "b")];
    expect(await harness.queue().start(held(), "none")).toEqual({ kind: "unknownRow" });
    expect((await harness.queue().start(held(), b)).kind).toBe("accepted");
    expect(harness.published()).toMatchObject({ pause: null, rows: [{ rowId: a }] });
    expect([await harness.queue().start(held(), a), await harness.queue().start(held(), "none")]).toEqual([
      { kind: "busy" },
      { kind: "unknownRow" },
    ]);
    await harness.end("completed");
    expect(harness.journal).toEqual([b, a]);
  });

  test.each<[NextStart, string]>([
    ["diesBefore", "comes back as failed"],
    ["diesAfter", "is gone, because it has started"],
  ])("whose process %s: the row %s", async (next) => {
    const harness = await opened();
    harness.direct();
    const [a, b] = [await add(harness, "a"), await add(harness, "b")];
    harness.next = next;
    await harness.until(harness.end("completed"));
    expect(harness.isDead()).toBe(true);
    await harness.restart();
    if (next === "diesAfter") {
      expect([harness.journal, await texts(harness)]).toEqual([[null, a, b], []]);
      return;
    }
    expect(harness.journal).toEqual([null]);
    const failure = { message: "queued turn dispatch was interrupted while app-server restarted" };
    expect(await listed(harness)).toMatchObject([{ rowId: a, state: "failed", failure }, { rowId: b }]);
  });
});

type Operation =
  | {
      readonly do: "add" | "direct" | "completed" | "failed" | "interrupted" | "restart" | "pause" | "resume";
    }
  | { readonly do: "remove" | "update" | "start" | "toFront"; readonly at: number }
  | { readonly do: "next"; readonly next: NextStart };

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 6, arbitrary: fc.constant<Operation>({ do: "add" }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constantFrom("direct" as const, "completed" as const, "failed" as const, "interrupted" as const),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constantFrom("restart" as const, "pause" as const, "resume" as const) }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constantFrom("remove" as const, "update" as const, "start" as const, "toFront" as const),
      at: fc.nat(5),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("next" as const),
      next: fc.constantFrom<NextStart>("accepted", "refused", "diesBefore", "diesAfter"),
    }),
  },
);

/** Operations of the user on rows. */
interface Facts {
  readonly added: Set<string>;
  readonly removed: Set<string>;
  /** Rows that were moved or started by hand: their order is the user's. */
  readonly moved: Set<string>;
}

/** As a handler does once it has responded. */
async function respond<T extends object>(work: Promise<T>): Promise<T> {
  const outcome = await work;
  if ("begin" in outcome) (outcome as { begin(): void }).begin();
  return outcome;
}

async function perform(
  harness: QueueHarness,
  step: Operation,
  { added, removed, moved }: Facts,
): Promise<void> {
  const queue = harness.queue();
  const rows = await listed(harness);
  const row = "at" in step ? rows[step.at % Math.max(1, rows.length)] : undefined;
  switch (step.do) {
    case "add": {
      const fresh = harness.row("text");
      added.add(fresh.rowId);
      await respond(queue.add(held(), fresh));
      return;
    }
    case "direct":
      harness.direct();
      return;
    case "completed":
    case "failed":
    case "interrupted":
      return harness.end(step.do);
    case "restart":
      return harness.restart();
    case "pause":
      await respond(queue.pause(held(), "why not"));
      return;
    case "resume":
      await respond(queue.resume(held()));
      return;
    case "next":
      harness.next = step.next;
      return;
    default:
      if (row !== undefined) await change(harness, step.do, row.rowId, { added, removed, moved });
  }
}

async function change(
  harness: QueueHarness,
  how: "remove" | "update" | "start" | "toFront",
  rowId: string,
  { removed, moved }: Facts,
): Promise<void> {
  const queue = harness.queue();
  if (how === "remove") {
    // It is out of the queue before the next one starts, with which the process may die.
    removed.add(rowId);
    await respond(queue.remove(held(), rowId));
    return;
  }
  if (how === "update")
    return void (await respond(queue.update(held(), rowId, { params: { text: "changed" } })));
  moved.add(rowId);
  if (how === "start") return void (await queue.start(held(), rowId));
  const ids = (await listed(harness)).map((row) => row.rowId);
  await respond(queue.reorder(held(), [rowId, ...ids.filter((id) => id !== rowId)]));
}

test("whatever is done, nothing is lost, nothing runs twice, and the order is kept", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 40 }), async (steps) => {
      const harness = await opened();
      const facts: Facts = { added: new Set(), removed: new Set(), moved: new Set() };
      for (const step of steps) {
        await harness.until(perform(harness, step, facts));
        if (harness.isDead()) await harness.restart();
        const rows = await listed(harness);
        const started = harness.journal.filter((rowId) => rowId !== null);
        // Nothing runs twice, and nothing both waits and has run.
        expect(new Set(started).size).toBe(started.length);
        const seen = [...started, ...rows.map(({ rowId }) => rowId), ...facts.removed];
        expect(seen.toSorted()).toEqual([...facts.added].toSorted());
        // Rows that were not moved start in the order in which they were added.
        const untouched = started.filter((rowId) => !facts.moved.has(rowId));
        const numbers = untouched.map((rowId) => Number(rowId.slice("row-".length)));
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
        // A free thread has nothing left that could start.
        const [head] = rows;
        const { pause } = await harness.queue().list(THREAD, WHOLE);
        if (!harness.isRunning() && pause === null) expect(head?.state ?? "failed").toBe("failed");
        if (harness.published() !== null) expect(harness.published()?.rows).toEqual(rows.slice(0, 25));
      }
    }),
    propertyRuns(200),
  );
});
