/**
 * Random operations on the queue of a thread by two servers, one of which is killed at times, compared to a
 * reference model.
 */

import { isDeepStrictEqual } from "node:util";
import fc from "fast-check";
import { expect, test } from "vitest";
import { propertyRuns } from "../../src/base/property-runs.fixture.ts";
import {
  HELD,
  openQueueHarness,
  type QueueHarness,
  type Server,
  startThread,
  text,
} from "../support/queue-harness.ts";
import {
  emptyQueue,
  endTurn,
  type ModelRow,
  type QueueModel,
  removeRow,
  reorderRows,
  setPause,
  startNext,
  startRow,
  updateRow,
} from "../support/queue-model.ts";
import { type QueueEntry, startedKeys, turnsWithKeys, waitingTurns } from "../support/queue-view.ts";
import type { RpcClient } from "../support/rpc-client.ts";
import { within } from "../support/within.ts";

const DEADLINE_MS = 10_000;

type By = "owner" | "other";

type QueueStep =
  | { readonly do: "add"; readonly by: By; readonly isBad: boolean; readonly again: boolean }
  | { readonly do: "update" | "delete" | "reorder"; readonly by: By; readonly at: number }
  | { readonly do: "pause" | "resume"; readonly by: By }
  | { readonly do: "start"; readonly at: number | null }
  | { readonly do: "direct" | "finish" | "interrupt" | "restart" }
  | { readonly do: "crash"; readonly adds: number; readonly isFinishing: boolean; readonly isHeard: boolean };

interface PropertyHarness {
  readonly queues: QueueHarness;
  readonly threadId: string;
  readonly model: QueueModel;
  readonly servers: Record<By, Server>;
  made: number;
}

const by = fc.constantFrom<By>("owner", "owner", "owner", "other");
const at = fc.nat({ max: 5 });
const steps: fc.Arbitrary<QueueStep> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("add" as const),
      by,
      isBad: fc.nat({ max: 5 }).map((drawn) => drawn === 0),
      again: fc.nat({ max: 5 }).map((drawn) => drawn === 0),
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constantFrom("finish" as const, "interrupt" as const) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constantFrom("update" as const, "delete" as const, "reorder" as const),
      by,
      at,
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constantFrom("pause" as const, "resume" as const), by }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("start" as const), at: fc.option(at) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("direct" as const, "restart" as const) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("crash" as const),
      adds: fc.nat({ max: 3 }),
      isFinishing: fc.boolean(),
      isHeard: fc.boolean(),
    }),
  },
);

test("whatever two servers do to a queue, nothing is lost, doubled or out of order, and clients are told what is", {
  timeout: 600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 15, maxLength: 40, size: "max" }), async (drawn) => {
      const queues = await openQueueHarness([HELD]);
      const servers = { owner: await queues.open(), other: await queues.open() };
      const threadId = await startThread(servers.owner.client);
      const harness: PropertyHarness = { queues, threadId, model: emptyQueue(), servers, made: 0 };
      await direct(harness);
      for (const step of drawn) {
        const { length } = harness.model.started;
        const { client } = harness.servers.owner;
        const notified = noticeCount(client);
        const isChanged = await perform(harness, step);
        if ("by" in step && step.by === "other" && isChanged)
          while (noticeCount(client) === notified) await client.next({ method: "thread/queue/changed" });
        if (step.do !== "crash")
          for (const key of harness.model.started.slice(length)) await untilNotified(harness, key);
        await compare(harness);
      }
      for (const server of Object.values(servers)) await server.kill();
    }),
    { ...propertyRuns(4), endOnFailure: true },
  );
});

const rowAt = ({ model }: PropertyHarness, index: number): ModelRow | undefined =>
  model.rows[index % Math.max(1, model.rows.length)];

