/** Hostile clients, processes and rows against the queue of a thread. */
import { expect, onTestFinished, test } from "vitest";
import { databaseOf } from "../../src/store/files/sqlite/database-file.ts";
import { openDatabase } from "../../src/store/files/sqlite/driver.ts";
import {
  add,
  DONE,
  HELD,
  list,
  openQueueHarness,
  startedTurn,
  startThread,
  startTurn,
  text,
} from "../support/queue-harness.ts";
import type { RpcClient } from "../support/rpc-client.ts";
import type { TempHome } from "../support/temp-home.ts";

function openDatabaseOf({ home }: TempHome) {
  const database = openDatabase(databaseOf(home));
  database.exec("PRAGMA busy_timeout = 10000");
  onTestFinished(() => database.close());
  return database;
}

const keys = async (client: RpcClient, threadId: string) =>
  (await list(client, threadId)).data.map((row) => row.clientUserMessageId);

const errorOf = async (client: RpcClient, method: string, params: object): Promise<string> => {
  const { error } = (await client.request(method, params)) as { error?: { message: string } };
  return error?.message ?? "no error";
};

const ODD_PARAMS = [
  "",
  "{",
  "null",
  "5",
  "[]",
  "{}",
  '{"input":5}',
  '{"input":[null,5,[],{"type":5}]}',
  '{"input":[{"type":"text"}]}',
  '{"input":[{"type":"text","text":"x"}],"cwd":5}',
  '{"__proto__":{"input":[]},"constructor":1}',
  `{"input":${"[".repeat(2000)}${"]".repeat(2000)}}`,
];

test("rows that make no sense can be seen, fail when it is their turn, and can be taken out", async () => {
  const { open, home } = await openQueueHarness([DONE]);
  const { client } = await open();
  const threadId = await startThread(client);
  await client.result("thread/queue/pause", { threadId });
  await add(client, threadId, "good");
  const database = openDatabaseOf(home);
  for (const [at, params] of ODD_PARAMS.entries()) {
    const values = [at + 100, threadId, `odd-${at}`, at % 2 === 0 ? null : "{no key", -100 + at, '"why'];
    database
      .prepare(`
        INSERT INTO queue_rows
          (number, thread_id, row_id, client_id, bytes, position, state, failure, created_at_ms, updated_at_ms)
        VALUES (?, ?, ?, ?, 1, ?, 'failed', ?, -1, 9007199254740993)`)
      .run(...values.map((value, index) => (index === 3 && value !== null ? `${value}${at}` : value)));
    database.prepare("INSERT INTO queue_params VALUES (?, ?)").run(at + 100, params);
  }
  const { data } = await list(client, threadId);
  expect(data.map(({ status }) => status.type)).toEqual([...ODD_PARAMS.map(() => "failed"), "pending"]);
  for (const at of ODD_PARAMS.keys()) {
    const queuedSubmissionId = `odd-${at}`;
    const why = await errorOf(client, "thread/queue/start", { threadId, queuedSubmissionId });
    expect({ at, why }).toEqual({ at, why: expect.stringMatching(/are not valid|must not be empty/u) });
  }
  for (const at of ODD_PARAMS.keys())
    expect(await client.result("thread/queue/delete", { threadId, queuedTurnId: `odd-${at}` })).toEqual({
      deleted: true,
    });
  await client.result("thread/queue/resume", { threadId });
  await startedTurn(client, "good");
});

