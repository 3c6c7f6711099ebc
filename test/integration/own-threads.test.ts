/** `access.threads = "own"`: a client with a token reaches its own threads, and nothing shows that there are others. */
import { expect, test } from "vitest";
import { errorCodes } from "../../src/protocol/errors.ts";
import { type RequestRow, requestRows } from "../../src/protocol/generated/table.ts";
import { unservedMethods } from "../../src/server/connections/unserved-methods.ts";
import { THREAD_MEMBERS } from "../../src/server/connections/within-own-threads.ts";
import { type Message, opened, openHome, serve, tokenOf } from "../support/access-client.ts";
import { membersOf, sampleParams } from "../support/sample-params.ts";

const CONFIG = '[access]\nthreads = "own"\n';
const SCOPES = "read answer operate";
const rows = Object.entries(requestRows);

/** Words of ana's that no answer to anybody else may contain. */
const WORDS = /anaconda/iu;

type Client = Awaited<ReturnType<typeof opened>>;

async function result<T = Record<string, unknown>>(client: Client, method: string, params: object) {
  const answer = await client.call(method, params);
  if (answer.error !== undefined) throw new Error(`${method}: ${answer.error.message}`);
  return answer.result as T;
}

interface Work {
  readonly threadId: string;
  readonly approvalId: string;
  readonly scheduleId: string;
}

/** A thread with a turn, a question, a queue and a schedule. */
async function createWork(client: Client, word: string): Promise<Work> {
  const { thread } = await result<{ thread: { id: string } }>(client, "thread/start", {
    approvalPolicy: "untrusted",
  });
  const threadId = thread.id;
  await result(client, "thread/name/set", { threadId, name: `${word} name` });
  await result(client, "approval/list", { subscribe: true });
  await result(client, "queue/list", { subscribe: true });
  await result(client, "turn/start", { threadId, input: [{ type: "text", text: `run touch ${word}` }] });
  const question = await noticeOf(client, "approval/changed", (text) => text.includes(threadId));
  const { id: approvalId } = (question.params as { approval: { id: string } }).approval;
  await result(client, "thread/queue/pause", { threadId });
  const input = [{ type: "text", text: `${word} later` }];
  await result(client, "thread/queue/add", { threadId, input, clientUserMessageId: word });
  const { schedule } = await result<{ schedule: { id: string } }>(client, "schedule/create", {
    name: `${word} schedule`,
    schedule: { type: "cron", expression: "0 3 * * *", timeZone: "UTC" },
    target: { type: "thread", threadId },
    input,
  });
  return { threadId, approvalId, scheduleId: schedule.id };
}

async function noticeOf(
  client: Client,
  method: string,
  matches: (text: string) => boolean,
): Promise<Message> {
  let found: Message | undefined;
  await expect
    .poll(() => {
      found = client.notices.find((each) => each.method === method && matches(JSON.stringify(each)));
      return found;
    })
    .toBeDefined();
  return found as Message;
}

/** The params with which a method could reach the work of somebody else: with its ids, and with as little as possible. */
function attempts(
  method: string,
  { params }: RequestRow,
  { threadId, approvalId, scheduleId }: Work,
): object[] {
  if (params === null) return [{}];
  const few = {
    scheduleId,
    ...(method === "approval/answer" && { id: approvalId, decision: "accept" }),
    ...(method === "usage/summary" && { from: "2026-01-01", to: "2026-12-31" }),
    input: [{ type: "text", text: "hello" }],
    searchTerm: "conda",
    limit: 100,
  };
  const named = Object.fromEntries([...THREAD_MEMBERS].map((name) => [name, threadId]));
  return [sampleParams(params, few), sampleParams(params, { ...few, ...named })] as object[];
}

const isReached = ([method, { scope }]: [string, RequestRow]): boolean =>
  scope !== "admin" && method !== "initialize" && !Object.hasOwn(unservedMethods, method);

test("no method, list or notification shows the threads of somebody else", async () => {
  const home = await openHome(CONFIG);
  const { host } = await serve(home);
  const [ana, ben] = [
    await opened(host, { authorization: tokenOf(SCOPES, "ana") }),
    await opened(host, { authorization: tokenOf(SCOPES, "ben") }),
  ];
  for (const method of ["approval/list", "queue/list"]) await result(ben, method, { subscribe: true });
  const work = await createWork(ana, "anaconda");
  const { threadId } = work;

  const codes: unknown[] = [];
  for (const [method, row] of rows.filter(isReached)) {
    for (const params of attempts(method, row, work)) {
      const { error, result: value } = await ben.call(method, params);
      codes.push(error?.code);
      const text = JSON.stringify(error === undefined ? value : error.message);
      expect.soft(text, method).not.toMatch(WORDS);
      if (error === undefined) expect.soft(text, method).not.toContain(threadId);
      if (Object.values(work).some((id) => JSON.stringify(params).includes(id)))
        expect.soft([method, error?.message ?? ""]).toEqual([method, expect.stringMatching(NOT_THERE)]);
    }
  }
  // No row refused its params.
  expect(codes).not.toContain(errorCodes.invalidParams);
  expect(JSON.stringify(ben.notices)).not.toMatch(WORDS);
  expect(JSON.stringify(ben.notices)).not.toContain(threadId);
  const events = await fetch(`http://${host}/threads/${threadId}/events?offset=-1`, {
    headers: { authorization: tokenOf(SCOPES, "ben") },
  });
  expect(events.status).toBe(404);

  // The work is untouched, and its owner sees all of it.
  for (const [method, params] of [
    ["thread/list", {}],
    ["thread/search", { searchTerm: "anaconda" }],
    ["thread/loaded/list", {}],
    ["approval/list", {}],
    ["decision/list", {}],
    ["queue/list", {}],
    ["schedule/list", {}],
    ["thread/read", { threadId, includeTurns: true }],
  ] as const)
    expect.soft(JSON.stringify(await result(ana, method, params)), method).toContain(threadId);
  expect(ana.notices.map(({ method }) => method)).toEqual(
    expect.arrayContaining(["thread/started", "thread/name/updated", "approval/changed", "schedule/changed"]),
  );
});