/** Whether the step has changed the queue. */
async function perform(harness: PropertyHarness, step: QueueStep): Promise<boolean> {
  const { model, threadId, servers } = harness;
  const ask = (who: By, method: string, params: object = {}) =>
    servers[who].client.request(method, { threadId, ...params });
  switch (step.do) {
    case "add":
      return add(harness, step);
    case "update":
    case "delete": {
      const row = rowAt(harness, step.at);
      const params = {
        queuedSubmissionId: row?.id ?? "none",
        ...(step.do === "update" && { input: text(`${row?.key} anew`) }),
      };
      const answer = await ask(step.by, `thread/queue/${step.do}`, params);
      const wanted =
        step.do === "update" ? { queuedSubmission: { id: row?.id } } : { deleted: row !== undefined };
      if (step.do === "update" && row === undefined)
        expect(answer).toMatchObject({ error: { message: "queued submission not found: none" } });
      else expect(answer).toMatchObject({ result: wanted });
      if (row !== undefined) (step.do === "update" ? updateRow : removeRow)(model, row);
      return row !== undefined;
    }
    case "reorder": {
      const turned = model.rows.map((_, index) => rowAt(harness, index + step.at) as ModelRow);
      const queuedSubmissionIds = turned.map(({ id }) => id);
      expect(await ask(step.by, "thread/queue/reorder", { queuedSubmissionIds })).toHaveProperty("result");
      reorderRows(model, turned);
      return true;
    }
    case "pause":
      expect(await ask(step.by, "thread/queue/pause", { reason: "why" })).toHaveProperty("result");
      setPause(model, "why");
      return true;
    case "resume": {
      const resumed = model.pause !== null;
      expect(await ask(step.by, "thread/queue/resume")).toMatchObject({ result: { resumed } });
      setPause(model, null);
      return resumed;
    }
    case "start":
      await start(harness, step.at);
      return true;
    case "direct":
      await direct(harness);
      return false;
    case "finish":
    case "interrupt":
      await end(harness, step.do);
      return true;
    case "restart":
      await restart(harness);
      endTurn(model);
      return true;
    case "crash":
      await crash(harness, step);
      return true;
  }
}

async function add(
  harness: PropertyHarness,
  { by: who, isBad, again }: Extract<QueueStep, { do: "add" }>,
): Promise<boolean> {
  const { model, servers } = harness;
  const known = again ? rowAt(harness, 0) : undefined;
  harness.made += 1;
  const key = known?.key ?? `key-${harness.made}.`;
  const answer = await servers[who].client.request("thread/queue/add", paramsOf(harness, key, isBad));
  const { id } = (answer["result"] as { queuedSubmission: QueueEntry }).queuedSubmission;
  if (known === undefined) model.rows.push({ key, id, isBad, isFailed: false });
  else expect(id).toBe(known.id);
  startNext(model);
  return known === undefined;
}

function paramsOf({ threadId }: PropertyHarness, key: string, isBad: boolean) {
  const turn = { threadId, input: text(key), clientUserMessageId: key };
  return isBad ? { threadId, turnStartParams: { ...turn, permissions: "no-such" } } : turn;
}

async function start(harness: PropertyHarness, index: number | null): Promise<void> {
  const { model, servers, threadId } = harness;
  const row = index === null ? model.rows[0] : rowAt(harness, index);
  const chosen = index === null ? {} : { queuedSubmissionId: row?.id ?? "none" };
  const answer = await servers.owner.client.request("thread/queue/start", { threadId, ...chosen });
  const message =
    row === undefined
      ? index === null
        ? "queue is empty"
        : "queued submission not found: none"
      : model.running !== null
        ? "thread already has an active or pending turn"
        : null;
  if (message !== null) expect(answer).toMatchObject({ error: { message } });
  if (message !== null || row === undefined) return;
  const isStarted = startRow(model, row);
  expect("result" in answer).toBe(isStarted);
  if (isStarted) model.pause = null;
}

async function direct(harness: PropertyHarness): Promise<void> {
  const { model, servers, threadId } = harness;
  if (model.running !== null) return;
  harness.made += 1;
  model.running = `direct-${harness.made}.`;
  const message = { input: text(model.running), clientUserMessageId: model.running };
  await servers.owner.client.result("turn/start", { threadId, ...message });
  await untilNotified(harness, model.running);
}

async function end(
  { model, servers: { owner }, queues, threadId }: PropertyHarness,
  how: "finish" | "interrupt",
) {
  if (model.running === null) return;
  if (how === "finish") await finish(queues, model.running);
  else await owner.client.result("turn/interrupt", { threadId, turnId: "" });
  await owner.client.next({ method: "turn/completed", params: { threadId } });
  endTurn(model);
}

/** Releases the model's reply to the turn that this key began. */
const finish = (queues: QueueHarness, key: string) =>
  within(queues.model.releaseFor(key), DEADLINE_MS, `the request of the turn of ${key}`);

/** Waits until the message that begins a turn is in the history and clients are notified. */
async function untilNotified({ servers: { owner } }: PropertyHarness, key: string): Promise<void> {
  await owner.client.next({
    method: "item/completed",
    params: { item: { type: "userMessage", clientId: key } },
  });
}