test("what is asked for out of bounds is refused in words", async () => {
  const { open } = await openQueueHarness([HELD]);
  const { client } = await open();
  const threadId = await startThread(client);
  await startTurn(client, threadId, "Go");
  const input = text("x");
  const rows: readonly (readonly [string, object, string])[] = [
    ["add", { input, clientUserMessageId: "a", notBefore: 1e300 }, "invalid"],
    ["add", { input, clientUserMessageId: "a", notBefore: 1.5 }, "invalid"],
    ["add", { input, clientUserMessageId: "a", notBefore: 2 ** 53 }, "notBefore is not a Unix time"],
    ["add", { input, clientUserMessageId: "a", notBefore: -(2 ** 53) }, "notBefore is not a Unix time"],
    ["add", { input: [], clientUserMessageId: "a" }, "only user input can be added"],
    ["list", { cursor: "-1" }, "invalid queue pagination cursor"],
    ["list", { cursor: "1e3" }, "invalid queue pagination cursor"],
    ["list", { cursor: "9".repeat(400) }, "invalid queue pagination cursor"],
    ["list", { limit: -1 }, "invalid"],
    ["reorder", { queuedTurnIds: ["a", "a"] }, "must include every queued submission exactly once"],
    ["reorder", { queuedTurnIds: Array.from({ length: 1e5 }, () => "a") }, "exactly once"],
    ["pause", { reason: "x".repeat(1001) }, "reason is too long: it may have 1000 characters"],
    ["update", { queuedSubmissionId: "__proto__", input }, "queued submission not found: __proto__"],
    ["start", { queuedSubmissionId: "constructor" }, "queued submission not found: constructor"],
  ];
  for (const [method, params, message] of rows)
    expect(await errorOf(client, `thread/queue/${method}`, { threadId, ...params })).toContain(message);
  for (const id of ["x", "", "__proto__", "../x", "019a8b00-0000-7000-8000-000000000000", "x".repeat(1e5)])
    for (const method of ["add", "list", "pause", "resume", "start"]) {
      const given = { threadId: id, input, clientUserMessageId: "a" };
      expect(await errorOf(client, `thread/queue/${method}`, given)).not.toBe("no error");
    }
  expect(await list(client, threadId)).toEqual({ data: [], nextCursor: null });
  expect(await client.result("thread/queue/list", { threadId, cursor: "9".repeat(15) })).toMatchObject({
    data: [],
    nextCursor: null,
  });
});

test("turns without a key are each queued, and one key is one turn however many add it at once", async () => {
  const { open } = await openQueueHarness([HELD]);
  const servers = [await open(), await open()];
  const [{ client }] = servers as [(typeof servers)[0]];
  const threadId = await startThread(client);
  await startTurn(client, threadId, "Go");
  for (const words of ["a", "b"]) await add(client, threadId, words, { clientUserMessageId: "" });
  expect((await list(client, threadId)).data.map(({ input }) => input[0]?.text)).toEqual(["a", "b"]);
  const added = await Promise.all(
    Array.from({ length: 20 }, (_, at) => add(servers[at % 2]?.client ?? client, threadId, "same")),
  );
  const ids = added.map((answer) => (answer as { queuedTurn: { id: string } }).queuedTurn.id);
  expect(new Set(ids).size).toBe(1);
  expect((await list(client, threadId)).data.length).toBe(3);
});

test("a thread that is archived starts nothing of its queue, and goes on when it is taken back", async () => {
  const { open, model } = await openQueueHarness([HELD, DONE]);
  const { client } = await open();
  const threadId = await startThread(client);
  await startTurn(client, threadId, "Go");
  await model.arrived(1);
  await add(client, threadId, "waits");
  await client.result("thread/archive", { threadId });
  expect(await errorOf(client, "thread/queue/list", { threadId })).toContain("is archived");
  await client.result("thread/unarchive", { threadId });
  expect(await keys(client, threadId)).toEqual(["waits"]);
  expect(model.requests.length).toBe(1);
  await client.result("thread/resume", { threadId });
  await startedTurn(client, "waits");
});

test("a thread that another process deletes while its queue goes on takes its rows with it", async () => {
  const { open, model, home } = await openQueueHarness([HELD]);
  const [owner, other] = [await open(), await open()];
  const threadId = await startThread(owner.client);
  await startTurn(owner.client, threadId, "Go");
  await model.arrived(1);
  for (const words of ["a", "b"]) await add(owner.client, threadId, words);
  const refused = await errorOf(other.client, "thread/delete", { threadId });
  if (refused !== "no error") await owner.client.result("thread/delete", { threadId });
  const database = openDatabaseOf(home);
  for (const table of ["queue_rows", "queue_params"])
    expect(database.prepare(`SELECT COUNT(*) AS count FROM ${table}`).get()).toEqual({ count: 0 });
  expect(
    await errorOf(owner.client, "thread/queue/add", { threadId, input: text("x"), clientUserMessageId: "x" }),
  ).toContain("no rollout found");
});

