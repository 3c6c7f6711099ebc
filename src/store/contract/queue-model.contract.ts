// Two processes run random commands on the queues of two threads, checked against a plain list as the model.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Fence } from "../leases.ts";
import type { QueueRow } from "../queue.ts";
import { ROOMY, WHOLE } from "../queue-row.fixture.ts";
import type { CreateHarness, LeasedStore, StoreHarness } from "./store-harness.fixture.ts";

const MAX_ROWS = 4;
const FAILURE = { message: "it was not started" };
const THREADS = ["one", "two"] as const;
const LIMITS = { ...ROOMY, maxRows: MAX_ROWS };

type ModelRow = Omit<QueueRow, "createdAtMs" | "updatedAtMs">;

interface ModelThread {
  rows: ModelRow[];
  pause: string | null;
  /** Turn ids of started rows, by client key. */
  readonly started: Map<string, string>;
  /** The fence under which a row is claimed. */
  claim: Fence | null;
  /** The process that holds the thread, with its fence. */
  holder: { readonly process: 0 | 1; readonly fence: Fence } | null;
}

interface Model {
  readonly threads: Record<(typeof THREADS)[number], ModelThread>;
  /** Threads that each process must be notified of. */
  readonly changed: readonly [Set<string>, Set<string>];
}

interface Real {
  readonly harness: StoreHarness;
  readonly stores: [LeasedStore, LeasedStore];
  readonly notified: readonly [Set<string>, Set<string>];
  /** The last fence that a process had for a thread; it may be stale. */
  readonly fences: Map<string, Fence>;
  /** The row of each claimed turn, for its acknowledgement. */
  readonly turns: Map<string, string>;
  nowMs: number;
  createdCount: number;
}

interface StepContext {
  readonly model: Model;
  readonly real: Real;
  readonly thread: ModelThread;
  readonly threadId: (typeof THREADS)[number];
  readonly process: 0 | 1;
  readonly store: LeasedStore;
}

const isVisible = (row: ModelRow): boolean => row.state !== "dispatching";

/** Most commands that need a lease are run by its holder; processes without the lease try them as well. */
type Actor = 0 | 1 | "holder";

/** A command on one thread: it updates the model and compares the store's result. */
class Step implements fc.AsyncCommand<Model, Real> {
  readonly #name: string;
  readonly #actor: Actor;
  readonly #threadId: (typeof THREADS)[number];
  readonly #act: (context: StepContext) => Promise<boolean>;

