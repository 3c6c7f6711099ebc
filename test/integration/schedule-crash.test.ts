/** Scheduled runs of servers that are killed at any moment: each run is there once, and so is its thread. */
import { setTimeout as sleep } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { silentLogger } from "../../src/base/logger.ts";
import { createUuidSource } from "../../src/base/uuid.ts";
import type { Client } from "../../src/client/client.ts";
import { createHeddle } from "../../src/index.ts";
import { openFileStore } from "../../src/store/files/open-file-store.ts";
import { databaseOf } from "../../src/store/files/sqlite/database-file.ts";
import { openDatabase } from "../../src/store/files/sqlite/driver.ts";
import type { NewSchedule } from "../../src/store/schedules.ts";
import { Child } from "../support/child.ts";
import { createRandom } from "../support/random.ts";
import { HEDDLE, serverEnvironment } from "../support/start-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";

const DEADLINE = 20_000;
const EACH = 6;
const ROUNDS = 8;
const say = (text: string) => [{ type: "text" as const, text }];
const experimental = { capabilities: { experimentalApi: true } } as const;

async function openHome(): Promise<TempHome> {
  const home = await createTempHome({ config: "" });
  onTestFinished(() => home.remove());
  return home;
}

async function openClient(folders: TempHome, continuesQueues: boolean) {
  const { home, workspace: cwd, user: HOME } = folders;
  const env = { HOME, PATH: process.env["PATH"] };
  const heddle = await createHeddle({ home, cwd, env, continuesQueues, model: () => "done" });
  let isClosed = false;
  const close = async () => {
    if (!isClosed) await heddle.close();
    isClosed = true;
  };
  onTestFinished(close);
  return { client: await heddle.connect(experimental), close };
}

async function serve(home: TempHome): Promise<Child> {
  const child = new Child({
    command: HEDDLE.command,
    args: [...HEDDLE.args, "serve", "--listen=ws://127.0.0.1:0"],
    cwd: home.workspace,
    env: serverEnvironment(home),
  });
  child.endInput();
  onTestFinished(() => child.stop().then(() => {}));
  await child.stderrMatch(/listening on {2}ws:/u, DEADLINE);
  return child;
}

/** Waits until a server has claimed runs, if any are left, and then a little. */
async function whileRunsAreOpen({ home }: TempHome, moreMs: number): Promise<void> {
  const database = openDatabase(databaseOf(home));
  try {
    const open = database.prepare("SELECT 1 FROM schedule_runs WHERE work IS NOT NULL");
    const left = database.prepare("SELECT 1 FROM schedules WHERE next_at_ms IS NOT NULL");
    const hasRow = (statement: typeof open) => statement.all().length > 0;
    for (const end = Date.now() + DEADLINE; Date.now() < end; await sleep(1))
      if (hasRow(open) || !hasRow(left)) break;
  } finally {
    database.close();
  }
  await sleep(moreMs);
}

/** How often a text is in a thread: as a turn that has started, or as one that waits or could not start. */
async function countIn(client: Client, threadId: string, text: string): Promise<number> {
  const { thread } = await client.request("thread/read", { threadId, includeTurns: true });
  const said = thread.turns.flatMap(({ items }) =>
    items.filter((item) => item.type === "userMessage" && JSON.stringify(item.content).includes(text)),
  );
  const { data } = await client.request("thread/queue/list", { threadId });
  return said.length + data.filter(({ input }) => JSON.stringify(input).includes(text)).length;
}

