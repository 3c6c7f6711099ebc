import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { propertyRuns } from "../../base/property-runs.fixture.ts";
import { WHOLE } from "../../store/queue-row.fixture.ts";
import {
  CUT_OFF_END,
  createQueueGround,
  held,
  type NextStart,
  type QueueGround,
  REFUSED,
  THREAD,
} from "./queue-ground.fixture.ts";

async function opened(): Promise<QueueGround> {
  const ground = createQueueGround();
  await ground.restart();
  return ground;
}

const listed = async (ground: QueueGround) => (await ground.queue().list(THREAD, WHOLE)).rows;
const texts = async (ground: QueueGround) => (await listed(ground)).map(({ params }) => params["text"]);

async function add(ground: QueueGround, text: string, more = {}): Promise<string> {
  const row = ground.row(text, more);
  const outcome = await ground.queue().add(held(), row);
  if (outcome.kind === "full" || outcome.kind === "started") throw new Error(`it is ${outcome.kind}`);
  outcome.begin();
  return outcome.row.rowId;
}

describe("a row", () => {
  test("starts at once where nothing runs, and the others after it in their order", async () => {
    const ground = await opened();
    const ids = [await add(ground, "a"), await add(ground, "b"), await add(ground, "c")];
    expect([ground.journal, await texts(ground)]).toEqual([ids.slice(0, 1), ["b", "c"]]);
    await ground.end("completed");
    await ground.end("interrupted");
    expect([ground.journal, await texts(ground)]).toEqual([ids, []]);
    expect(ground.published()?.rows).toEqual([]);
  });

  test("waits for a turn that was accepted and has not begun to show", async () => {
    const ground = await opened();
    ground.direct();
    const id = await add(ground, "a");
    expect(ground.journal).toEqual([null]);
    await ground.end("completed");
    expect(ground.journal).toEqual([null, id]);
  });

  test("that cannot be started stays with its error and holds up the others, until it is out of the way", async () => {
    for (const unblock of ["remove", "reorder", "update"] as const) {
      const ground = await opened();
      ground.direct();
      const [a, b] = [await add(ground, "a"), await add(ground, "b")];
      ground.next = "refused";
      await ground.end("completed");
      expect(await listed(ground)).toMatchObject([
        { rowId: a, state: "failed", failure: REFUSED },
        { rowId: b, state: "pending" },
      ]);
      expect(ground.journal).toEqual([null]);
      if (unblock === "remove") await ground.queue().remove(held(), a);
      if (unblock === "reorder") await ground.queue().reorder(held(), [b, a]);
      if (unblock === "update") await ground.queue().update(held(), a, { params: { text: "again" } });
      expect(ground.journal).toEqual([null, unblock === "update" ? a : b]);
    }
  });

  test("with a time waits for it, and those behind it too", async () => {
    const ground = await opened();
    const notBeforeMs = ground.clock.now() + 60_000;
    const a = await add(ground, "a", { notBeforeMs });
    await add(ground, "b");
    expect([ground.journal, ground.due]).toEqual([[], []]);
    ground.clock.advance(60_000);
    expect(ground.due).toEqual([THREAD]);
    await ground.queue().drain(held());
    expect(ground.journal).toEqual([a]);
  });

  test("that a client sends twice is there once", async () => {
    const ground = await opened();
    ground.direct();
    const row = ground.row("a");
    const first = await ground.queue().add(held(), row);
    const second = await ground.queue().add(held(), { ...row, rowId: "other", params: { text: "b" } });
    expect([first.kind, second.kind]).toEqual(["added", "known"]);
    expect(await texts(ground)).toEqual(["a"]);
    await ground.end("completed");
    expect(await ground.queue().add(held(), { ...row, rowId: "third" })).toMatchObject({
      kind: "started",
      started: { rowId: row.rowId },
    });
    await ground.restart();
    expect((await ground.queue().add(held(), { ...row, rowId: "fourth" })).kind).toBe("started");
    expect(ground.journal).toEqual([null, row.rowId]);
  });

  test("is refused when there are too many, or too large", async () => {
    const ground = await opened();
    ground.settings = { ...ground.settings, maxRows: 1 };
    ground.direct();
    const id = await add(ground, "a");
    const text = "x".repeat(64 * 1024 * 1024);
    const told = ground.published();
    expect(await ground.queue().add(held(), ground.row("b"))).toEqual({
      kind: "full",
      message: "queue cannot contain more than 1 submissions",
    });
    expect(await ground.queue().update(held(), id, { params: { text } })).toEqual({
      kind: "full",
      message: expect.stringContaining("a queued turn cannot have more than 67108864 bytes"),
    });
    // Clients hear of what is kept, and of nothing else.
    expect(ground.published()).toBe(told);
  });
});

