/** What was acknowledged is there, once, whatever happens to connections, processes and the server. */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { setTimeout as after } from "node:timers/promises";
import { build } from "esbuild";
import fc from "fast-check";
import { expect, onTestFinished, test } from "vitest";
import type { AppendOutcome, Journal } from "../../src/store/journal.ts";
import { started } from "../../src/store/lines/lines.fixture.ts";
import { newRow, ROOMY } from "../../src/store/queue-row.fixture.ts";
import type { ThreadStore } from "../../src/store/thread-store.ts";
import { testUnless } from "../support/needs-program.ts";
import { isOwnServer, lackOfPostgres } from "../support/postgres-server.ts";
import { losingProxy } from "./losing-proxy.ts";
import { createId, createTestSchema, newOrigin, startedTurns } from "./real-stores.ts";

const lack = lackOfPostgres();
const SLOW = { timeout: 60_000 };

/** Appends a line per call, one after the other, and returns the turns that were stored. */
async function appendMany(journal: Journal, count: number, name: string): Promise<string[]> {
  const stored: string[] = [];
  for (let number = 1; number <= count; number += 1) {
    const turnId = `${name}-${number}`;
    const outcome = await journal.append([started(turnId)]);
    if (outcome.kind !== "kept") throw new Error(outcome.message);
    stored.push(turnId);
  }
  return stored;
}

testUnless(
  lack,
  "connections that the server ends during appends lose nothing and double nothing",
  async () => {
    const { server, open } = await createTestSchema();
    const { threads } = await open();
    const journals = Array.from({ length: 8 }, () => threads.create(newOrigin()));
    const ending = new AbortController();
    const cutting = (async () => {
      let ended = 0;
      while (!ending.signal.aborted) {
        const rows = await server.run(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'heddle'",
        );
        ended += rows.length;
        await after(20);
      }
      return ended;
    })();
    const written = await Promise.all(journals.map((journal, at) => appendMany(journal, 60, `${at}`)));
    ending.abort();
    expect(await cutting).toBeGreaterThan(10);
    for (const [at, { threadId }] of journals.entries())
      expect(await startedTurns(threads, threadId)).toEqual(written[at]);
  },
  SLOW,
);

testUnless(
  lack,
  "appends and other writes whose answers are lost are stored once",
  async () => {
    const { url, open } = await createTestSchema();
    await open();
    const proxy = await losingProxy(url, 23);
    const { threads, queue, close } = await open(proxy.url);
    const journals = Array.from({ length: 4 }, () => threads.create(newOrigin()));
    const written = await Promise.all(journals.map((journal, at) => appendMany(journal, 50, `${at}`)));
    for (const [at, { threadId }] of journals.entries())
      expect(await startedTurns(threads, threadId)).toEqual(written[at]);
    const rowIds = Array.from({ length: 20 }, (_, at) => `row-${at}`);
    for (const rowId of rowIds) expect((await queue.add("t", newRow(rowId), ROOMY)).kind).toBe("added");
    expect(await queue.ids("t")).toEqual(rowIds);
    await close();
    expect(proxy.lost()).toBeGreaterThan(10);
  },
  SLOW,
);

for (const [isStored, what] of [
  [false, "was not stored, and the thread continues"],
  [true, "was stored, and the thread has to be opened again"],
] as const)
  testUnless(
    lack,
    `an append without an answer fails within seconds, and the next one finds that it ${what}`,
    async () => {
      const { url, open } = await createTestSchema();
      const direct = await open();
      const proxy = await losingProxy(url, 0);
      const { threads, close } = await open(proxy.url);
      const journal = threads.create(newOrigin());
      const { threadId } = journal;
      await appendMany(journal, 2, "a");
      proxy.stall(isStored);
      const since = performance.now();
      const late = await Promise.all([journal.append([started("b")]), journal.append([started("c")])]);
      expect(late.map(({ kind }) => kind)).toEqual(["unavailable", "unavailable"]);
      expect(performance.now() - since).toBeLessThan(6000);
      proxy.recover();
      const next = await journal.append([started("d")]);
      const found = await startedTurns(direct.threads, threadId);
      if (isStored) {
        expect(next).toMatchObject({ kind: "fenced", message: expect.stringContaining("open it again") });
        expect(found).toEqual(["a-1", "a-2", "b", "c"]);
        await journal.close();
        const opened = await threads.open(threadId);
        if (opened.kind === "refused") throw new Error(opened.message);
        expect(await opened.journal.append([started("d")])).toMatchObject({ kind: "kept", firstSeq: 5 });
      } else {
        expect(next).toEqual({ kind: "kept", firstSeq: 3 });
        expect(found).toEqual(["a-1", "a-2", "d"]);
      }
      await close();
    },
    SLOW,
  );

