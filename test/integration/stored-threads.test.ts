/** Threads that outlive their server: listed, read, archived, restored and deleted. */
import { copyFileSync, existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { createHeddle } from "../../src/index.ts";
import type { ServerNotifications } from "../../src/protocol/index.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";

async function createHome(): Promise<TempHome> {
  const folders = await createTempHome({ config: "" });
  onTestFinished(() => folders.remove());
  return folders;
}

async function start(folders: TempHome) {
  const env = { HOME: folders.user };
  const heddle = await createHeddle({ home: folders.home, cwd: folders.workspace, env });
  onTestFinished(() => heddle.close());
  const client = await heddle.connect({ capabilities: { experimentalApi: true } });
  const received: string[] = [];
  const note = <M extends keyof ServerNotifications>(
    method: M,
    show: (params: ServerNotifications[M]) => string = () => "",
  ) => client.on(method, (params) => received.push(`${method} ${show(params)}`.trim()));
  note("thread/status/changed", ({ status }) => status.type);
  note("turn/completed", ({ turn }) => turn.status);
  note("thread/archived");
  note("thread/unarchived");
  note("thread/deleted");
  note("thread/reverted");
  note("thread/closed");
  note("thread/name/updated", ({ threadName }) => threadName ?? "");
  note("thread/goal/updated", ({ goal }) => goal.status);
  note("deprecationNotice");
  const say = (threadId: string, text: string) =>
    client.runTurn({ threadId, input: [{ type: "text", text }] });
  const create = async (...texts: readonly string[]) => {
    const { thread } = await client.thread.start({});
    const turns: string[] = [];
    for (const text of texts) turns.push((await say(thread.id, text)).id);
    received.length = 0;
    return { threadId: thread.id, turns };
  };
  return { heddle, client, received, say, create };
}

test("a thread whose file sandboxed commands can write is not gone on with", async () => {
  const folders = await createHome();
  const first = await start(folders);
  const { threadId } = await first.create("Hello");
  const { thread } = await first.client.thread.read({ threadId });
  const path = join(folders.workspace, basename(thread.path ?? ""));
  copyFileSync(thread.path ?? "", path);
  await first.client.thread.delete({ threadId });
  await first.heddle.close();
  mkdirSync(join(folders.home, "sandbox"), { recursive: true });
  const place = JSON.stringify({ roots: [folders.workspace], kept: [] });
  writeFileSync(join(folders.home, "sandbox", "writable-places.jsonl"), `${place}\n`);

  const { client } = await start(folders);
  await expect(client.thread.resume({ threadId, path })).rejects.toThrow(
    `${path} lies where sandboxed commands can write, so one of them may have written it: move it elsewhere`,
  );
});

describe("a thread", () => {
  test("is listed, read, paged through and found by the next server", async () => {
    const folders = await createHome();
    const first = await start(folders);
    const { threadId, turns } = await first.create("Remember the needle", "And go on");
    await first.client.thread.name.set({ threadId, name: "  Kept " });
    await first.client.thread.goal.set({ threadId, objective: "Ship it", status: "paused" });
    await first.heddle.close();

    const { client, received } = await start(folders);
    const { data, readStates } = await client.thread.list({});
    expect(data.map(({ id, name, preview, status }) => ({ id, name, preview, status }))).toEqual([
      { id: threadId, name: "Kept", preview: "Remember the needle", status: { type: "notLoaded" } },
    ]);
    expect(readStates?.[threadId]?.firstUnread).toEqual({ type: "turn", turnId: turns[0] });
    const read = await client.thread.read({ threadId, includeTurns: true });
    expect(read.thread.turns.map(({ id, status }) => [id, status])).toEqual(
      turns.map((id) => [id, "completed"]),
    );
    expect(received).toEqual(["deprecationNotice"]);
    const page = await client.thread.turns.list({ threadId, limit: 1 });
    expect(page.data.map(({ id }) => id)).toEqual([turns[1]]);
    const items = await client.thread.items.list({ threadId, turnId: turns[0] ?? null });
    expect(items.data[0]?.item).toMatchObject({ type: "userMessage" });
    const timeline = await client.thread.timeline.list({ threadId, limit: 1 });
    expect(timeline.data.map(({ type, turnId }) => [type, turnId])).toEqual([["turnCompleted", turns[1]]]);
    const found = await client.thread.search({ searchTerm: "NEEDLE" });
    expect(found.data.map(({ thread, snippet }) => [thread.id, snippet])).toEqual([
      [threadId, "Remember the needle"],
    ]);
    const { goal } = await client.thread.goal.get({ threadId });
    expect(goal).toMatchObject({ objective: "Ship it", status: "paused", tokensUsed: 0 });
    const { summary } = await client.request("getConversationSummary", { conversationId: threadId });
    expect(summary).toMatchObject({
      conversationId: threadId,
      preview: "Remember the needle",
      source: "vscode",
    });
    const byPath = await client.request("getConversationSummary", { rolloutPath: summary.path });
    expect(byPath.summary).toEqual(summary);
  });

  test("that is archived while it runs ends its turn first, and comes back", async () => {
    const { client, received, create } = await start(await createHome());
    const { threadId } = await create("Hello");
    await client.turn.start({ threadId, input: [{ type: "text", text: "slow" }] });
    await client.thread.archive({ threadId });
    await client.thread.loaded.list({});
    expect(received).toEqual([
      "thread/status/changed active",
      "thread/status/changed idle",
      "turn/completed interrupted",
      "thread/status/changed notLoaded",
      "thread/archived",
    ]);
    const ids = async (archived: boolean) =>
      (await client.thread.list({ archived })).data.map(({ id }) => id);
    expect([await ids(false), await ids(true)]).toEqual([[], [threadId]]);
    await client.thread.unarchive({ threadId });
    expect([await ids(false), await ids(true)]).toEqual([[threadId], []]);
    const { thread } = await client.thread.resume({ threadId, excludeTurns: true });
    expect(thread.status).toEqual({ type: "idle" });
  });

  test("that is deleted leaves no file behind", async () => {
    const folders = await createHome();
    const { client, received, create } = await start(folders);
    const { threadId } = await create("Hello");
    const { thread } = await client.thread.read({ threadId });
    expect(existsSync(thread.path ?? "")).toBe(true);
    await client.thread.delete({ threadId });
    await expect(client.thread.read({ threadId })).rejects.toThrow(`thread not loaded: ${threadId}`);
    expect(received).toEqual(["thread/status/changed notLoaded", "thread/deleted"]);
    const files = readdirSync(join(folders.home, "sessions"), { recursive: true, encoding: "utf8" });
    expect(files.filter((name) => name.endsWith(".jsonl"))).toEqual([]);
  });

  test("that goes back to a turn goes on from there, also after a restart", async () => {
    const folders = await createHome();
    const first = await start(folders);
    const { threadId, turns } = await first.create("One", "Two");
    const { thread } = await first.client.thread.revert({ threadId, beforeTurnId: turns[1] ?? "" });
    expect([thread.status, thread.turns]).toEqual([{ type: "idle" }, []]);
    const third = await first.say(threadId, "Three");
    expect(first.received.slice(0, 3)).toEqual([
      "thread/status/changed notLoaded",
      "thread/status/changed idle",
      "thread/reverted",
    ]);
    await first.heddle.close();
    const { client } = await start(folders);
    const { data } = await client.thread.turns.list({ threadId, sortDirection: "asc" });
    expect(data.map(({ id }) => id)).toEqual([turns[0], third.id]);
  });
});

describe("what a user has read", () => {
  test("is kept with its revision, and a stale revision is told the state", async () => {
    const folders = await createHome();
    const first = await start(folders);
    const { threadId } = await first.create("Hello");
    const { readState } = await first.client.thread.read({ threadId });
    const expectedRevision = readState?.revision ?? "";
    const operation = { type: "read" as const };
    const marked = await first.client.thread.readState.update({ threadId, operation, expectedRevision });
    await expect(
      first.client.thread.readState.update({ threadId, operation, expectedRevision }),
    ).rejects.toMatchObject({ data: { reason: "readStateConflict", readState: marked.readState } });
    await first.heddle.close();
    const { client, say } = await start(folders);
    expect((await client.thread.read({ threadId })).readState).toEqual(marked.readState);
    await client.thread.resume({ threadId, excludeTurns: true });
    const turn = await say(threadId, "Again");
    expect((await client.thread.read({ threadId })).readState?.firstUnread).toEqual({
      type: "turn",
      turnId: turn.id,
    });
  });
});

describe("a goal", () => {
  test("that a thread begins with makes the thread one that lasts and is listed by it", async () => {
    const folders = await createHome();
    const first = await start(folders);
    const { threadId } = await first.create();
    await first.client.thread.goal.set({ threadId, objective: "Ship it", status: "paused" });
    await first.client.thread.loaded.list({});
    expect(first.received).toEqual(["thread/goal/updated paused"]);
    await first.heddle.close();
    const { client } = await start(folders);
    const { data } = await client.thread.list({});
    expect(data.map(({ id, preview }) => [id, preview])).toEqual([[threadId, "Ship it"]]);
    expect(await client.thread.goal.clear({ threadId })).toEqual({ cleared: true });
    expect(await client.thread.goal.get({ threadId })).toEqual({ goal: null });
  });

  test("needs the feature", async () => {
    const folders = await createTempHome({ config: "[features]\ngoals = false\n" });
    onTestFinished(() => folders.remove());
    const { client, create } = await start(folders);
    const { threadId } = await create();
    await expect(client.thread.goal.get({ threadId })).rejects.toThrow("goals feature is disabled");
  });
});