test("runs of servers that are killed again and again are each there once", {
  timeout: 120_000,
}, async () => {
  const home = await openHome();
  const random = createRandom(7);
  const setup = await openClient(home, false);
  const threads = new Map<string, string>();
  for (let number = 0; number < EACH; number += 1) {
    const thread = await setup.client.startThread();
    await thread.run("hello");
    threads.set(`in a thread ${number}.`, thread.id);
  }
  const at = Math.ceil(Date.now() / 1000) + 3;
  for (const text of [...threads.keys(), ...Array.from({ length: EACH }, (_, number) => `new ${number}.`)]) {
    const threadId = threads.get(text);
    const target =
      threadId === undefined
        ? ({ type: "newThread", threadStartParams: {} } as const)
        : ({ type: "thread", threadId } as const);
    await setup.client.request("schedule/create", {
      name: text,
      schedule: { type: "once", at },
      target,
      input: say(text),
    });
  }
  await setup.close();
  await sleep(Math.max(0, at * 1000 - Date.now()));
  for (let round = 0; round < ROUNDS; round += 1) {
    const child = await serve(home);
    await whileRunsAreOpen(home, random.below(40 * (round + 1)));
    await child.stop();
  }
  const { client } = await openClient(home, true);
  await expect
    .poll(
      async () => (await client.request("schedule/list", {})).data.map(({ lastRun }) => lastRun?.status.type),
      { timeout: DEADLINE },
    )
    .toEqual(Array.from({ length: 2 * EACH }, () => "queued"));
  const { data } = await client.request("schedule/list", {});
  for (const { name, lastRun } of data)
    expect([name, await countIn(client, lastRun?.threadId ?? "", name ?? "")]).toEqual([name, 1]);
  const made = new Set(data.map(({ lastRun }) => lastRun?.threadId));
  expect(made.size).toBe(2 * EACH);
});

/** What a server has done with a run before it died. */
const DEATHS = ["claimed", "madeThread", "queued"] as const;

test.each(DEATHS)("a run whose server died when it had `%s` is completed once", async (death) => {
  const folders = await openHome();
  const { home, workspace } = folders;
  const createId = createUuidSource(systemClock);
  const store = openFileStore({ home, clock: systemClock, log: silentLogger, createId });
  const threadId = createId();
  const work = { target: { type: "newThread", params: {} }, turn: { input: say("tidy up") } } as const;
  const once: NewSchedule = {
    scheduleId: createId(),
    name: null,
    when: { type: "once", atMs: Date.now() },
    work,
    missed: "once",
    state: { kind: "active" },
    nextAtMs: Date.now(),
  };
  await store.schedules.add(once, 1);
  const run = { runKey: "key", scheduledAtMs: Date.now(), threadId };
  const claim = { runs: [run], state: { kind: "finished" }, nextAtMs: null } as const;
  expect(await store.schedules.claim(once.scheduleId, 1, claim)).toBe(true);
  if (death !== "claimed") {
    const origin = {
      threadId,
      mayExist: true,
      cwd: workspace,
      workspaceRoots: [workspace],
      originator: "test",
      version: "1.0.0",
      source: "vscode",
      modelProvider: null,
      baseInstructions: null,
    } as const;
    expect((await store.threads.create(origin).persist()).kind).toBe("persisted");
  }
  if (death === "queued") {
    const row = { rowId: createId(), clientUserMessageId: "key", params: work.turn, notBeforeMs: null };
    const limits = { maxRows: 9, maxRowBytes: 1e6, maxBytes: 1e6 };
    expect((await store.queue.add(threadId, row, limits)).kind).toBe("added");
  }
  await store.close();

  const { client } = await openClient(folders, true);
  const [other] = [await openClient(folders, true)];
  await expect
    .poll(
      async () => (await client.request("schedule/list", {})).data.map(({ lastRun }) => lastRun?.status.type),
      { timeout: DEADLINE },
    )
    .toEqual(["queued"]);
  await expect
    .poll(
      async () => {
        const { thread } = await client.request("thread/read", { threadId, includeTurns: true });
        return thread.turns.map(({ status }) => status);
      },
      { timeout: DEADLINE },
    )
    .toEqual(["completed"]);
  expect(await countIn(client, threadId, "tidy up")).toBe(1);
  expect((await other.client.request("thread/list", {})).data.map(({ id }) => id)).toEqual([threadId]);
});