testUnless(
  lack ?? (isOwnServer ? null : "needs a server of its own"),
  "a crash of the server during appends loses nothing that was acknowledged",
  async () => {
    const { server, open } = await createTestSchema();
    const { threads } = await open();
    const journals = Array.from({ length: 8 }, () => threads.create(newOrigin()));
    const outcomes = new Map<string, AppendOutcome["kind"][]>();
    const ending = new AbortController();
    const writing = journals.map(async (journal) => {
      const kinds: AppendOutcome["kind"][] = [];
      outcomes.set(journal.threadId, kinds);
      for (let number = 0; !ending.signal.aborted; number += 1) {
        const { kind } = await journal.append([started(`t${number}`)]);
        kinds.push(kind);
        if (kind === "fenced") return;
      }
    });
    for (let crash = 0; crash < 2; crash += 1) {
      await after(300);
      server.crash();
    }
    await after(500);
    ending.abort();
    await Promise.all(writing);
    for (const [threadId, kinds] of outcomes) {
      const kept = kinds.flatMap((kind, number) => (kind === "kept" ? [`t${number}`] : []));
      expect(kept.length).toBeGreaterThan(5);
      expect(await startedTurns(threads, threadId)).toEqual(kept);
    }
  },
  { ...SLOW, optional: !isOwnServer },
);

testUnless(
  lack,
  "a thread whose process was killed is free when its lease has ended, with all that was stored",
  async () => {
    const { url, open } = await createTestSchema();
    const other = await open();
    const threadId = createId();
    const child = spawn(process.execPath, [await writerProgram(), url, threadId], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let stored = 0;
    for await (const text of createInterface({ input: child.stdout })) {
      stored = Number(text);
      if (stored === 100) child.kill("SIGKILL");
    }
    const killedAt = performance.now();
    expect(await other.threads.open(threadId)).toMatchObject({ reason: "activeWriter" });
    let opened = await other.threads.open(threadId);
    while (opened.kind === "refused") {
      await after(100);
      opened = await other.threads.open(threadId);
    }
    expect(performance.now() - killedAt).toBeLessThan(12_000);
    const turns = await startedTurns(other.threads, threadId);
    expect(turns.slice(0, stored)).toEqual(Array.from({ length: stored }, (_, at) => `t${at + 1}`));
    // The last one may have been stored although nobody heard of it.
    expect(turns.length - stored).toBeLessThanOrEqual(1);
    expect(await opened.journal.append([started("next")])).toMatchObject({ kind: "kept" });
  },
  SLOW,
);

async function writerProgram(): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "heddle-writer-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const outfile = join(folder, "program.mjs");
  const entry = join(import.meta.dirname, "writer-program.ts");
  const options = { bundle: true, platform: "node", format: "esm", logLevel: "silent" } as const;
  await build({ ...options, entryPoints: [entry], outfile, external: ["vitest"] });
  return outfile;
}

type Step = { readonly process: 0 | 1; readonly act: "take" | "append" | "close"; readonly lines: number };

const steps = fc.array(
  fc.record<Step>({
    process: fc.constantFrom(0, 1),
    act: fc.constantFrom("take", "append", "append", "append", "append", "close"),
    lines: fc.integer({ min: 0, max: 3 }),
  }),
  { minLength: 5, maxLength: 25 },
);