test("a fork has a queue of its own", async () => {
  const { open, model } = await openQueueHarness([DONE, HELD]);
  const { client } = await open();
  const threadId = await startThread(client);
  await startTurn(client, threadId, "Go");
  await client.next({ method: "turn/completed" });
  await client.result("thread/queue/pause", { threadId });
  await add(client, threadId, "waits");
  const { thread } = (await client.result("thread/fork", { threadId })) as { thread: { id: string } };
  expect(await list(client, thread.id)).toEqual({ data: [], nextCursor: null });
  expect(await keys(client, threadId)).toEqual(["waits"]);
  expect(model.requests.length).toBe(1);
});

test("ten thousand rows are kept, listed in pages and put in another order in bounded time", async () => {
  const { open, home } = await openQueueHarness([HELD], "[queue]\nmax_per_thread = 10000\n");
  const { client } = await open();
  const threadId = await startThread(client);
  await client.result("thread/queue/pause", { threadId });
  await add(client, threadId, "first");
  const database = openDatabaseOf(home);
  database.exec(`
    WITH RECURSIVE n(i) AS (SELECT 2 UNION ALL SELECT i + 1 FROM n WHERE i < 9999)
    INSERT INTO queue_rows
      (number, thread_id, row_id, bytes, position, state, created_at_ms, updated_at_ms)
    SELECT 1000 + i, '${threadId}', 'row-' || i, 100, i, 'pending', 1, 1 FROM n;
    INSERT INTO queue_params SELECT number, '{"input":[{"type":"text","text":"x"}]}' FROM queue_rows WHERE number > 1000;`);
  const begun = performance.now();
  await add(client, threadId, "last");
  expect(
    await errorOf(client, "thread/queue/add", { threadId, input: text("x"), clientUserMessageId: "x" }),
  ).toBe("queue cannot contain more than 10000 submissions");
  const ids: string[] = [];
  for (let cursor: string | null = null; ; ) {
    const page = (await client.result("thread/queue/list", { threadId, cursor, limit: 100 })) as {
      data: { id: string }[];
      nextCursor: string | null;
    };
    ids.push(...page.data.map(({ id }) => id));
    cursor = page.nextCursor;
    if (cursor === null) break;
  }
  expect(new Set(ids).size).toBe(10_000);
  const queuedTurnIds = ids.toReversed();
  await client.result("thread/queue/reorder", { threadId, queuedTurnIds });
  expect((await list(client, threadId)).data[0]).toMatchObject({ id: queuedTurnIds[0] });
  expect(performance.now() - begun).toBeLessThan(10_000);
});

test("a server with a large queue tells of it without reading it", async () => {
  const { open } = await openQueueHarness([HELD]);
  const { client } = await open({ transport: "ws" });
  const threadId = await startThread(client);
  await client.result("thread/queue/pause", { threadId });
  client.skip((message) => message.length > 1_000_000);
  for (let at = 0; at < 4; at += 1)
    client.send("thread/queue/add", {
      threadId,
      input: [{ type: "image", url: `data:image/png;base64,${"A".repeat(12_000_000)}` }],
      clientUserMessageId: `large-${at}`,
    });
  await add(client, threadId, "small");
  await client.result("thread/queue/pause", { threadId, reason: "why" });
  const changed = await client.next({
    method: "thread/queue/changed",
    params: { pauseReason: "why" },
  });
  const outline = { input: [], isOutline: true, turnStartParams: { threadId, input: [] } };
  expect(changed).toMatchObject({
    params: {
      queuedTurns: [
        { clientUserMessageId: "large-0", ...outline },
        { clientUserMessageId: "large-1", ...outline },
        { clientUserMessageId: "large-2", ...outline },
        { clientUserMessageId: "large-3", ...outline },
        { clientUserMessageId: "small", input: [{ text: "small" }] },
      ],
    },
  });
  const last = await client.result("thread/queue/list", { threadId, cursor: "4" });
  expect(last).toMatchObject({ data: [{ clientUserMessageId: "small" }], nextCursor: null });
});
