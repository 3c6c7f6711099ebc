import { spawnSync } from "node:child_process";
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { build } from "esbuild";
import fc from "fast-check";
import { describe, expect, onTestFinished, test } from "vitest";
import { yieldToEventLoop } from "../../base/time-slices.ts";
import { accepted, listed, turnsOf } from "../contract/store-harness.fixture.ts";
import { fileText, meta } from "../files/rollout/rollout.fixture.ts";
import { createWriterLocks } from "../files/rollout/writer-lock.ts";
import { contentOf, createHome, DAY_MS, filesOf, fork } from "./collect-home.fixture.ts";

const LIMITS = { maxRows: 10, maxRowBytes: 10_000, maxBytes: 100_000 };

describe("gc", () => {
  test("archives and packs what has rested too long, and deletes it when it has been archived as long", async () => {
    const { make, collect, outcomes, files, open } = createHome();
    const [old, young] = [await make(40), await make(20)];
    const dry = await collect({ apply: false });
    expect(outcomes(dry)).toEqual({ [old]: "archive", [young]: "it is within the limits" });
    expect(files()).toEqual([expect.stringContaining(old), expect.stringContaining(young)]);
    const { bytes, bytesAfter, ...done } = await collect();
    expect(outcomes({ ...done, bytes, bytesAfter })).toEqual(outcomes(dry));
    expect(bytesAfter).toBeLessThan(bytes);
    expect(files()).toEqual([
      expect.stringMatching(`^sessions/.*${young}.jsonl$`),
      expect.stringMatching(`^archived_sessions/.*${old}.jsonl.zst$`),
    ]);
    const { threads } = open();
    expect([await listed(threads), await listed(threads, { archived: true })]).toEqual([[young], [old]]);
    expect((await turnsOf(threads, old)).length).toBe(3);
    expect(outcomes(await collect())).toEqual({
      [old]: "it is within the limits",
      [young]: "it is within the limits",
    });
    expect(outcomes(await collect({ inDays: 31 }))).toEqual({ [old]: "delete", [young]: "archive" });
    expect(files()).toEqual([expect.stringMatching(`^archived_sessions/.*${young}.jsonl.zst$`)]);
    expect(await threads.read(old)).toBeNull();
  });

  test("leaves alone what is loaded, named, queued for, forked from or at work on a goal", async () => {
    const { home, make, age, collect, outcomes, files, open } = createHome();
    const store = open();
    const loaded = await make(40);
    accepted(await store.threads.open(loaded));
    const named = await make(40);
    await store.threads.rename(named, "Keep me");
    const queued = await make(40);
    await store.queue.add(
      queued,
      { rowId: "row", clientUserMessageId: null, params: {}, notBeforeMs: null },
      LIMITS,
    );
    const scheduled = await make(40);
    await store.schedules.add(
      {
        scheduleId: "schedule",
        name: null,
        when: { type: "cron", expression: "0 0 1 1 *", timeZone: "UTC" },
        work: { target: { type: "thread", threadId: scheduled }, turn: {} },
        missed: "once",
        state: { kind: "paused" },
        nextAtMs: null,
      },
      1,
    );
    const aiming = await make(40);
    accepted(await store.threads.setGoal(aiming, { objective: "win", status: "active" }));
    const idle = await make(40);
    accepted(await store.threads.setGoal(idle, { objective: "rest", status: "complete" }));
    const base = await make(40);
    const young = await fork(store, base);
    const parent = await make(40);
    const busyChild = await make(10, { parentId: parent });
    for (const id of [aiming, idle, base]) await age(id, 40);
    const before = new Map(files().map((path) => [path, contentOf(home, path)]));
    const expected = {
      [loaded]: "a server has it loaded",
      [named]: "it has a name",
      [queued]: "turns wait in its queue",
      [scheduled]: "a schedule runs in it",
      [aiming]: "its goal is active",
      [idle]: "archive",
      [base]: "other threads are based on it",
      [young]: "it is within the limits",
      [parent]: "it is within the limits",
    };
    expect(outcomes(await collect({ apply: false }))).toEqual(expected);
    expect(outcomes(await collect())).toEqual(expected);
    for (const [path, content] of before) {
      if (path.includes(idle)) expect(files()).not.toContain(path);
      else expect(contentOf(home, path)).toBe(content);
    }
    expect(busyChild).not.toBe(parent);
    expect(outcomes(await collect({ keepNamed: false }))[named]).toBe("archive");
  });

  test.skipIf(process.platform !== "linux")("sees which threads other programs have open", async () => {
    const { home, make, collect, outcomes } = createHome();
    const id = await make(40);
    const lock = await createWriterLocks(home).acquire(id);
    expect(lock.kind).toBe("held");
    expect(outcomes(await collect({ apply: false }))).toEqual({ [id]: "another program has it open" });
    if (lock.kind === "held") lock.release();
    expect(outcomes(await collect({ apply: false }))).toEqual({ [id]: "archive" });
  });

  test("takes those that a thread has spawned along", async () => {
    const { make, collect, outcomes, files } = createHome();
    const parent = await make(50);
    const child = await make(45, { parentId: parent });
    await make(40, { parentId: child });
    expect(outcomes(await collect())).toEqual({ [parent]: "archive" });
    expect(files().every((path) => path.startsWith("archived_sessions/"))).toBe(true);
    expect(outcomes(await collect({ inDays: 31 }))).toEqual({ [parent]: "delete" });
    expect(files()).toEqual([]);
  });

  test("keeps a home below its size: the oldest go first, and a fork before what it comes from", async () => {
    const { make, collect, outcomes, files, open } = createHome();
    const base = await make(9, { turns: 20 });
    const store = open();
    const young = await fork(store, base);
    const other = await make(5, { turns: 20 });
    const limits = { maxAgeMs: null, maxBytes: 4000 };
    const dry = await collect({ limits, apply: false });
    expect(outcomes(dry)).toEqual({ [base]: "delete", [young]: "delete", [other]: "delete" });
    const { applied, bytesAfter } = await collect({ limits });
    expect(applied.map(({ fate, left }) => [fate.family.rootId, left])).toEqual([
      [other, null],
      [young, null],
      [base, null],
    ]);
    expect([bytesAfter, files()]).toEqual([0, []]);
  });

  test("run twice at once comes to the same end as once", async () => {
    const { make, collect, files } = createHome();
    for (let at = 0; at < 12; at += 1) await make(40 + at);
    const both = await Promise.all([collect(), collect()]);
    expect(both.flatMap(({ applied }) => applied.filter(({ hasFailed }) => hasFailed))).toEqual([]);
    expect(files().filter((path) => /^archived_sessions\/.*\.zst$/.test(path)).length).toBe(12);
    expect(files().length).toBe(12);
    await Promise.all([collect({ inDays: 40 }), collect({ inDays: 40 })]);
    expect(files()).toEqual([]);
  });

  test("and a server that opens a thread in that moment have one winner", async () => {
    const { make, collect, files, open, home } = createHome();
    const server = open();
    for (let round = 0; round < 8; round += 1) {
      const id = await make(40);
      const [, opened] = await Promise.all([collect(), turns(round * 5).then(() => server.threads.open(id))]);
      const [path = ""] = files().filter((name) => name.includes(id));
      expect(path).toMatch(opened.kind === "open" ? /^sessions\/.*\.jsonl$/ : /^archived_sessions\/.*\.zst$/);
      if (opened.kind === "open") await opened.journal.close();
      expect(files().filter((name) => name.includes(id)).length).toBe(1);
      rmSync(join(home, path));
    }
  });

  test("keeps a thread in which something happens after it was planned to go", async () => {
    const { home, make, collect, outcomes, files } = createHome();
    const id = await make(40);
    const path = join(home, files()[0] ?? "");
    const onStep = () => appendFileSync(path, "\n");
    expect(outcomes(await collect({ onStep }))).toEqual({ [id]: "something has happened in it meanwhile" });
    expect(files()).toEqual([expect.stringMatching(`^sessions/.*${id}.jsonl$`)]);
  });

  test("keeps a thread that is forked after it was planned to go", async () => {
    const { home, make, collect, outcomes, files } = createHome();
    const id = await make(40);
    const [plain = ""] = files();
    const { size } = statSync(join(home, plain));
    const historyBase = { thread_id: id, end_ordinal_exclusive: 5, end_byte_offset: size };
    const other = id.replace(/^......../, "01a10000");
    const first = fileText([meta({ threadId: other, forkedFromId: id, historyBase })], { firstOrdinal: 5 });
    const limits = { maxAgeMs: null, maxBytes: 0 };
    const onStep = (_done: number, _total: number, label: string): void => {
      if (label.startsWith("measure")) writeFileSync(join(home, plain.replace(id, other)), first);
    };
    const outcome = outcomes(await collect({ limits, onStep }));
    expect(outcome).toEqual({ [id]: expect.stringContaining("forked history still references it") });
    expect(files()).toContain(plain);
  });

  test("removes what was never finished and the locks of threads that are gone, when they are old", async () => {
    const { home, make, collect } = createHome();
    const id = await make(1);
    const gone = id.replace(/^......../, "00000000");
    const paths = [
      join(home, "archived_sessions", `rollout-x-${id}.jsonl.zst.heddle-packing`),
      join(home, "tmp", "unpacked-1"),
      join(home, "thread-writer-locks", `${gone}.lock`),
    ];
    const others = [join(home, "thread-writer-locks", `${id}.lock`), join(home, "tmp", "other")];
    for (const folder of ["archived_sessions", "tmp", "thread-writer-locks"])
      mkdirSync(join(home, folder), { recursive: true });
    for (const path of [...paths, ...others]) writeFileSync(path, "x");
    const none = { maxAgeMs: null, maxBytes: null };
    expect((await collect({ limits: none })).leftovers).toEqual([]);
    for (const path of [...paths, ...others]) utimesSync(path, 1, 1);
    expect((await collect({ limits: none })).leftovers.map(({ path }) => path).sort()).toEqual(
      paths.toSorted(),
    );
    expect(paths.filter((path) => existsSync(path))).toEqual([]);
    expect(others.filter((path) => existsSync(path))).toEqual(others);
  });
});