testUnless(
  lack,
  "of two processes that write to one thread, each line is stored in order or refused",
  async () => {
    const { open } = await createTestSchema();
    const stores = [(await open()).threads, (await open()).threads] as const;
    await fc.assert(
      fc.asyncProperty(steps, async (given) => {
        const journal = stores[0].create(newOrigin());
        const { threadId } = journal;
        await journal.persist();
        const writers: [Journal | null, Journal | null] = [journal, null];
        const kept: { readonly firstSeq: number; readonly turns: readonly string[] }[] = [];
        const waiting: Promise<void>[] = [];
        let [holder, changes, number]: [0 | 1 | null, number, number] = [0, 0, 0];
        for (const { process, act, lines } of given) {
          const writer = writers[process];
          if (act === "append" && writer !== null) {
            const turns = Array.from({ length: lines }, () => `t${++number}`);
            const appended = Promise.resolve(writer.append(turns.map((turnId) => started(turnId))));
            const isOthers = holder !== null && holder !== process;
            const before = changes;
            // Not awaited, so that appends of both processes meet.
            waiting.push(
              appended.then((outcome) => {
                if (outcome.kind === "kept" && !(isOthers && changes === before))
                  kept.push({ firstSeq: outcome.firstSeq, turns });
                else expect(outcome.kind).toBe("fenced");
              }),
            );
          } else if (act === "take") {
            changes += 1;
            await writer?.close();
            writers[process] = await take(stores[process], threadId);
            holder = process;
          } else if (act === "close") {
            changes += 1;
            await writer?.close();
            writers[process] = null;
            if (holder === process) holder = null;
          }
        }
        await Promise.all(waiting);
        changes += 1;
        for (const writer of writers) await writer?.close();
        const inOrder = kept.sort((one, other) => one.firstSeq - other.firstSeq);
        const expected = inOrder.flatMap(({ firstSeq, turns }) =>
          turns.map((turn, at) => `${firstSeq + at} ${turn}`),
        );
        const found: string[] = [];
        for await (const { seq, line } of stores[0].lines(threadId))
          if (line.type !== "session_meta") found.push(`${seq} ${String(line.payload["turn_id"])}`);
        expect(found).toEqual(expected);
      }),
      { numRuns: 30 },
    );
  },
  SLOW,
);

async function take(threads: ThreadStore, threadId: string): Promise<Journal> {
  const opened = await threads.open(threadId, { takeOver: true });
  if (opened.kind === "refused") throw new Error(opened.message);
  return opened.journal;
}

if (lack === null)
  test("other processes are notified of changes of queues at once, and soon without the connection for it", async () => {
    const { server, open } = await createTestSchema();
    const [one, other] = [await open(), await open()];
    const notified: string[] = [];
    const stop = one.queue.watch((threadId) => notified.push(threadId));
    onTestFinished(stop);
    const until = async (threadId: string): Promise<number> => {
      const since = performance.now();
      while (!notified.includes(threadId)) await after(5);
      return performance.now() - since;
    };
    await after(500);
    await other.queue.pause("a", "why");
    expect(await until("a")).toBeLessThan(500);
    await server.run(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'heddle' AND query LIKE 'LISTEN%'",
    );
    await other.queue.pause("b", "why");
    expect(await until("b")).toBeLessThan(2500);
  });

testUnless(
  lack,
  "a store without its database is closed within seconds, whatever is open",
  async () => {
    const { url, open } = await createTestSchema();
    await open();
    const proxy = await losingProxy(url, 0);
    const { threads, close } = await open(proxy.url);
    for (let count = 0; count < 5; count += 1) await appendMany(threads.create(newOrigin()), 1, "a");
    proxy.stop();
    const since = performance.now();
    await close();
    expect(performance.now() - since).toBeLessThan(15_000);
  },
  SLOW,
);