/** Kills the owner and starts another server in its place. */
async function restart(harness: PropertyHarness): Promise<void> {
  await harness.servers.owner.kill();
  harness.servers.owner = await harness.queues.open();
  await harness.servers.owner.client.result("thread/resume", { threadId: harness.threadId });
}

/** Kills the owner during requests: unanswered ones may or may not have been executed. */
async function crash(
  harness: PropertyHarness,
  { adds, isFinishing, isHeard }: Extract<QueueStep, { do: "crash" }>,
) {
  const { model, servers, queues } = harness;
  const { client } = servers.owner;
  const sent = Array.from({ length: adds }, () => {
    harness.made += 1;
    const key = `key-${harness.made}.`;
    return { key, id: client.send("thread/queue/add", paramsOf(harness, key, false)) };
  });
  if (isFinishing && model.running !== null) await finish(queues, model.running);
  const [first] = sent;
  if (isHeard && first !== undefined) await client.response(first.id);
  await restart(harness);
  model.running = await runningKey(servers.owner.client, harness.threadId);
  const waiting = await waitingTurns(servers.owner.client, harness.threadId);
  const known = new Map(model.rows.map((row) => [row.key, row]));
  const started = await startedRows(servers.owner.client, harness.threadId);
  const fresh = started.slice(model.started.length);
  const places = [...fresh, ...waiting.map((entry) => entry.clientUserMessageId)];
  const answered = sent.filter(({ id }) =>
    client.received.some(({ kind, message }) => kind === "response" && message["id"] === id),
  );
  // No row is lost, all are in order, and acknowledged ones come after the earlier ones.
  const all = [...known.keys(), ...sent.map(({ key }) => key)];
  expect(places).toEqual(all.filter((key) => places.includes(key)));
  expect(places).toEqual(expect.arrayContaining([...known.keys(), ...answered.map(({ key }) => key)]));
  model.started.push(...fresh);
  model.rows = waiting.map(({ id, clientUserMessageId: key, status }) => ({
    key,
    id,
    isBad: known.get(key)?.isBad ?? false,
    isFailed: status.type === "failed",
  }));
}

const startedRows = async (client: RpcClient, threadId: string): Promise<string[]> =>
  (await startedKeys(client, threadId)).filter((key) => key.startsWith("key-"));

/** The key that began the running turn, if it is in the history; null if no turn is running. */
async function runningKey(client: RpcClient, threadId: string): Promise<string | null> {
  const last = (await turnsWithKeys(client, threadId)).at(-1);
  if (last?.status !== "inProgress") return null;
  const said = await client.next({ method: "item/completed", params: { item: { type: "userMessage" } } });
  return (said["params"] as { item: { clientId: string } }).item.clientId;
}

const asModel = (entries: readonly QueueEntry[]) =>
  entries.map(({ id, clientUserMessageId: key, status }) => ({
    id,
    key,
    isFailed: status.type === "failed",
  }));

/** Waits until the last notification matches the model, and compares. */
async function compare({ model, servers: { owner }, threadId }: PropertyHarness): Promise<void> {
  const rows = model.rows.map(({ id, key, isFailed }) => ({ id, key, isFailed }));
  const wanted = { rows, pauseReason: model.pause ?? undefined };
  const { client } = owner;
  // A change by the other server is notified a little later; for a queue that was never used there is no
  // notification.
  const isNotified = () => isDeepStrictEqual(lastNotice(client), wanted);
  const nextNotice = () => client.next({ method: "thread/queue/changed" });
  while (!isNotified() && (await nextNotice().catch(() => null)) !== null);
  const page = (await client.result("thread/queue/list", { threadId, limit: 100 })) as {
    readonly data: readonly QueueEntry[];
    readonly pauseReason?: string;
  };
  expect({ rows: asModel(page.data), pauseReason: page.pauseReason }).toEqual(wanted);
  expect(lastNotice(client)).toEqual(wanted);
  expect(await startedRows(client, threadId)).toEqual(model.started);
}

const noticeCount = ({ received }: RpcClient): number =>
  received.filter(({ method }) => method === "thread/queue/changed").length;

function lastNotice(client: RpcClient) {
  const last = client.received.findLast(({ method }) => method === "thread/queue/changed");
  if (last === undefined) return { rows: [], pauseReason: undefined };
  const { queuedTurns, pauseReason } = last.message["params"] as {
    queuedTurns: QueueEntry[];
    pauseReason?: string;
  };
  return { rows: asModel(queuedTurns), pauseReason };
}
