// Two processes do anything at all to the queues of two threads, and a list in a test says what has to come of it.
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Fence } from "../leases.ts";
import type { QueueRow } from "../queue.ts";
import { ROOMY, WHOLE } from "../queue-row.fixture.ts";
import type { LeasedStore, OpenWorld, World } from "./world.fixture.ts";

const MAX_ROWS = 4;
const FAILURE = { message: "it was not started" };
const THREADS = ["one", "two"] as const;
const LIMITS = { ...ROOMY, maxRows: MAX_ROWS };

type ModelRow = Omit<QueueRow, "createdAtMs" | "updatedAtMs">;

interface ModelThread {
  rows: ModelRow[];
  pause: string | null;
  /** The turns that rows have become, by their keys. */
  readonly started: Map<string, string>;
  /** The fence under which a row is claimed. */
  claim: Fence | null;
  /** Who has it, under which fence. */
  holder: { readonly process: 0 | 1; readonly fence: Fence } | null;
}

interface Model {
  readonly threads: Record<(typeof THREADS)[number], ModelThread>;
  /** Threads that each process has to hear of. */
  readonly changed: readonly [Set<string>, Set<string>];
}

interface Real {
  readonly world: World;
  readonly stores: [LeasedStore, LeasedStore];
  readonly heard: readonly [Set<string>, Set<string>];
  /** The last fence that a process had of a thread; it may be stale. */
  readonly fences: Map<string, Fence>;
  /** The row of a turn that was claimed, for settling. */
  readonly turns: Map<string, string>;
  nowMs: number;
  made: number;
}

interface Scene {
  readonly model: Model;
  readonly real: Real;
  readonly thread: ModelThread;
  readonly threadId: (typeof THREADS)[number];
  readonly process: 0 | 1;
  readonly store: LeasedStore;
}

const isVisible = (row: ModelRow): boolean => row.state !== "dispatching";

/** Most of what needs a lease is done by whoever has it; who has lost it, or never had it, tries as well. */
type Doer = 0 | 1 | "holder";

/** A step with one thread: it changes the model, and compares what the store answers. */
class Step implements fc.AsyncCommand<Model, Real> {
  readonly #name: string;
  readonly #doer: Doer;
  readonly #threadId: (typeof THREADS)[number];
  readonly #act: (scene: Scene) => Promise<boolean>;

  constructor(
    name: string,
    doer: Doer,
    threadId: (typeof THREADS)[number],
    act: (scene: Scene) => Promise<boolean>,
  ) {
    this.#name = name;
    this.#doer = doer;
    this.#threadId = threadId;
    this.#act = act;
  }

  check(): boolean {
    return true;
  }

  async run(model: Model, real: Real): Promise<void> {
    const threadId = this.#threadId;
    const thread = model.threads[threadId];
    const process = this.#doer === "holder" ? (thread.holder?.process ?? 0) : this.#doer;
    const scene = { model, real, thread, threadId, process, store: real.stores[process] };
    if (this.#doer === "holder" && thread.holder === null) await acquire(scene);
    if (await this.#act(scene)) model.changed[process === 0 ? 1 : 0].add(threadId);
    real.world.advance(500);
    real.nowMs += 500;
    expect(real.heard).toEqual(model.changed);
    for (const set of [...real.heard, ...model.changed]) set.clear();
    await compare(model, real);
  }

  toString(): string {
    return `${this.#name} by ${this.#doer} in ${this.#threadId}`;
  }
}

/** By plain looking: one that is being started, or the first one where nothing keeps it back. */
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
      const wanted = rows.filter(isVisible);
      expect({ ...seen, rows: seen.rows.map(timeless) }).toEqual({
        rows: wanted,
        total: wanted.length,
        pause,
      });
    }
    expect(await queue.threads()).toEqual(THREADS.filter((id) => model.threads[id].rows.length > 0));
    expect(await queue.due()).toEqual(dueOf(model, nowMs));
  }
}