test("whatever the home: what was told is what is done, and nothing that is protected is touched", async () => {
  const thread = fc.record({
    days: fc.integer({ min: 0, max: 60 }),
    turns: fc.integer({ min: 1, max: 12 }),
    archived: fc.boolean(),
    named: fc.nat(4).map((draw) => draw === 0),
    loaded: fc.nat(4).map((draw) => draw === 0),
    forked: fc.nat(4).map((draw) => draw === 0),
    spawned: fc.nat(4).map((draw) => draw === 0),
  });
  const limits = fc.record({
    maxAgeMs: fc.option(fc.constant(30 * DAY_MS), { nil: null }),
    maxBytes: fc.option(fc.integer({ min: 0, max: 20_000 }), { nil: null }),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(thread, { minLength: 1, maxLength: 6 }), limits, async (drawn, wanted) => {
      const { home, make, age, collect, outcomes, files, open } = createHome();
      const store = open();
      const kept = new Set<string>();
      let last: string | undefined;
      for (const { days, turns: length, archived, named, loaded, forked, spawned } of drawn) {
        const parentId = spawned && last !== undefined ? { parentId: last } : {};
        const id = await make(days, { turns: length, ...parentId });
        if (forked) await age(await fork(store, id), days);
        if (named) accepted(await store.threads.rename(id, "mine"));
        if (archived) accepted(await store.threads.archive(id));
        else if (loaded) accepted(await store.threads.open(id));
        await age(id, days);
        if (named || (loaded && !archived)) kept.add(id);
        last = id;
      }
      const before = new Map(files().map((path) => [path, contentOf(home, path)]));
      const dry = await collect({ limits: wanted, apply: false });
      expect(new Map(files().map((path) => [path, contentOf(home, path)]))).toEqual(before);
      const done = await collect({ limits: wanted });
      expect(outcomes(done)).toEqual(outcomes(dry));
      for (const [path, content] of before)
        if ([...kept].some((id) => path.includes(id))) expect(contentOf(home, path)).toBe(content);
      const again = await collect({ limits: wanted });
      expect(again.applied.map(({ fate }) => [fate.kind, fate.family.rootId])).toEqual([]);
      if (wanted.maxBytes !== null && again.bytes > wanted.maxBytes)
        for (const { why } of again.fates) expect(why).not.toBe("it is within the limits");
      await store.close();
    }),
    { numRuns: 20, endOnFailure: true },
  );
}, 60_000);