const NOT_THERE = /thread not found|there is no (schedule|question)/u;

test("an administrator and a client without a limit see all threads", async () => {
  const home = await openHome(CONFIG);
  const { host, ticket } = await serve(home);
  const ana = await opened(host, { authorization: tokenOf(SCOPES, "ana") });
  const { threadId } = await createWork(ana, "anaconda");
  const admin = await opened(host, { authorization: tokenOf(`${SCOPES} admin`, "root") });
  expect(JSON.stringify(await result(admin, "thread/list", {}))).toContain(threadId);
  expect(ticket).not.toBe("");
});

test("a token without a subject has no threads, and a fork belongs to whoever made it", async () => {
  const home = await openHome(CONFIG);
  const { host } = await serve(home);
  const nobody = await opened(host, { authorization: tokenOf(SCOPES, null) });
  expect((await nobody.call("thread/start", {})).error?.message).toContain("this token names nobody");
  expect(await result(nobody, "thread/list", {})).toMatchObject({ data: [] });
  expect(await result(nobody, "thread/search", { searchTerm: "a" })).toMatchObject({ data: [] });
  expect(await result(nobody, "schedule/list", {})).toMatchObject({ data: [] });

  const ana = await opened(host, { authorization: tokenOf(SCOPES, "ana") });
  const { thread } = await result<{ thread: { id: string; owner: string } }>(ana, "thread/start", {});
  expect(thread.owner).toBe("ana");
  await result(ana, "turn/start", { threadId: thread.id, input: [{ type: "text", text: "hello" }] });
  await noticeOf(ana, "turn/completed", (text) => text.includes(thread.id));
  const fork = await result<{ thread: { id: string; owner: string } }>(ana, "thread/fork", {
    threadId: thread.id,
  });
  expect(fork.thread.owner).toBe("ana");
  const read = await result<{ thread: { turns: { items: object[] }[] } }>(ana, "thread/read", {
    threadId: thread.id,
    includeTurns: true,
  });
  expect(read.thread.turns[0]?.items[0]).toMatchObject({ type: "userMessage", sentBy: "ana" });
});

test("every member of params that names a thread is one that is checked", () => {
  const names = rows.flatMap(([method, { params }]) =>
    params === null
      ? []
      : membersOf(params)
          .filter(({ name }) => /thread_?ids?$|conversationId/iu.test(name))
          .map(({ name, depth }) => ({ method, name, depth })),
  );
  const unchecked = names.filter(({ name, depth }) => !THREAD_MEMBERS.has(name) || depth > 1);
  // Threads that a list leaves out.
  expect(unchecked).toEqual([{ method: "thread/list", name: "excludedThreadIds", depth: 0 }]);
  expect(names.length).toBeGreaterThan(50);
});

test("the audit log has what clients with a token changed, each for whom it concerns", async () => {
  const home = await openHome(CONFIG);
  const { host } = await serve(home);
  const ana = await opened(host, { authorization: tokenOf(SCOPES, "ana") });
  const root = await opened(host, { authorization: tokenOf(`${SCOPES} admin`, "root") });
  const { threadId, scheduleId } = await createWork(ana, "anaconda");
  await result(root, "thread/queue/resume", { threadId });
  const trust = { keyPath: "hooks.state", value: { "hooks.json:stop:0": { trusted_hash: "x" } } };
  await result(root, "config/batchWrite", { edits: [{ ...trust, mergeStrategy: "upsert" }] });
  const listed = async (client: Client, params: object = {}) =>
    (await result<{ data: Record<string, unknown>[] }>(client, "audit/list", params)).data.map(
      ({ subject, method, threadId: id, detail }) => [subject, method, id, detail],
    );
  const own = [
    ["root", "thread/queue/resume", threadId, null],
    ["ana", "schedule/create", null, "anaconda schedule"],
    ["ana", "thread/queue/pause", threadId, null],
  ];
  expect(await listed(ana)).toEqual(own);
  expect(await listed(root)).toEqual([
    ["root", "config/batchWrite", null, "hooks.state hooks.json:stop:0 trusted_hash"],
    ...own,
  ]);
  expect(await listed(root, { text: "stop:0" })).toHaveLength(1);
  expect(scheduleId).not.toBe("");
  const queues = await result<{ data: object[] }>(ana, "queue/list", {});
  expect(queues.data[0]).toMatchObject({ lastChange: { subject: "root", method: "thread/queue/resume" } });
  const ben = await opened(host, { authorization: tokenOf(SCOPES, "ben") });
  expect(await listed(ben)).toEqual([]);
});