  constructor(
    name: string,
    actor: Actor,
    threadId: (typeof THREADS)[number],
    act: (context: StepContext) => Promise<boolean>,
  ) {
    this.#name = name;
    this.#actor = actor;
    this.#threadId = threadId;
    this.#act = act;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, real: Real): Promise<void> {
    const threadId = this.#threadId;
    const thread = model.threads[threadId];
    const process = this.#actor === "holder" ? (thread.holder?.process ?? 0) : this.#actor;
    const context = { model, real, thread, threadId, process, store: real.stores[process] };
    if (this.#actor === "holder" && thread.holder === null) await acquire(context);
    if (await this.#act(context)) model.changed[process === 0 ? 1 : 0].add(threadId);
    real.harness.advance(500);
    await real.harness.settled();
    real.nowMs += 500;
    expect(real.notified).toEqual(model.changed);
    for (const set of [...real.notified, ...model.changed]) set.clear();
    await compare(model, real);
  }

  toString(): string {
    return `${this.#name} by ${this.#actor} in ${this.#threadId}`;
  }
}

/** A queue is due if a row is being started, or if its first row is pending and not paused. */
function dueOf({ threads }: Model, nowMs: number) {
  const times = THREADS.flatMap((id) => {
    const { rows, pause } = threads[id];
    const [first] = rows;
    if (!rows.every(isVisible)) return [{ id, at: 0 }];
    return first?.state === "pending" && pause === null ? [{ id, at: first.notBeforeMs ?? 0 }] : [];
  });
  const due = times.filter(({ at }) => at <= nowMs).sort((a, b) => a.at - b.at);
  const later = times.filter(({ at }) => at > nowMs).map(({ at }) => at);
  return { threadIds: due.map(({ id }) => id), nextAtMs: later.length === 0 ? null : Math.min(...later) };
}

async function compare(model: Model, { stores, nowMs }: Real): Promise<void> {
  for (const { queue } of stores) {
    for (const threadId of THREADS) {
      const { rows, pause } = model.threads[threadId];
      const seen = await queue.list(threadId, WHOLE);
      const expected = rows.filter(isVisible);
      expect({ ...seen, rows: seen.rows.map(withoutTimes) }).toEqual({
        rows: expected,
        total: expected.length,
        pause,
      });
    }
    expect(await queue.threads()).toEqual(THREADS.filter((id) => model.threads[id].rows.length > 0));
    expect(await queue.due()).toEqual(dueOf(model, nowMs));
  }
}

function withoutTimes(row: QueueRow): ModelRow {
  const { threadId, rowId, clientUserMessageId, params, notBeforeMs, state, turnId, failure } = row;
  return { threadId, rowId, clientUserMessageId, params, notBeforeMs, state, turnId, failure };
}

const pick = <T>(from: readonly T[], at: number): T | undefined => from[at % Math.max(1, from.length)];

async function add(
  { thread, threadId, store, real }: StepContext,
  key: string | null,
  delayMs: number | null,
) {
  real.createdCount += 1;
  const rowId = `row-${real.createdCount}`;
  const notBeforeMs = delayMs === null ? null : real.nowMs + delayMs;
  const row = { rowId, clientUserMessageId: key, params: { createdCount: real.createdCount }, notBeforeMs };
  const outcome = await store.queue.add(threadId, row, LIMITS);
  const known = thread.rows.find((each) => key !== null && each.clientUserMessageId === key);
  const turnId = key === null || known !== undefined ? undefined : thread.started.get(key);
  const isFull = thread.rows.length >= MAX_ROWS;
  const fresh = turnId === undefined ? (isFull ? "full" : "added") : "started";
  expect(outcome.kind).toBe(known === undefined ? fresh : "known");
  if (outcome.kind === "started") expect(outcome.started.turnId).toBe(turnId);
  if (known !== undefined && outcome.kind === "known") expect(outcome.row.rowId).toBe(known.rowId);
  if (outcome.kind !== "added") return false;
  thread.rows.push({ ...row, threadId, state: "pending", turnId: null, failure: null });
  return true;
}

async function update({ thread, threadId, store, real }: StepContext, at: number) {
  real.createdCount += 1;
  const row = pick(thread.rows, at);
  const change = { params: { createdCount: real.createdCount } };
  const outcome = await store.queue.update(threadId, row?.rowId ?? "none", change, ROOMY);
  const expected =
    row !== undefined && isVisible(row)
      ? ({ ...row, params: { createdCount: real.createdCount }, state: "pending", failure: null } as const)
      : null;
  expect(outcome).toMatchObject(
    expected === null ? { kind: "unknownRow" } : { kind: "updated", row: { params: expected.params } },
  );
  if (expected !== null) thread.rows = thread.rows.map((each) => (each === row ? expected : each));
  return expected !== null;
}

async function remove({ thread, threadId, store }: StepContext, at: number) {
  const row = pick(thread.rows, at);
  const isThere = row !== undefined && isVisible(row);
  expect(await store.queue.remove(threadId, row?.rowId ?? "none")).toBe(isThere);
  if (isThere) thread.rows = thread.rows.filter((each) => each !== row);
  return isThere;
}

async function reorder({ thread, threadId, store }: StepContext, shift: number, withHidden: boolean) {
  const visible = thread.rows.filter(isVisible);
  const turned = visible.map((_, at) => pick(visible, at + shift) as ModelRow);
  const hidden = withHidden ? thread.rows.filter((row) => !isVisible(row)) : [];
  const ids = [...turned, ...hidden].map(({ rowId }) => rowId);
  expect(await store.queue.reorder(threadId, ids)).toBe(hidden.length === 0);
  if (hidden.length > 0) return false;
  thread.rows = thread.rows.map((row) => (isVisible(row) ? (turned.shift() as ModelRow) : row));
  return true;
}

async function pause({ thread, threadId, store }: StepContext, reason: string | null) {
  const wasPaused = thread.pause !== null;
  if (reason === null) expect(await store.queue.resume(threadId)).toBe(wasPaused);
  else await store.queue.pause(threadId, reason);
  thread.pause = reason;
  return reason !== null || wasPaused;
}

async function acquire({ thread, threadId, process, store, real }: StepContext) {
  const lease = await store.leases.acquire(threadId, "takeOver");
  if (lease.kind === "elsewhere") throw new Error("it is held elsewhere");
  real.fences.set(`${process} ${threadId}`, lease.fence);
  thread.holder = { process, fence: lease.fence };
  return false;
}

/** The fence that a process believes to hold, and whether it is valid. */
function fenceOf({ thread, threadId, process, real }: StepContext) {
  const fence = real.fences.get(`${process} ${threadId}`) ?? { threadId, epoch: 0 };
  return { fence, isOurs: thread.holder?.process === process && thread.holder.fence === fence };
}

function expectedClaim({ thread, real }: StepContext, rowId: string | undefined): object | ModelRow {
  const none = (why: string) => ({ kind: "none", why });
  if (!thread.rows.every(isVisible)) return none("dispatching");
  if (rowId !== undefined) return thread.rows.find((row) => row.rowId === rowId) ?? none("unknownRow");
  const [first] = thread.rows;
  if (first === undefined) return none("empty");
  if (thread.pause !== null) return none("paused");
  if (first.state === "failed") return none("failedHead");
  const { notBeforeMs } = first;
  return notBeforeMs !== null && notBeforeMs > real.nowMs ? { kind: "later", notBeforeMs } : first;
}

async function claim(context: StepContext, at: number | null) {
  const { thread, real, store } = context;
  const { fence, isOurs } = fenceOf(context);
  real.createdCount += 1;
  const turnId = `turn-${real.createdCount}`;
  const rowId = at === null ? undefined : (pick(thread.rows, at)?.rowId ?? "none");
  const outcome = await store.queue.claim(fence, turnId, rowId);
  const expected = isOurs ? expectedClaim(context, rowId) : { kind: "fenced" };
  if ("kind" in expected) {
    expect(outcome).toEqual(expected);
    return false;
  }
  const taken = { ...(expected as ModelRow), state: "dispatching", turnId, failure: null } as const;
  expect(outcome.kind === "claimed" ? withoutTimes(outcome.row) : outcome).toEqual(taken);
  thread.rows = thread.rows.map((row) => (row === expected ? taken : row));
  thread.claim = fence;
  real.turns.set(turnId, taken.rowId);
  return true;
}

async function ack(context: StepContext, isStarted: boolean, at: number) {
  const { thread, store, real } = context;
  const { fence, isOurs } = fenceOf(context);
  const claimedNow = thread.rows.find((row) => !isVisible(row));
  // Usually the turn of the claim, sometimes an old one.
  const [turnId, rowId] =
    claimedNow !== undefined && at > 0
      ? [claimedNow.turnId ?? "", claimedNow.rowId]
      : (pick([...real.turns], at) ?? ["none", "none"]);
  const outcome = isStarted
    ? ({ kind: "started", preview: "" } as const)
    : ({ kind: "failed", failure: FAILURE } as const);
  const settled = await store.queue.ack(fence, rowId, turnId, outcome);
  const isSettled = claimedNow?.turnId === turnId;
  expect(settled).toEqual(isOurs ? isSettled : { kind: "fenced" });
  if (!isOurs || !isSettled) return false;
  ackModel(thread, claimedNow, isStarted);
  return true;
}

function ackModel(thread: ModelThread, claimedNow: ModelRow, isStarted: boolean): void {
  const failed = { state: "failed", turnId: null, failure: FAILURE } as const;
  const { clientUserMessageId: key, turnId } = claimedNow;
  if (isStarted && key !== null) thread.started.set(key, turnId ?? "");
  thread.rows = thread.rows.flatMap((row) =>
    row !== claimedNow ? [row] : isStarted ? [] : [{ ...row, ...failed }],
  );
}

async function recover(context: StepContext, isStarted: boolean, isAnew: boolean) {
  const { thread, store } = context;
  if (isAnew) await acquire(context);
  const { fence, isOurs } = fenceOf(context);
  const outcome = await store.queue.recover(fence, async () => isStarted, FAILURE);
  const left = isOurs ? thread.rows.find((row) => !isVisible(row) && thread.claim !== fence) : undefined;
  const failed = left === undefined || isStarted ? [] : [left.rowId];
  expect(outcome.kind === "recovered" ? outcome.failed : outcome).toEqual(
    isOurs ? failed : { kind: "fenced" },
  );
  if (left !== undefined) ackModel(thread, left, isStarted);
  return left !== undefined;
}

async function forget({ thread, threadId, store }: StepContext) {
  await store.forgetQueue(threadId);
  thread.rows = [];
  thread.pause = null;
  thread.started.clear();
  return true;
}

/** The process shuts down in order, and another one replaces it. */
async function restart({ model, real, process, store }: StepContext) {
  await store.close();
  real.stores[process] = await openStore(real.harness, real.notified[process]);
  for (const threadId of THREADS) {
    real.fences.delete(`${process} ${threadId}`);
    const thread = model.threads[threadId];
    if (thread.holder?.process === process) thread.holder = null;
  }
  return false;
}

async function openStore(harness: StoreHarness, notified: Set<string>): Promise<LeasedStore> {
  const store = await harness.open();
  store.queue.watch((threadId) => notified.add(threadId));
  return store;
}

const anybody = fc.constantFrom<Actor>(0, 1);
const holder = fc.constantFrom<Actor>(0, 1, "holder", "holder", "holder", "holder");
const some = fc.nat({ max: 5 });

function steps<T extends unknown[]>(
  actor: fc.Arbitrary<Actor>,
  act: (context: StepContext, ...values: T) => Promise<boolean>,
  ...values: { [K in keyof T]: fc.Arbitrary<T[K]> }
): fc.Arbitrary<Step> {
  const members = fc.tuple(...values) as unknown as fc.Arbitrary<T>;
  return fc.tuple(actor, fc.constantFrom(...THREADS), members).map(([who, threadId, drawn]) => {
    const name = `${act.name}(${JSON.stringify(drawn)})`;
    return new Step(name, who, threadId, (context) => act(context, ...drawn));
  });
}

const FREQUENT = [
  steps(anybody, add, fc.constant(null), fc.constant(null)),
  steps(holder, claim, fc.constant(null)),
  steps(holder, ack, fc.boolean(), some),
];
const STEPS = [
  ...FREQUENT,
  ...FREQUENT,
  ...FREQUENT,
  steps(
    anybody,
    add,
    fc.option(fc.constantFrom("k1", "k2")),
    fc.option(fc.integer({ min: -500, max: 1500 })),
  ),
  steps(anybody, update, some),
  steps(anybody, remove, some),
  steps(anybody, reorder, some, fc.boolean()),
  steps(anybody, pause, fc.option(fc.constantFrom("tired", "later"), { freq: 2 })),
  steps(anybody, acquire),
  steps(holder, claim, fc.option(some)),
  steps(holder, recover, fc.boolean(), fc.boolean()),
  steps(anybody, forget),
  steps(anybody, restart),
];

async function begin(harness: StoreHarness): Promise<{ model: Model; real: Real }> {
  const notified = [new Set<string>(), new Set<string>()] as const;
  const empty = (): ModelThread => ({
    rows: [],
    pause: null,
    started: new Map(),
    claim: null,
    holder: null,
  });
  return {
    model: { threads: { one: empty(), two: empty() }, changed: [new Set(), new Set()] },
    real: {
      harness,
      stores: [await openStore(harness, notified[0]), await openStore(harness, notified[1])],
      notified,
      fences: new Map(),
      turns: new Map(),
      nowMs: harness.now(),
      createdCount: 0,
    },
  };
}

export function queueModelContract(createHarness: CreateHarness): void {
  test("random commands of two processes give the same queues as a plain list", {
    timeout: 60_000,
  }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(STEPS, { maxCommands: 60, size: "max" }), (commands) =>
        fc.asyncModelRun(() => begin(createHarness()), commands),
      ),
      { numRuns: 30 },
    );
  });
}
