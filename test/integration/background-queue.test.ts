/**
 * Queued turns that start without a client: hours later, after a restart, and with two servers on one home.
 */
import { existsSync } from "node:fs";
import { join } from "node:path";
import { setImmediate as tick } from "node:timers/promises";
import { expect, onTestFinished, test, vi } from "vitest";
import { createFakeClock, type FakeClock } from "../../src/base/fake-clock.fixture.ts";
import { createDeferred } from "../../src/base/tasks.ts";
import type { Client } from "../../src/client/client.ts";
import { createHeddle, type EmbeddedOptions, type ModelEvent } from "../../src/index.ts";
import { databaseOf } from "../../src/store/files/sqlite/database-file.ts";
import { openSqliteTables } from "../../src/store/files/sqlite/sqlite-tables.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";

const MINUTE = 60_000;
const experimental = { capabilities: { experimentalApi: true } } as const;

async function openHome(config = ""): Promise<TempHome> {
  const home = await createTempHome({ config });
  onTestFinished(() => home.remove());
  return home;
}

/** A server on a home whose model echoes the last message, runs the command in it, or fails. */
async function openServer(
  folders: TempHome,
  clock: FakeClock,
  options: Pick<EmbeddedOptions, "continuesQueues"> = {},
) {
  const { home, workspace: cwd, user: HOME } = folders;
  const asked: string[] = [];
  const model: EmbeddedOptions["model"] = ({ input }) => {
    const said = JSON.stringify(input.at(-1));
    asked.push(said);
    if (said.includes('"fail"')) throw new Error("no answer today");
    return said.includes('"touch made"') ? runCommand() : said;
  };
  const heddle = await createHeddle({
    continuesQueues: true,
    home,
    cwd,
    env: { HOME, PATH: process.env["PATH"] },
    clock,
    model,
    ...options,
  });
  let isClosed = false;
  const close = async () => {
    if (!isClosed) await heddle.close();
    isClosed = true;
  };
  onTestFinished(close);
  const connect = () => heddle.connect(experimental);
  return { asked, connect, close };
}

async function* runCommand(): AsyncGenerator<ModelEvent> {
  const call = { call_id: "call", name: "exec_command", arguments: JSON.stringify({ cmd: "touch made" }) };
  yield { type: "itemDone", item: { type: "function_call", ...call } };
}

/** Advances the clock minute by minute until a condition holds, up to a limit. */
async function passUntil(clock: FakeClock, minutes: number, isTrue: () => boolean | Promise<boolean>) {
  for (let minute = 0; minute < minutes; minute += 1) {
    if (await isTrue()) return minute;
    clock.advance(MINUTE);
    // Work that a timer has started is finished before the next minute.
    for (let turn = 0; turn < 50; turn += 1) await tick();
  }
  throw new Error(`not within ${minutes} minutes`);
}

/** Waits for a condition that takes some seconds, however slow the machine is. */
const eventually = (clock: FakeClock, isTrue: () => boolean | Promise<boolean>) =>
  vi.waitFor(
    async () => {
      clock.advance(1000);
      expect(await isTrue()).toBe(true);
    },
    { timeout: 20_000, interval: 20 },
  );

const statuses = async (client: Client, threadId: string) =>
  (await client.request("thread/read", { threadId, includeTurns: true })).thread.turns.map(
    ({ status }) => status,
  );

const loaded = async (client: Client) =>
  (await client.request("thread/loaded/list", { cursor: null, limit: null })).data;

/** A thread with one turn, without subscribers. */
async function leaveThread(connect: () => Promise<Client>): Promise<string> {
  const client = await connect();
  const thread = await client.startThread();
  await thread.run("hello");
  await client.close();
  return thread.id;
}

test("`--not-before +2h` starts two hours later, though its thread was unloaded and no client is there", async () => {
  const clock = createFakeClock(Date.UTC(2026, 10, 18));
  const { asked, connect } = await openServer(await openHome(), clock);
  const threadId = await leaveThread(connect);
  const client = await connect();
  const notBefore = clock.now() / 1000 + 2 * 3600;
  const text = [{ type: "text" as const, text: "tidy up" }];
  await client.request("thread/queue/add", {
    threadId,
    input: text,
    clientUserMessageId: "key",
    notBefore,
  });
  expect(await loaded(client)).toEqual([threadId]);
  await passUntil(clock, 40, async () => (await loaded(client)).length === 0);
  const isAsked = () => asked.some((said) => said.includes("tidy up"));
  expect(isAsked()).toBe(false);
  await passUntil(clock, 120, () => clock.now() === notBefore * 1000 - MINUTE);
  expect(isAsked()).toBe(false);
  await eventually(clock, isAsked);
  await eventually(clock, async () => (await statuses(client, threadId)).join() === "completed,completed");
  // It is unloaded soon after, and loaded again for a turn that a client adds.
  await eventually(clock, async () => (await loaded(client)).length === 0);
  const more = [{ type: "text" as const, text: "once more" }];
  await client.request("thread/queue/add", { threadId, input: more, clientUserMessageId: "more" });
  await eventually(clock, () => asked.some((said) => said.includes("once more")));
});

