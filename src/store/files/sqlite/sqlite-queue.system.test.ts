import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { build } from "esbuild";
import { expect, onTestFinished, test } from "vitest";
import { mountSmallDisk, NO_SMALL_DISK } from "../../../base/small-disk.fixture.ts";
import type { Queue } from "../../queue.ts";
import { newRow, ROOMY } from "../../queue-row.fixture.ts";
import { databaseOf } from "./database-file.ts";
import { openSqliteTables } from "./sqlite-tables.ts";

const TABLES = resolve(import.meta.dirname, "sqlite-tables.ts");
const T = "thread";

function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "heddle-queue-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A program that opens the queue of the home in its arguments. */
async function programWith(folder: string, work: string): Promise<string> {
  const entry = join(folder, "entry.ts");
  writeFileSync(
    entry,
    `import { databaseOf } from ${JSON.stringify(resolve(TABLES, "../database-file.ts"))};
import { openSqliteTables } from ${JSON.stringify(TABLES)};
const { queue, index } = openSqliteTables(databaseOf(process.argv[2] ?? ""), { owner: "child" });
const add = (rowId: string, text = "é".repeat(3000)) =>
  queue.add(${JSON.stringify(T)}, { rowId, clientUserMessageId: null, params: { text }, notBeforeMs: null }, ${JSON.stringify(ROOMY)});
${work}
`,
  );
  const outfile = join(folder, "program.cjs");
  await build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    platform: "node",
    format: "cjs",
    logLevel: "silent",
    define: { "import.meta.url": JSON.stringify(`file://${TABLES}`) },
  });
  return outfile;
}

function openQueue(home: string): Queue {
  const tables = openSqliteTables(databaseOf(home));
  onTestFinished(() => tables.close());
  return tables.queue;
}

const rowIds = (queue: Queue) => queue.ids(T);

test("every row that was settled is there after a kill, in order", async () => {
  const folder = temporaryFolder();
  const program = await programWith(
    folder,
    `async function work() {
  for (let at = 0; ; at += 1) {
    const rowId = process.argv[3] + "-" + at;
    await add(rowId);
    process.stdout.write(rowId + "\\n");
    if (at % 50 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
}
void work();`,
  );
  const home = join(folder, "home");
  const settled: string[] = [];
  for (const [round, kept] of [1, 40, 300].entries()) {
    const child = spawn(process.execPath, [program, home, `${round}`], {
      stdio: ["ignore", "pipe", "inherit"],
    });
    let count = 0;
    for await (const rowId of createInterface({ input: child.stdout })) {
      settled.push(rowId);
      count += 1;
      if (count === kept) child.kill("SIGKILL");
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, "exit");
    expect(child.signalCode).toBe("SIGKILL");
    const found = await rowIds(openQueue(home));
    expect(found.filter((rowId) => settled.includes(rowId))).toEqual(settled);
    expect(new Set(found).size).toBe(found.length);
  }
});

test("processes that add at once lose nothing, and each has its rows in its order", async () => {
  const folder = temporaryFolder();
  const program = await programWith(
    folder,
    `async function work() {
  for (let at = 0; at < 200; at += 1) await add(process.argv[3] + "-" + at);
}
void work();`,
  );
  const home = join(folder, "home");
  const names = ["x", "y"];
  const children = names.map((name) =>
    spawn(process.execPath, [program, home, name], { stdio: ["ignore", "inherit", "inherit"] }),
  );
  expect(await Promise.all(children.map((child) => once(child, "exit")))).toEqual(names.map(() => [0, null]));
  const found = await rowIds(openQueue(home));
  expect(found.length).toBe(400);
  for (const name of names)
    expect(found.filter((rowId) => rowId.startsWith(name))).toEqual(
      Array.from({ length: 200 }, (_, at) => `${name}-${at}`),
    );
});

test("a process that only watches ends when it has nothing else to do", async () => {
  const folder = temporaryFolder();
  const program = await programWith(folder, "queue.watch(() => {}); void add('a');");
  const home = join(folder, "home");
  const child = spawn(process.execPath, [program, home], { stdio: ["ignore", "inherit", "inherit"] });
  onTestFinished(() => void child.kill("SIGKILL"));
  expect(await once(child, "exit")).toEqual([0, null]);
  expect(await rowIds(openQueue(home))).toEqual(["a"]);
});

