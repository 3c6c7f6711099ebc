/** Schedules on whole servers: in threads and in new threads, across restarts, and with two servers on one home. */
import { setImmediate as tick } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { createFakeClock, type FakeClock } from "../../src/base/fake-clock.fixture.ts";
import type { Client } from "../../src/client/client.ts";
import { createHeddle, type EmbeddedOptions } from "../../src/index.ts";
import type { ScheduleCreateParams } from "../../src/protocol/generated/types.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";

const HOUR = 3_600_000;
const START = Date.UTC(2026, 10, 18, 8, 30);
const experimental = { capabilities: { experimentalApi: true } } as const;
const say = (text: string) => [{ type: "text" as const, text }];
const hourly = { type: "cron", expression: "0 * * * *", timeZone: "Europe/Berlin" } as const;

async function openHome(): Promise<TempHome> {
  const home = await createTempHome({ config: "" });
  onTestFinished(() => home.remove());
  return home;
}

async function openServer(folders: TempHome, clock: FakeClock, continuesQueues = true) {
  const { home, workspace: cwd, user: HOME } = folders;
  const asked: string[] = [];
  const model: EmbeddedOptions["model"] = ({ input }) => {
    asked.push(JSON.stringify(input.at(-1)));
    return "done";
  };
  const env = { HOME, PATH: process.env["PATH"] };
  const heddle = await createHeddle({ continuesQueues, home, cwd, env, clock, model });
  let isClosed = false;
  const close = async () => {
    if (!isClosed) await heddle.close();
    isClosed = true;
  };
  onTestFinished(close);
  const count = (text: string) => asked.filter((each) => each.includes(text)).length;
  return { asked, count, close, connect: () => heddle.connect(experimental) };
}

/** Waits for a condition while little time passes. */
const eventually = (clock: FakeClock, isTrue: () => boolean | Promise<boolean>) =>
  vi.waitFor(
    async () => {
      clock.advance(100);
      expect(await isTrue()).toBe(true);
    },
    { timeout: 20_000, interval: 10 },
  );

async function settle(clock: FakeClock, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1000) {
    clock.advance(1000);
    for (let turn = 0; turn < 30; turn += 1) await tick();
  }
}

/** A thread with one turn, without subscribers. */
async function leaveThread(connect: () => Promise<Client>): Promise<string> {
  const client = await connect();
  const thread = await client.startThread();
  await thread.run("hello");
  await client.close();
  return thread.id;
}

async function create(client: Client, params: Partial<ScheduleCreateParams>) {
  const { schedule } = await client.request("schedule/create", {
    schedule: hourly,
    target: { type: "newThread", threadStartParams: {} },
    input: say("tidy up"),
    ...params,
  });
  return schedule;
}

test("a schedule queues its turn in a thread, whether it is loaded or not, and shows its runs", async () => {
  const clock = createFakeClock(START);
  const { count, connect } = await openServer(await openHome(), clock);
  const threadId = await leaveThread(connect);
  const client = await connect();
  const changes: unknown[] = [];
  client.on("schedule/changed", ({ schedule }) => void changes.push(schedule?.lastRun?.status.type ?? null));
  const made = await create(client, { name: "hourly", target: { type: "thread", threadId } });
  expect(made).toMatchObject({
    name: "hourly",
    missedRuns: "once",
    status: { type: "active" },
    nextRunAt: (START + HOUR / 2) / 1000,
    lastRun: null,
  });
  clock.advance(HOUR / 2);
  await eventually(clock, () => count("tidy up") === 1);
  clock.advance(HOUR);
  await eventually(clock, () => count("tidy up") === 2);
  await eventually(clock, () => changes.at(-1) === "queued");
  const [shown] = (await client.request("schedule/list", {})).data;
  expect(shown).toMatchObject({
    id: made.id,
    nextRunAt: (START + 2.5 * HOUR) / 1000,
    lastRun: {
      scheduledAt: (START + 1.5 * HOUR) / 1000,
      threadId,
      clientUserMessageId: `schedule:${made.id}:2026-11-18T10:00:00.000Z`,
      status: { type: "queued" },
    },
  });
});

test("each run of a template has a thread of its own, with its settings", async () => {
  const clock = createFakeClock(START);
  const { count, connect } = await openServer(await openHome(), clock);
  const client = await connect();
  const threadStartParams = { sandbox: "read-only", approvalPolicy: "never" } as const;
  await create(client, { target: { type: "newThread", threadStartParams } });
  for (const runs of [1, 2]) {
    clock.advance(HOUR);
    await eventually(clock, () => count("tidy up") === runs);
  }
  const { data } = await client.request("thread/list", {});
  expect(data).toHaveLength(2);
  const resumed = await client.request("thread/resume", { threadId: data[0]?.id ?? "" });
  expect(resumed).toMatchObject({ sandbox: { type: "readOnly" }, approvalPolicy: "never" });
});

test("two servers on one home run each time once", async () => {
  const clock = createFakeClock(START);
  const home = await openHome();
  const servers = [await openServer(home, clock), await openServer(home, clock)];
  const [one] = servers;
  if (one === undefined) throw new Error("there is no server");
  const client = await one.connect();
  const threadId = await leaveThread(one.connect);
  await create(client, { input: say("in a new thread") });
  await create(client, { input: say("in a thread"), target: { type: "thread", threadId } });
  const counted = (text: string) => servers.reduce((sum, { count }) => sum + count(text), 0);
  for (const runs of [1, 2, 3]) {
    clock.advance(HOUR);
    await eventually(clock, () => counted("in a new thread") >= runs && counted("in a thread") >= runs);
  }
  await settle(clock, 30_000);
  expect([counted("in a new thread"), counted("in a thread")]).toEqual([3, 3]);
  expect((await client.request("thread/list", {})).data).toHaveLength(4);
});