/** Yields to the event loop this many times. */
async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn += 1) await yieldToEventLoop();
}

test.each([
  ["archives", 0, /^(?:archived_sessions\/[^ ]+\.jsonl\.zst ?){3}$/],
  ["deletes", 31, /^$/],
] as const)(
  "who is killed anywhere in a gc that %s comes to the same end the next time",
  async (_what, inDays, end) => {
    const folder = mkdtempSync(join(tmpdir(), "heddle-gc-kill-"));
    onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
    const { home, make, collect } = createHome();
    await make(50);
    await make(40, { parentId: await make(45) });
    // The index is brought up to date before the crash.
    await collect({ apply: inDays > 0 });
    const program = await collectingProgram(folder);
    let kills = 0;
    for (let nth = 1; ; nth += 1) {
      const copy = join(folder, "home");
      rmSync(copy, { recursive: true, force: true });
      cpSync(home, copy, { recursive: true, preserveTimestamps: true });
      const { signal, stderr } = spawnSync(process.execPath, [program, copy, `${inDays}`, `${nth}`]);
      expect(stderr.toString()).toBe("");
      await collect({ where: copy, inDays });
      expect(filesOf(copy).join(" ")).toMatch(end);
      if (signal === null) break;
      kills += 1;
    }
    expect(kills).toBeGreaterThan(2);
  },
  60_000,
);

/** A program that runs a collection at a later day, and is killed before its nth rename or removal. */
async function collectingProgram(folder: string): Promise<string> {
  const here = (path: string) => JSON.stringify(resolve(import.meta.dirname, path));
  const entry = join(folder, "entry.ts");
  writeFileSync(
    entry,
    `import { killAtCall } from ${here("../files/rollout/fixtures/kill-at-call.ts")};
import { collectHome } from ${here("collect-home.ts")};
import { systemClock } from ${here("../../base/clock.ts")};
import { silentLogger } from ${here("../../base/logger.ts")};
import { createUuidSource } from ${here("../../base/uuid.ts")};
const [, , home, inDays, nth] = process.argv;
await killAtCall(Number(nth), ["rename", "rm"]);
await collectHome({
  where: home,
  limits: { maxAgeMs: 30 * ${DAY_MS}, maxBytes: null },
  keepNamed: true,
  apply: true,
  clock: { ...systemClock, now: () => Date.now() + Number(inDays) * ${DAY_MS} },
  log: silentLogger,
  createId: createUuidSource(systemClock),
});
`,
  );
  const outfile = join(folder, "program.mjs");
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    logLevel: "silent",
    define: { "import.meta.url": JSON.stringify(import.meta.url) },
  });
  return outfile;
}