test("a server without background work keeps a thread loaded while something waits in it", async () => {
  const clock = createFakeClock(Date.UTC(2026, 10, 18));
  const { asked, connect } = await openServer(await openHome(), clock, { continuesQueues: false });
  const threadId = await leaveThread(connect);
  const client = await connect();
  const notBefore = clock.now() / 1000 + 2 * 3600;
  const input = [{ type: "text" as const, text: "tidy up" }];
  await client.request("thread/queue/add", { threadId, input, clientUserMessageId: "key", notBefore });
  await passUntil(clock, 130, () => asked.some((said) => said.includes("tidy up")));
  expect(await loaded(client)).toEqual([threadId]);
  await passUntil(clock, 45, async () => (await loaded(client)).length === 0);
});

test("`queue.background = false` holds for a server that would continue queues", async () => {
  const clock = createFakeClock(Date.UTC(2026, 10, 18));
  const folders = await openHome("queue.background = false");
  const first = await openServer(folders, clock);
  const threadId = await leaveThread(first.connect);
  const add = await first.connect();
  await add.request("thread/queue/pause", { threadId });
  const input = [{ type: "text" as const, text: "go on" }];
  await add.request("thread/queue/add", { threadId, input, clientUserMessageId: "key" });
  await first.close();
  const second = await openServer(folders, clock);
  const client = await second.connect();
  await client.request("thread/queue/resume", { threadId });
  await expect(passUntil(clock, 5, () => second.asked.length > 0)).rejects.toThrow("not within");
  await client.request("thread/resume", { threadId });
  await eventually(clock, () => second.asked.length > 0);
});

test("a server that was started anew continues every queue, and the log says what ran", async () => {
  const clock = createFakeClock(Date.UTC(2026, 10, 18));
  const folders = await openHome();
  const first = await openServer(folders, clock);
  const threadIds = [await leaveThread(first.connect), await leaveThread(first.connect)];
  const add = await first.connect();
  for (const threadId of threadIds) {
    await add.request("thread/queue/pause", { threadId });
    for (const text of ["one", "two"])
      await add.request("thread/queue/add", {
        threadId,
        input: [{ type: "text", text }],
        clientUserMessageId: text,
      });
  }
  await first.close();
  const tables = openSqliteTables(databaseOf(folders.home));
  onTestFinished(() => tables.close());
  for (const threadId of threadIds) await tables.queue.resume(threadId);

  // With two servers, each queue is drained by one of them, and every turn runs once.
  const servers = [await openServer(folders, clock), await openServer(folders, clock)];
  const asked = () => servers.flatMap((server) => server.asked);
  await eventually(clock, () => asked().length === 4);
  const client = await servers[0]!.connect();
  await eventually(clock, async () => (await tables.queue.started({ limit: 9 })).every(({ end }) => end));
  for (const threadId of threadIds)
    expect(await statuses(client, threadId)).toEqual(["completed", "completed", "completed"]);
  expect(asked().length).toBe(4);
  const log = await tables.queue.started({ limit: 9 });
  expect(log.map(({ preview }) => preview).sort()).toEqual(["one", "one", "two", "two"]);
  expect(log[0]?.end).toMatchObject({ how: "completed", error: null });
});

test("a question of a queued turn that nobody follows is denied at once where that is wanted, and waits otherwise", async () => {
  for (const [questions, outcome] of [
    ["deny", "completed"],
    ["wait", "inProgress"],
  ] as const) {
    const clock = createFakeClock(Date.UTC(2026, 10, 18));
    const folders = await openHome(
      `approval_policy = "untrusted"\nqueue.unattended_questions = "${questions}"`,
    );
    const { connect } = await openServer(folders, clock);
    const threadId = await leaveThread(connect);
    const client = await connect();
    await client.request("thread/queue/add", {
      threadId,
      input: [{ type: "text", text: "touch made" }],
      clientUserMessageId: "key",
    });
    const status = async () =>
      (await client.request("thread/read", { threadId, includeTurns: false })).thread.status;
    if (questions === "deny")
      await eventually(clock, async () => (await statuses(client, threadId))[1] === "completed");
    else
      await eventually(clock, async () => {
        const now = await status();
        return now.type === "active" && now.activeFlags.includes("waitingOnApproval");
      });
    expect(await statuses(client, threadId)).toEqual(["completed", outcome]);
    expect(existsSync(join(folders.workspace, "made"))).toBe(false);
  }
});

test("whoever follows a thread is told that its queue waits for an answer, and when it does not any more", async () => {
  const clock = createFakeClock(Date.UTC(2026, 10, 18));
  const { connect } = await openServer(await openHome('approval_policy = "untrusted"'), clock);
  const client = await connect();
  const holds: (string | undefined)[] = [];
  client.on("thread/queue/changed", ({ queuedTurns, heldUpBy }) => {
    if (queuedTurns.length > 0) holds.push(heldUpBy?.type);
  });
  const answer = createDeferred<void>();
  client.answer("item/commandExecution/requestApproval", async () => {
    await answer.promise;
    return { decision: "decline" };
  });
  const thread = await client.startThread();
  for (const text of ["touch made", "next"]) await thread.queue.add(text);
  await eventually(clock, () => holds.at(-1) === "question");
  answer.resolve();
  await eventually(clock, async () => (await statuses(client, thread.id)).join() === "completed,completed");
  // The first was about to start; then it ran, and the other waited for it.
  expect(holds).toEqual([undefined, "turn", "question", "turn"]);
});
