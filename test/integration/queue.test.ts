import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { databaseOf } from "../../src/store/files/sqlite/database-file.ts";
import { openDatabase } from "../../src/store/files/sqlite/driver.ts";
import { PNG } from "../../src/tools/view-image/images.fixture.ts";
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

test("a row that another process adds is started by the one that has the thread, within a second", async () => {
  const { open } = await openQueueHarness([DONE]);
  const owner = await open();
  const threadId = await startThread(owner.client);
  await startTurn(owner.client, threadId, "Go");
  await owner.client.next({ method: "turn/completed" });
  const other = await open();
  const start = performance.now();
  await add(other.client, threadId, "from afar");
  await startedTurn(owner.client, "from afar");
  expect(performance.now() - start).toBeLessThan(1000);
  expect((await list(other.client, threadId)).data).toEqual([]);
});

test("a pause and what waits behind it outlive the process", async () => {
  const { open } = await openQueueHarness([DONE]);
  const first = await open();
  const threadId = await startThread(first.client);
  await first.client.result("thread/queue/pause", { threadId, reason: "lunch" });
  await add(first.client, threadId, "later");
  await first.kill();
  const second = await open();
  await second.client.result("thread/resume", { threadId });
  expect(await list(second.client, threadId)).toMatchObject({
    pauseReason: "lunch",
    data: [{ clientUserMessageId: "later", status: { type: "pending" } }],
  });
  expect(await second.client.result("thread/queue/resume", { threadId })).toEqual({ resumed: true });
  await startedTurn(second.client, "later");
});

test("a row of the earlier generation keeps what its turn starts with", async () => {
  const { open, model } = await openQueueHarness([HELD, DONE]);
  const { client } = await open();
  const threadId = await startThread(client);
  await startTurn(client, threadId, "Go");
  await model.arrived(1);
  const turnStartParams = { threadId, input: text("whole"), model: "other-model", effort: "high" };
  const { queuedTurn } = (await client.result("thread/queue/add", { threadId, turnStartParams })) as {
    queuedTurn: object;
  };
  expect(queuedTurn).toMatchObject({
    status: { type: "pending" },
    turnStartParams: { model: "other-model" },
  });
  model.release();
  await client.next({ method: "turn/completed" });
  await client.next({ method: "turn/completed" });
  expect(model.requests.at(-1)?.body).toMatchObject({ model: "other-model", reasoning: { effort: "high" } });
});

test("a row with a time waits for it", async () => {
  const { open } = await openQueueHarness([DONE]);
  const { client } = await open();
  const threadId = await startThread(client);
  const notBefore = Math.floor(Date.now() / 1000) + 2;
  await add(client, threadId, "soon", { notBefore });
  expect((await list(client, threadId)).data).toMatchObject([{ clientUserMessageId: "soon", notBefore }]);
  await startedTurn(client, "soon");
  expect(Date.now()).toBeGreaterThanOrEqual(notBefore * 1000);
});

test("what is handed in joins the turn that runs, or starts, or waits", async () => {
  const { open, model } = await openQueueHarness([HELD, DONE]);
  const { client } = await open();
  const threadId = await startThread(client);
  const submit = (words: string) =>
    client.result("thread/submit", { threadId, input: text(words), clientUserMessageId: words });
  expect(await submit("a")).toMatchObject({ outcome: { type: "started" } });
  await model.arrived(1);
  expect(await submit("b")).toMatchObject({ outcome: { type: "steered" } });
  model.release();
  await client.next({ method: "turn/completed" });
  await client.result("thread/queue/pause", { threadId });
  await add(client, threadId, "before");
  expect(await submit("c")).toMatchObject({
    outcome: { type: "queued", queuedTurn: { clientUserMessageId: "c" } },
  });
  expect((await list(client, threadId)).data.map((row) => row.clientUserMessageId)).toEqual(["before", "c"]);
});

test("a server that ends starts nothing more, and the next one does", async () => {
  const { open, model } = await openQueueHarness([HELD, HELD, DONE]);
  const first = await open();
  const [slow, quick] = [await startThread(first.client), await startThread(first.client)];
  await startTurn(first.client, slow, "slow work");
  await startTurn(first.client, quick, "quick work");
  await model.arrived(2);
  await add(first.client, quick, "next");
  await first.end();
  await model.releaseFor("quick work");
  await first.client.next({ method: "turn/completed", params: { threadId: quick } });
  expect((await list(first.client, quick)).data).toMatchObject([{ clientUserMessageId: "next" }]);
  await model.releaseFor("slow work");
  expect(await first.ended).toEqual({ code: 0, signal: null });
  expect(model.requests.filter(({ method }) => method === "POST")).toHaveLength(2);

  const second = await open();
  await second.client.result("thread/resume", { threadId: quick });
  await startedTurn(second.client, "next");
});