test("what a full disk does not take is refused, and does not show", async ({ skip }) => {
  const disk = mountSmallDisk(onTestFinished, 768);
  if (disk === null) return skip(NO_SMALL_DISK);
  const queue = openQueue(disk.folder);
  const row = (rowId: string) => newRow(rowId, { params: { text: "x".repeat(4000) } });
  await queue.add(T, row("first"), ROOMY);
  disk.fill();
  const kept = ["first"];
  const refused: string[] = [];
  for (let at = 0; at < 20; at += 1) {
    const rowId = `${at}`;
    await queue.add(T, row(rowId), ROOMY).then(
      () => kept.push(rowId),
      (error: unknown) => refused.push(String(error)),
    );
  }
  expect(refused).not.toEqual([]);
  expect(refused.filter((text) => !text.includes("full"))).toEqual([]);
  expect(await rowIds(queue)).toEqual(kept);
  disk.makeRoom();
  expect((await queue.add(T, row("last"), ROOMY)).kind).toBe("added");
  expect(await rowIds(queue)).toEqual([...kept, "last"]);
});

test("what large rows are asked for is read, and nothing else of them", async () => {
  const folder = temporaryFolder();
  const home = join(folder, "home");
  const page = JSON.stringify({ offset: 0, limit: 25, maxBytes: 1 << 20, atLeast: 0 });
  // The largest queue of a thread; each step is one that a server runs between requests.
  const program = await programWith(
    folder,
    `async function fill() {
  await add("small", "x");
  for (let at = 0; at < 25; at += 1) await add("row-" + at, "x".repeat(10_000_000));
}
async function look() {
  const T = ${JSON.stringify(T)};
  const { epoch } = await index.acquireLease({ threadId: T, owner: "child" }) as { epoch: number };
  const fence = { threadId: T, epoch };
  const steps: Record<string, () => Promise<unknown>> = {
    list: async () => (await queue.list(T, ${page})).rows.length,
    end: async () => (await queue.list(T, { ...${page}, offset: 20 })).rows.length,
    ids: async () => (await queue.ids(T)).length,
    find: () => queue.find(T, "row-24"),
    reorder: async () => queue.reorder(T, [...await queue.ids(T)].reverse()),
    pause: () => queue.pause(T, "why"),
    claim: async () => (await queue.claim(fence, "turn")).kind,
    add: async () => (await queue.add(T, { rowId: "x", clientUserMessageId: null, params: {}, notBeforeMs: null }, { maxRows: 26, maxRowBytes: 1, maxBytes: 1 })).kind,
    take: async () => (await queue.claim(fence, "turn", "small")).kind,
    ack: () => queue.ack(fence, "small", "turn", { kind: "started", preview: "" }),
    recover: async () => (await queue.recover(fence, async () => false, {})).kind,
    threads: async () => (await queue.threads()).length,
    remove: () => queue.remove(T, "row-3"),
  };
  const before = process.resourceUsage().maxRSS;
  const outcomes: Record<string, unknown> = {};
  for (const [name, step] of Object.entries(steps)) outcomes[name] = await step();
  process.stdout.write(JSON.stringify({ outcomes, grownKb: process.resourceUsage().maxRSS - before }));
}
void (process.argv[3] === "fill" ? fill() : look());`,
  );
  const run = async (what: string) => {
    const child = spawn(process.execPath, [program, home, what], { stdio: ["ignore", "pipe", "inherit"] });
    const said = await child.stdout.setEncoding("utf8").toArray();
    return said.join("");
  };
  await run("fill");
  const { outcomes, grownKb } = JSON.parse(await run("look")) as { outcomes: object; grownKb: number };
  expect(outcomes).toEqual({
    list: 1,
    end: 0,
    ids: 26,
    find: "row-24",
    reorder: true,
    claim: "none",
    add: "full",
    take: "claimed",
    ack: true,
    recover: "recovered",
    threads: 1,
    remove: true,
  });
  // The database cache accounts for a part of it; one more row in memory would be twice this.
  expect(grownKb).toBeLessThan(16_000);
});