test("a restart catches up as the schedule says, and a server that starts no queued turns runs none", async () => {
  const clock = createFakeClock(START);
  const home = await openHome();
  const first = await openServer(home, clock, false);
  const client = await first.connect();
  for (const missedRuns of ["skip", "once", "all"] as const)
    await create(client, { missedRuns, input: say(`runs ${missedRuns}.`) });
  clock.advance(3 * HOUR);
  await settle(clock, 10_000);
  expect(first.asked).toEqual([]);
  await first.close();
  clock.advance(HOUR / 4);
  const next = await openServer(home, clock);
  await eventually(clock, () => next.count("runs once.") === 1 && next.count("runs all.") === 3);
  await settle(clock, 20_000);
  expect(["skip", "once", "all"].map((missed) => next.count(`runs ${missed}.`))).toEqual([0, 1, 3]);
});

test("schedules are paused, resumed, changed, run now and deleted", async () => {
  const clock = createFakeClock(START);
  const { count, connect } = await openServer(await openHome(), clock);
  const client = await connect();
  const { id: scheduleId } = await create(client, {});
  const update = async (change: object) =>
    (await client.request("schedule/update", { scheduleId, ...change })).schedule;
  expect(await update({ paused: true })).toMatchObject({ status: { type: "paused" }, nextRunAt: null });
  clock.advance(2 * HOUR);
  await settle(clock, 10_000);
  expect(count("tidy up")).toBe(0);
  const { run } = await client.request("schedule/runNow", { scheduleId });
  expect(run.status.type).toBe("queued");
  await eventually(clock, () => count("tidy up") === 1);
  expect(await update({ name: "renamed" })).toMatchObject({ name: "renamed", status: { type: "paused" } });
  const resumed = await update({ paused: false, input: say("sweep") });
  expect(resumed).toMatchObject({ status: { type: "active" }, nextRunAt: (START + 2.5 * HOUR) / 1000 });
  clock.advance(HOUR / 2);
  await eventually(clock, () => count("sweep") === 1);
  expect(await client.request("schedule/delete", { scheduleId })).toEqual({ deleted: true });
  expect(await client.request("schedule/delete", { scheduleId })).toEqual({ deleted: false });
  clock.advance(HOUR);
  await settle(clock, 10_000);
  expect([count("sweep"), (await client.request("schedule/list", {})).data]).toEqual([1, []]);
});

test("a schedule whose thread is deleted or archived is disabled, with the reason", async () => {
  const clock = createFakeClock(START);
  const { connect } = await openServer(await openHome(), clock);
  const client = await connect();
  const threadIds = [await leaveThread(connect), await leaveThread(connect)];
  for (const threadId of threadIds) await create(client, { target: { type: "thread", threadId } });
  const [deleted = "", archived = ""] = threadIds;
  await client.request("thread/delete", { threadId: deleted });
  await client.request("thread/archive", { threadId: archived });
  clock.advance(HOUR);
  const statuses = async () => (await client.request("schedule/list", {})).data.map(({ status }) => status);
  await eventually(clock, async () => (await statuses()).every(({ type }) => type === "disabled"));
  expect(await statuses()).toEqual([
    { type: "disabled", reason: "its thread was deleted" },
    { type: "disabled", reason: `thread ${archived} is archived: unarchive it first` },
  ]);
});

test.each([
  ["a malformed line", { schedule: { ...hourly, expression: "a b c d e" } }, "is not valid"],
  ["six fields", { schedule: { ...hourly, expression: "0 0 * * * *" } }, "has 6 fields"],
  ["an unknown zone", { schedule: { ...hourly, timeZone: "Mars/Base" } }, "unknown time zone `Mars/Base`"],
  ["a line that never runs", { schedule: { ...hourly, expression: "0 0 31 4 *" } }, "never runs"],
  ["a time that has passed", { schedule: { type: "once", at: 1 } }, "has passed"],
  ["no input", { input: [] }, "only user input"],
  ["a missing thread", { target: { type: "thread", threadId: crypto.randomUUID() } }, "there is no thread"],
  ["a malformed thread id", { target: { type: "thread", threadId: "x" } }, "invalid thread id"],
  ["too much", { input: say("x".repeat(70_000)) }, "too large"],
  ["a long name", { name: "x".repeat(300) }, "name is too long"],
  [
    "an ephemeral template",
    { target: { type: "newThread", threadStartParams: { ephemeral: true } } },
    "cannot be ephemeral",
  ],
  [
    "a template without its provider",
    { target: { type: "newThread", threadStartParams: { modelProvider: "nobody" } } },
    "nobody",
  ],
] as const)("%s is refused, and nothing is made", async (_what, params, message) => {
  const { connect } = await openServer(await openHome(), createFakeClock(START));
  const client = await connect();
  await expect(create(client, params as unknown as Partial<ScheduleCreateParams>)).rejects.toThrow(message);
  expect((await client.request("schedule/list", {})).data).toEqual([]);
});