function timeless(row: QueueRow): ModelRow {
  const { threadId, rowId, clientUserMessageId, params, notBeforeMs, state, turnId, failure } = row;
  return { threadId, rowId, clientUserMessageId, params, notBeforeMs, state, turnId, failure };
}

const pick = <T>(from: readonly T[], at: number): T | undefined => from[at % Math.max(1, from.length)];

async function add({ thread, threadId, store, real }: Scene, key: string | null, delayMs: number | null) {
  real.made += 1;
  const rowId = `row-${real.made}`;
  const notBeforeMs = delayMs === null ? null : real.nowMs + delayMs;
  const row = { rowId, clientUserMessageId: key, params: { made: real.made }, notBeforeMs };
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

async function update({ thread, threadId, store, real }: Scene, at: number) {
  real.made += 1;
  const row = pick(thread.rows, at);
  const change = { params: { made: real.made } };
  const outcome = await store.queue.update(threadId, row?.rowId ?? "none", change, ROOMY);
  const wanted =
    row !== undefined && isVisible(row)
      ? ({ ...row, params: { made: real.made }, state: "pending", failure: null } as const)
      : null;
  expect(outcome).toMatchObject(
    wanted === null ? { kind: "unknownRow" } : { kind: "updated", row: { params: wanted.params } },
  );
  if (wanted !== null) thread.rows = thread.rows.map((each) => (each === row ? wanted : each));
  return wanted !== null;
}

async function remove({ thread, threadId, store }: Scene, at: number) {
  const row = pick(thread.rows, at);
  const isThere = row !== undefined && isVisible(row);
  expect(await store.queue.remove(threadId, row?.rowId ?? "none")).toBe(isThere);
  if (isThere) thread.rows = thread.rows.filter((each) => each !== row);
  return isThere;
}

async function reorder({ thread, threadId, store }: Scene, shift: number, withHidden: boolean) {
  const visible = thread.rows.filter(isVisible);
  const turned = visible.map((_, at) => pick(visible, at + shift) as ModelRow);
  const hidden = withHidden ? thread.rows.filter((row) => !isVisible(row)) : [];
  const ids = [...turned, ...hidden].map(({ rowId }) => rowId);
  expect(await store.queue.reorder(threadId, ids)).toBe(hidden.length === 0);
  if (hidden.length > 0) return false;
  thread.rows = thread.rows.map((row) => (isVisible(row) ? (turned.shift() as ModelRow) : row));
  return true;
}

async function pause({ thread, threadId, store }: Scene, reason: string | null) {
  const wasPaused = thread.pause !== null;
  if (reason === null) expect(await store.queue.resume(threadId)).toBe(wasPaused);
  else await store.queue.pause(threadId, reason);
  thread.pause = reason;
  return reason !== null || wasPaused;
}

async function acquire({ thread, threadId, process, store, real }: Scene) {
  const lease = await store.leases.acquire(threadId, "takeOver");
  if (lease.kind === "elsewhere") throw new Error("it is held elsewhere");
  real.fences.set(`${process} ${threadId}`, lease.fence);
  thread.holder = { process, fence: lease.fence };
  return false;
}

/** The fence that a process believes in, and whether it is right. */
function fenceOf({ thread, threadId, process, real }: Scene) {
  const fence = real.fences.get(`${process} ${threadId}`) ?? { threadId, epoch: 0 };
  return { fence, isOurs: thread.holder?.process === process && thread.holder.fence === fence };
}

function wantedClaim({ thread, real }: Scene, rowId: string | undefined): object | ModelRow {
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

async function claim(scene: Scene, at: number | null) {
  const { thread, real, store } = scene;
  const { fence, isOurs } = fenceOf(scene);
  real.made += 1;
  const turnId = `turn-${real.made}`;
  const rowId = at === null ? undefined : (pick(thread.rows, at)?.rowId ?? "none");
  const outcome = await store.queue.claim(fence, turnId, rowId);
  const wanted = isOurs ? wantedClaim(scene, rowId) : { kind: "fenced" };
  if ("kind" in wanted) {
    expect(outcome).toEqual(wanted);
    return false;
  }
  const taken = { ...(wanted as ModelRow), state: "dispatching", turnId, failure: null } as const;
  expect(outcome.kind === "claimed" ? timeless(outcome.row) : outcome).toEqual(taken);
  thread.rows = thread.rows.map((row) => (row === wanted ? taken : row));
  thread.claim = fence;
  real.turns.set(turnId, taken.rowId);
  return true;
}

async function ack(scene: Scene, isStarted: boolean, at: number) {
  const { thread, store, real } = scene;
  const { fence, isOurs } = fenceOf(scene);
  const claimedNow = thread.rows.find((row) => !isVisible(row));
  // Most often the turn of the claim, at times one of long ago.
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

async function recover(scene: Scene, isStarted: boolean, isAnew: boolean) {
  const { thread, store } = scene;
  if (isAnew) await acquire(scene);
  const { fence, isOurs } = fenceOf(scene);
  const outcome = await store.queue.recover(fence, async () => isStarted, FAILURE);
  const left = isOurs ? thread.rows.find((row) => !isVisible(row) && thread.claim !== fence) : undefined;
  const failed = left === undefined || isStarted ? [] : [left.rowId];
  expect(outcome.kind === "recovered" ? outcome.failed : outcome).toEqual(
    isOurs ? failed : { kind: "fenced" },
  );
  if (left !== undefined) ackModel(thread, left, isStarted);
  return left !== undefined;
}

async function forget({ thread, threadId, store }: Scene) {
  await store.forgetQueue(threadId);
  thread.rows = [];
  thread.pause = null;
  thread.started.clear();
  return true;
}

/** The process ends in good order, and another one takes its place. */
async function restart({ model, real, process, store }: Scene) {
  await store.close();
  real.stores[process] = await openStore(real.world, real.heard[process]);
  for (const threadId of THREADS) {
    real.fences.delete(`${process} ${threadId}`);
    const thread = model.threads[threadId];
    if (thread.holder?.process === process) thread.holder = null;
  }
  return false;
}

async function openStore(world: World, heard: Set<string>): Promise<LeasedStore> {
  const store = await world.open();
  store.queue.watch((threadId) => heard.add(threadId));
  return store;
}

const anybody = fc.constantFrom<Doer>(0, 1);
const holder = fc.constantFrom<Doer>(0, 1, "holder", "holder", "holder", "holder");
const some = fc.nat({ max: 5 });

function steps<T extends unknown[]>(
  doer: fc.Arbitrary<Doer>,
  act: (scene: Scene, ...values: T) => Promise<boolean>,
  ...values: { [K in keyof T]: fc.Arbitrary<T[K]> }
): fc.Arbitrary<Step> {
  const members = fc.tuple(...values) as unknown as fc.Arbitrary<T>;
  return fc.tuple(doer, fc.constantFrom(...THREADS), members).map(([who, threadId, drawn]) => {
    const name = `${act.name}(${JSON.stringify(drawn)})`;
    return new Step(name, who, threadId, (scene) => act(scene, ...drawn));
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

async function begin(world: World): Promise<{ model: Model; real: Real }> {
  const heard = [new Set<string>(), new Set<string>()] as const;
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
      world,
      stores: [await openStore(world, heard[0]), await openStore(world, heard[1])],
      heard,
      fences: new Map(),
      turns: new Map(),
      nowMs: world.now(),
      made: 0,
    },
  };
}

export function queueModelContract(openWorld: OpenWorld): void {
  test("whatever two processes do, queues are as a plain list would be", { timeout: 60_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.commands(STEPS, { maxCommands: 60, size: "max" }), (commands) =>
        fc.asyncModelRun(() => begin(openWorld()), commands),
      ),
      { numRuns: 30 },
    );
  });
}