describe("a queue", () => {
  test.each([
    ["whose last row has started is told of after a restart", "accepted", true],
    ["whose last row was being started when its process died, too", "diesAfter", true],
    ["that was never used is not", null, false],
  ] as const)("%s", async (_, next, isTold) => {
    const ground = await opened();
    expect(ground.published()).toBeNull();
    if (next !== null) {
      ground.next = next;
      await ground.until(add(ground, "a"));
    }
    await ground.restart();
    expect(ground.published()).toEqual(isTold ? { rows: [], total: 0, pause: null } : null);
    expect(ground.journal.length).toBe(isTold ? 1 : 0);
  });

  test("that is paused starts nothing, also in another process, until it is resumed", async () => {
    const ground = await opened();
    await ground.queue().pause(held(), "lunch");
    const id = await add(ground, "a");
    await ground.restart();
    expect([ground.journal, ground.published()?.pause]).toEqual([[], "lunch"]);
    await ground.queue().resume(held());
    expect([ground.journal, ground.published()?.pause]).toEqual([[id], null]);
  });

  test("pauses after an interruption where that is wanted, and goes on behind the next turn", async () => {
    const ground = await opened();
    ground.settings = { ...ground.settings, afterInterrupt: "pause" };
    ground.direct();
    const id = await add(ground, "a");
    await ground.end("interrupted");
    expect([ground.journal, ground.published()?.pause]).toEqual([[null], "the turn before was interrupted"]);
    ground.direct();
    await ground.end("completed");
    expect([ground.journal, ground.published()?.pause]).toEqual([[null, null, id], null]);
  });

  test("pauses after a failure where that is wanted, and goes on behind the next turn that does not fail", async () => {
    const ground = await opened();
    ground.settings = { ...ground.settings, afterFailure: "pause" };
    ground.direct();
    const [a, b] = [await add(ground, "a"), await add(ground, "b")];
    await ground.end("failed");
    expect([ground.journal, ground.published()?.pause]).toEqual([[null], "the turn before failed"]);
    ground.direct();
    await ground.end("failed");
    expect(ground.journal).toEqual([null, null]);
    ground.direct();
    await ground.end("completed");
    expect([ground.journal, ground.published()?.pause]).toEqual([[null, null, null, a], null]);
    await ground.end("interrupted");
    expect(ground.journal).toEqual([null, null, null, a, b]);
  });

  test("that somebody has resumed is not paused again when its thread is loaded again", async () => {
    const ground = await opened();
    ground.settings = { ...ground.settings, afterFailure: "pause" };
    ground.direct();
    const id = await add(ground, "a");
    await ground.end("failed");
    await ground.restart();
    expect([ground.journal, ground.published()?.pause]).toEqual([[null], "the turn before failed"]);
    await ground.store().queue.resume(THREAD);
    await ground.restart();
    expect(ground.journal).toEqual([null, id]);
  });

  test("says how turns have ended that were cut off with their process", async () => {
    const ground = await opened();
    await add(ground, "a");
    await ground.restart();
    expect(await ground.store().queue.started({ limit: 9 })).toMatchObject([{ end: CUT_OFF_END }]);
  });

  test("pauses as well where the turn was cut off with its process", async () => {
    const ground = await opened();
    ground.settings = { ...ground.settings, afterInterrupt: "pause" };
    ground.direct();
    const id = await add(ground, "a");
    await ground.restart();
    expect([ground.journal, ground.published()?.pause]).toEqual([[null], "the turn before was interrupted"]);
    expect((await ground.queue().start(held(), null)).kind).toBe("accepted");
    expect(ground.journal).toEqual([null, id]);
  });

  test("that paused after an interruption goes on behind the next turn, and says so", async () => {
    const ground = await opened();
    ground.settings = { ...ground.settings, afterInterrupt: "pause" };
    ground.direct();
    const id = await add(ground, "a", { notBeforeMs: ground.clock.now() + 60_000 });
    await ground.end("interrupted");
    expect(ground.published()?.pause).toBe("the turn before was interrupted");
    ground.direct();
    await ground.end("completed");
    expect(ground.published()).toMatchObject({ pause: null, rows: [{ rowId: id }] });
  });

  test("whose store could not say that a row has started goes on as soon as it can", async () => {
    const ground = await opened();
    ground.refused.add("ack");
    const [a, b] = [await add(ground, "a"), await add(ground, "b")];
    await ground.end("completed");
    expect([ground.journal, await texts(ground)]).toEqual([[a], ["b"]]);
    const c = await add(ground, "c");
    ground.refused.clear();
    ground.direct();
    await ground.end("completed");
    expect([ground.journal, await texts(ground)]).toEqual([[a, null, b], ["c"]]);
    await ground.end("completed");
    expect(ground.journal).toEqual([a, null, b, c]);
  });

  test("that could not be taken up after a restart is taken up before anything of it starts", async () => {
    const ground = await opened();
    ground.next = "diesBefore";
    const id = ground.row("a");
    await ground.until(ground.queue().add(held(), id));
    ground.refused.add("recover");
    await expect(ground.restart()).rejects.toThrow("the database is locked");
    ground.refused.clear();
    ground.direct();
    await ground.end("completed");
    expect(await listed(ground)).toMatchObject([{ rowId: id.rowId, state: "failed" }]);
    expect(ground.published()?.rows).toHaveLength(1);
  });

  test("starts nothing while a turn runs, whoever says that there is something to start", async () => {
    const ground = await opened();
    ground.direct();
    const id = await add(ground, "a");
    expect(await ground.queue().changedElsewhere(held())).toBeNull();
    expect(await ground.queue().drain(held())).toBeNull();
    expect([ground.journal, await texts(ground)]).toEqual([[null], ["a"]]);
    await ground.end("completed");
    expect(ground.journal).toEqual([null, id]);
  });

  test("looks at the clock again while a row waits for its time: it may have been set, or have slept", async () => {
    const ground = await opened();
    await add(ground, "a", { notBeforeMs: ground.clock.now() + 3_600_000 });
    ground.clock.advance(60_000);
    expect(ground.due).toEqual([THREAD]);
    expect(await ground.queue().drain(held())).toBeNull();
    ground.clock.advance(60_000);
    expect(ground.due).toEqual([THREAD, THREAD]);
  });

  test("can be started by hand: the first or a chosen one, and then goes on", async () => {
    const ground = await opened();
    expect(await ground.queue().start(held(), null)).toEqual({ kind: "empty" });
    await ground.queue().pause(held(), "lunch");
    const [a, b] = [await add(ground, "a"), await add(ground, "b")];
    expect(await ground.queue().start(held(), "none")).toEqual({ kind: "unknownRow" });
    expect((await ground.queue().start(held(), b)).kind).toBe("accepted");
    expect(ground.published()).toMatchObject({ pause: null, rows: [{ rowId: a }] });
    expect([await ground.queue().start(held(), a), await ground.queue().start(held(), "none")]).toEqual([
      { kind: "busy" },
      { kind: "unknownRow" },
    ]);
    await ground.end("completed");
    expect(ground.journal).toEqual([b, a]);
  });

  test.each<[NextStart, string]>([
    ["diesBefore", "comes back as failed"],
    ["diesAfter", "is gone, because it has started"],
  ])("whose process %s: the row %s", async (next) => {
    const ground = await opened();
    ground.direct();
    const [a, b] = [await add(ground, "a"), await add(ground, "b")];
    ground.next = next;
    await ground.until(ground.end("completed"));
    expect(ground.isDead()).toBe(true);
    await ground.restart();
    if (next === "diesAfter") {
      expect([ground.journal, await texts(ground)]).toEqual([[null, a, b], []]);
      return;
    }
    expect(ground.journal).toEqual([null]);
    const failure = { message: "queued turn dispatch was interrupted while app-server restarted" };
    expect(await listed(ground)).toMatchObject([{ rowId: a, state: "failed", failure }, { rowId: b }]);
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

/** What the user has done to rows, from which the rest follows. */
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
  ground: QueueGround,
  step: Operation,
  { added, removed, moved }: Facts,
): Promise<void> {
  const queue = ground.queue();
  const rows = await listed(ground);
  const row = "at" in step ? rows[step.at % Math.max(1, rows.length)] : undefined;
  switch (step.do) {
    case "add": {
      const fresh = ground.row("text");
      added.add(fresh.rowId);
      await respond(queue.add(held(), fresh));
      return;
    }
    case "direct":
      ground.direct();
      return;
    case "completed":
    case "failed":
    case "interrupted":
      return ground.end(step.do);
    case "restart":
      return ground.restart();
    case "pause":
      await respond(queue.pause(held(), "why not"));
      return;
    case "resume":
      await respond(queue.resume(held()));
      return;
    case "next":
      ground.next = step.next;
      return;
    default:
      if (row !== undefined) await change(ground, step.do, row.rowId, { added, removed, moved });
  }
}

async function change(
  ground: QueueGround,
  how: "remove" | "update" | "start" | "toFront",
  rowId: string,
  { removed, moved }: Facts,
): Promise<void> {
  const queue = ground.queue();
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
  const ids = (await listed(ground)).map((row) => row.rowId);
  await respond(queue.reorder(held(), [rowId, ...ids.filter((id) => id !== rowId)]));
}

test("whatever is done, nothing is lost, nothing runs twice, and the order is kept", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { maxLength: 40 }), async (steps) => {
      const ground = await opened();
      const facts: Facts = { added: new Set(), removed: new Set(), moved: new Set() };
      for (const step of steps) {
        await ground.until(perform(ground, step, facts));
        if (ground.isDead()) await ground.restart();
        const rows = await listed(ground);
        const started = ground.journal.filter((rowId) => rowId !== null);
        // Nothing runs twice, and nothing both waits and has run.
        expect(new Set(started).size).toBe(started.length);
        const seen = [...started, ...rows.map(({ rowId }) => rowId), ...facts.removed];
        expect(seen.toSorted()).toEqual([...facts.added].toSorted());
        // Rows that nobody has moved start in the order in which they came.
        const untouched = started.filter((rowId) => !facts.moved.has(rowId));
        const numbers = untouched.map((rowId) => Number(rowId.slice("row-".length)));
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
        // A free thread has nothing left that could start.
        const [head] = rows;
        const { pause } = await ground.queue().list(THREAD, WHOLE);
        if (!ground.isRunning() && pause === null) expect(head?.state ?? "failed").toBe("failed");
        if (ground.published() !== null) expect(ground.published()?.rows).toEqual(rows.slice(0, 25));
      }
    }),
    propertyRuns(200),
  );
});