test("a queued prompt that a hook blocks has started, and the queue goes on", async () => {
  const { open } = await openQueueHarness([DONE]);
  const { client } = await open();
  const hook = { type: "command", command: `grep -q forbidden && { echo not this >&2; exit 2; }; exit 0` };
  const threadId = await startThread(client, {
    config: { bypass_hook_trust: true, hooks: { UserPromptSubmit: [{ hooks: [hook] }] } },
  });
  await client.result("thread/queue/pause", { threadId });
  await add(client, threadId, "forbidden");
  await add(client, threadId, "fine");
  await client.result("thread/queue/resume", { threadId });
  const blocked = await client.next({ method: "hook/completed", params: { run: { status: "blocked" } } });
  expect(blocked).toMatchObject({ params: { run: { entries: [{ kind: "feedback", text: "not this" }] } } });
  await startedTurn(client, "fine");
  expect((await list(client, threadId)).data).toEqual([]);
});

test("a row that cannot be started stays with its error and blocks, until it is taken out", async () => {
  const { open } = await openQueueHarness([DONE]);
  const { client } = await open();
  const threadId = await startThread(client);
  await client.result("thread/queue/pause", { threadId });
  const turnStartParams = {
    threadId,
    input: text("bad"),
    clientUserMessageId: "bad",
    permissions: "no-such",
  };
  const { queuedTurn } = (await client.result("thread/queue/add", { threadId, turnStartParams })) as {
    queuedTurn: { id: string };
  };
  await add(client, threadId, "good");
  await client.result("thread/queue/resume", { threadId });
  expect((await list(client, threadId)).data).toMatchObject([
    {
      clientUserMessageId: "bad",
      status: { type: "failed", error: { message: expect.stringContaining("failed to load configuration") } },
    },
    { clientUserMessageId: "good", status: { type: "pending" } },
  ]);
  await client.result("thread/queue/delete", { threadId, queuedTurnId: queuedTurn.id });
  await startedTurn(client, "good");
});

test("rows go with their thread", async () => {
  const { open } = await openQueueHarness([HELD, DONE]);
  const { client } = await open();
  const threadId = await startThread(client);
  await startTurn(client, threadId, "Go");
  await add(client, threadId, "waits");
  await client.result("thread/delete", { threadId });
  const { error } = (await client.request("thread/queue/list", { threadId })) as {
    error: { message: string };
  };
  expect(error.message).toContain("no rollout found");
});

test("a queued turn shows an image as it was when it was added, whatever becomes of its file", async () => {
  const { open, model, home } = await openQueueHarness([HELD, DONE]);
  const { client } = await open();
  const threadId = await startThread(client);
  await startTurn(client, threadId, "Go");
  await model.arrived(1);
  const other = Buffer.concat([Buffer.from(PNG, "base64"), Buffer.from("later")]);
  const input = ["removed.png", "changed.png"].map((name) => {
    const path = join(home.workspace, name);
    writeFileSync(path, Buffer.from(PNG, "base64"));
    return { type: "localImage", path };
  });
  await client.result("thread/queue/add", { threadId, input, clientUserMessageId: "images" });
  rmSync(join(home.workspace, "removed.png"));
  writeFileSync(join(home.workspace, "changed.png"), other);
  model.release();
  await startedTurn(client, "images");
  await model.arrived(2);
  const asked = JSON.stringify(model.requests.at(-1)?.body);
  const url = `"image_url":"data:image/png;base64,${PNG}"`;
  expect(asked.split(url).length - 1).toBe(2);
  expect(asked).not.toContain("could not read");
});

test("a row that was being started when its server died has started if its turn is in the history, or else failed", async () => {
  const { open, home } = await openQueueHarness([DONE]);
  const first = await open();
  const ids: { readonly threadId: string; readonly turnId: string }[] = [];
  for (let at = 0; at < 2; at += 1) {
    const threadId = await startThread(first.client);
    const { turn } = (await startTurn(first.client, threadId, "Go")) as { turn: { id: string } };
    await first.client.next({ method: "turn/completed", params: { threadId } });
    await first.client.result("thread/queue/pause", { threadId });
    await add(first.client, threadId, "caught");
    ids.push({ threadId, turnId: at === 0 ? turn.id : "no-such-turn" });
  }
  await first.kill();
  const database = openDatabase(databaseOf(home.home));
  for (const { threadId, turnId } of ids)
    database
      .prepare(
        "UPDATE queue_rows SET state = 'dispatching', turn_id = ?, claim_owner = 'dead' WHERE thread_id = ?",
      )
      .run(turnId, threadId);
  database.close();
  const { client } = await open();
  const statuses: unknown[] = [];
  for (const { threadId } of ids) {
    await client.result("thread/resume", { threadId });
    const { params } = (await client.next({ method: "thread/queue/changed", params: { threadId } })) as {
      params: { queuedTurns: { status: object }[] };
    };
    expect(params.queuedTurns).toEqual((await list(client, threadId)).data);
    statuses.push(params.queuedTurns.map(({ status }) => status));
  }
  const message = "queued turn dispatch was interrupted while app-server restarted";
  expect(statuses).toMatchObject([[], [{ type: "failed", error: { message } }]]);
});

test("a queued turn is of the thread that it is queued for, and may have a policy of long ago", async () => {
  const { open } = await openQueueHarness([DONE]);
  const { client } = await open();
  const threadId = await startThread(client);
  const other = await startThread(client);
  const ephemeral = await startThread(client, { ephemeral: true });
  await client.result("thread/queue/pause", { threadId });
  const addTurn = (id: string, turnStartParams: object) =>
    client.request("thread/queue/add", { threadId: id, turnStartParams });
  expect(await addTurn(threadId, { threadId: other, input: text("x") })).toMatchObject({
    error: { code: -32600, message: "`threadId` must match `turnStartParams.threadId`" },
  });
  expect(await addTurn(ephemeral, { threadId: ephemeral, input: text("x") })).toMatchObject({
    error: { message: `ephemeral thread does not support queued turns: ${ephemeral}` },
  });
  expect(
    await addTurn(threadId, { threadId, input: text("x"), permissionProfile: { type: "disabled" } }),
  ).toMatchObject({
    error: { message: expect.stringContaining("`permissionProfile` is no longer supported") },
  });
  expect((await list(client, threadId)).data).toEqual([]);
  await client.result("thread/queue/add", {
    threadId,
    turnStartParams: { threadId, input: text("x"), approvalPolicy: "on-failure" },
  });
  expect((await list(client, threadId)).data).toMatchObject([
    { turnStartParams: { threadId, approvalPolicy: "on-request" } },
  ]);
});

test("whoever joins a loaded thread hears of its queue, and of what holds it up", async () => {
  const { open, model } = await openQueueHarness([HELD, DONE]);
  const { client, connect } = await open({ transport: "ws" });
  const threadId = await startThread(client);
  const { turn } = (await startTurn(client, threadId, "Go")) as { turn: { id: string } };
  await model.arrived(1);
  await add(client, threadId, "next");
  const joiner = await connect();
  await joiner.result("thread/resume", { threadId });
  const heldUpBy = { type: "turn", turnId: turn.id };
  expect(await joiner.next({ method: "thread/queue/changed" })).toMatchObject({
    params: { threadId, heldUpBy, queuedTurns: [{ clientUserMessageId: "next" }] },
  });
  expect(await list(client, threadId)).toMatchObject({ heldUpBy });
  await client.result("thread/queue/pause", { threadId, reason: "lunch" });
  expect(await list(joiner, threadId)).toMatchObject({ heldUpBy: { type: "paused", reason: "lunch" } });
  model.release();
});

test("a row that is larger than a message is told of without what it holds, and cuts say so", async () => {
  const { open } = await openQueueHarness([DONE]);
  const { client } = await open();
  const threadId = await startThread(client);
  await client.result("thread/queue/pause", { threadId });
  const image = { type: "image", url: `data:image/png;base64,${"A".repeat(700_000)}` };
  await add(client, threadId, "large", { input: [image] });
  await add(client, threadId, "small");
  const notice = (await client.next({
    method: "thread/queue/changed",
    params: { queuedTurns: [{}, { clientUserMessageId: "small" }] },
  })) as { params: { queuedTurns: { id: string }[] } };
  expect(notice.params.queuedTurns).toMatchObject([
    { clientUserMessageId: "large", input: [], isOutline: true, turnStartParams: { threadId, input: [] } },
    { clientUserMessageId: "small", input: [{ text: "small" }] },
  ]);
  const queuedTurnIds = notice.params.queuedTurns.map(({ id }) => id).reverse();
  const answer = await client.result("thread/queue/reorder", { threadId, queuedTurnIds });
  expect(answer).toMatchObject({ queuedTurns: [{}, { clientUserMessageId: "large", isOutline: true }] });
  expect(answer).not.toHaveProperty("nextCursor");
  expect(await client.result("thread/queue/list", { threadId, cursor: "1" })).toMatchObject({
    data: [{ clientUserMessageId: "large", input: [{ type: "image" }] }],
  });
  for (let at = 0; at < 30; at += 1) await add(client, threadId, `${at}`);
  await client.next({ method: "thread/queue/changed", params: { nextCursor: "25" } });
});
