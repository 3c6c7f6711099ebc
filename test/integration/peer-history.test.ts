/** Threads that Heddle writes and the real peer reads, and vice versa. */

import { existsSync } from "node:fs";
import { rm, utimes } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { createUuidSource } from "../../src/base/uuid.ts";
import type { HookRunSummary, ThreadItem, Turn } from "../../src/protocol/generated/types.ts";
import { openFileStore } from "../../src/store/files/open-file-store.ts";
import type { Journal } from "../../src/store/journal.ts";
import type { LineBody } from "../../src/store/lines/line.ts";
import {
  callsChanged,
  hookRan,
  inputSubmitted,
  responseItem,
  type ThreadOrigin,
  turnContext,
} from "../../src/store/lines/thread-lines.ts";
import { itemCompleted, taskComplete, taskStarted } from "../../src/store/lines/turn-lines.ts";
import { collectHome } from "../../src/store/open/collect-home.ts";
import type { ThreadStore } from "../../src/store/thread-store.ts";
import { ensurePeer, PEER_VERSION } from "../conformance/peer.ts";
import { makeHomesFolder } from "../support/homes-folder.ts";
import { modelConfig } from "../support/model-config.ts";
import { messageReply } from "../support/model-events.ts";
import type { RpcClient } from "../support/rpc-client.ts";
import { openScriptedModel } from "../support/scripted-model.ts";
import { startServer } from "../support/start-server.ts";
import { strictLogger } from "../support/strict-logger.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";

const CACHE = join(process.cwd(), ".cache");
const isHere = existsSync(join(CACHE, "peer", PEER_VERSION, "node_modules"));
const reason = isHere ? "" : " [needs the peer: run npm run conformance once]";
const SECOND = 1000;

interface Stage {
  readonly home: TempHome;
  /** Runs work with a peer, which is stopped afterwards. */
  withPeer<T>(work: (peer: RpcClient) => Promise<T>): Promise<T>;
  withHistory<T>(work: (history: ThreadStore) => Promise<T>): Promise<T>;
}

async function openStage(): Promise<Stage> {
  const { program } = await ensurePeer(CACHE, () => {});
  const folder = await makeHomesFolder();
  onTestFinished(() => rm(folder, { recursive: true, force: true, maxRetries: 12, retryDelay: 100 }));
  const replies = ["one", "two", "three", "four"].map((text, id) =>
    messageReply(`Answer ${text}`, { id: `${id}` }),
  );
  const model = await openScriptedModel(replies);
  onTestFinished(() => model.close());
  const home = await createTempHome({ under: folder, config: modelConfig(model.url) });
  return {
    home,
    async withPeer(work) {
      const server = await startServer({ home, program });
      try {
        const client = await server.connect();
        const capabilities = { experimentalApi: true };
        await client.result("initialize", {
          clientInfo: { name: "test", title: null, version: "1" },
          capabilities,
        });
        return await work(client);
      } finally {
        await server.stop();
      }
    },
    async withHistory(work) {
      const createId = createUuidSource(systemClock);
      const store = openFileStore({ home: home.home, clock: systemClock, log: strictLogger, createId });
      try {
        return await work(store.threads);
      } finally {
        await store.close();
      }
    },
  };
}

function originIn(home: TempHome): ThreadOrigin {
  return {
    threadId: createUuidSource(systemClock)(),
    cwd: home.workspace,
    workspaceRoots: [home.workspace],
    originator: "heddle",
    version: "1.0.0",
    source: "vscode",
    modelProvider: "mock",
    baseInstructions: "Be brief.",
  };
}

async function writeTurn(journal: Journal, home: TempHome, turnId: string, said: string): Promise<void> {
  const { threadId } = journal;
  const now = Math.floor(Date.now() / SECOND);
  const item = (each: ThreadItem): LineBody =>
    itemCompleted({ threadId, turnId, item: each, startedAtMs: now * SECOND, completedAtMs: now * SECOND });
  const message = (role: string, type: string, text: string) =>
    responseItem({ type: "message", role, content: [{ type, text }] } as { type: string });
  const user: ThreadItem = {
    type: "userMessage",
    id: `${turnId}-user`,
    clientId: null,
    content: [{ type: "text", text: said, text_elements: [] }],
  };
  const text = `You said: ${said}`;
  const quiet = { phase: null, memoryCitation: null, delivery: null, questions: null };
  const outcome = await journal.append([
    taskStarted({ turnId, startedAt: now, modelContextWindow: null, collaborationMode: "default" }),
    turnContext({
      turn_id: turnId,
      cwd: home.workspace,
      approval_policy: "never",
      sandbox_policy: { type: "read-only" },
      model: "mock-model",
      summary: "auto",
    }),
    message("user", "input_text", said),
    item(user),
    message("assistant", "output_text", text),
    item({ type: "agentMessage", id: `${turnId}-agent`, text, ...quiet }),
    taskComplete({ turnId, startedAt: now, completedAt: now, durationMs: 5, lastAgentMessage: text }),
  ]);
  expect(outcome.kind).toBe("kept");
}

async function runTurn(peer: RpcClient, threadId: string, text: string): Promise<void> {
  await peer.result("turn/start", { threadId, input: [{ type: "text", text, text_elements: [] }] });
  await peer.next({ method: "turn/completed", params: { threadId } });
}

interface Shown {
  readonly status: string;
  readonly texts: readonly string[];
}

function shown(turns: readonly Turn[]): Shown[] {
  return turns.map(({ status, items }) => ({ status, texts: items.map(textOf) }));
}

function textOf(item: ThreadItem): string {
  if (item.type === "agentMessage") return item.text;
  return item.type === "userMessage"
    ? item.content.map((part) => ("text" in part ? part.text : "")).join("")
    : item.type;
}

async function turnsOfPeer(peer: RpcClient, threadId: string): Promise<readonly Turn[]> {
  const answer = await peer.result("thread/turns/list", { threadId, sortDirection: "asc" });
  return (answer as { data: Turn[] }).data;
}

async function turnsOf(history: ThreadStore, threadId: string): Promise<readonly Turn[]> {
  const page = await history.turns(threadId, { direction: "asc" });
  if (page.kind === "refused") throw new Error(page.message);
  return page.data;
}

async function listedBy(peer: RpcClient): Promise<string[]> {
  const answer = (await peer.result("thread/list", { modelProviders: [] })) as { data: { id: string }[] };
  return answer.data.map(({ id }) => id).sort();
}

async function listed(history: ThreadStore): Promise<string[]> {
  const page = await history.list({ archived: false });
  if (page.kind === "refused") throw new Error(page.message);
  return page.data.map(({ threadId }) => threadId).sort();
}

async function ordinalsOf(history: ThreadStore, threadId: string): Promise<(number | undefined)[]> {
  const ordinals: (number | undefined)[] = [];
  for await (const { line } of history.lines(threadId)) ordinals.push(line.ordinal);
  return ordinals;
}

const HOOK_RUN: HookRunSummary = {
  id: "stop:0:/hooks.json",
  runId: "run",
  eventName: "stop",
  handlerType: "command",
  executionMode: "sync",
  scope: "turn",
  sourcePath: "/hooks.json",
  source: "user",
  displayOrder: 0,
  status: "blocked",
  statusMessage: null,
  startedAt: 1,
  completedAt: 2,
  durationMs: 1000,
  entries: [{ kind: "feedback", text: "go on" }],
};

describe.skipIf(!isHere)(`history shared with the peer${reason}`, () => {
  test("a thread that gc has packed is listed, read, unarchived and continued by the peer", {
    timeout: 120_000,
  }, async () => {
    const { home, withPeer, withHistory } = await openStage();
    const [old, young] = await withHistory(async (history) => {
      const made: string[] = [];
      for (const said of ["the old one", "the young one"]) {
        const journal = history.create(originIn(home));
        await writeTurn(journal, home, "turn-1", said);
        await journal.close();
        made.push(journal.threadId);
      }
      const location = (await history.read(made[0] ?? ""))?.location ?? "";
      await utimes(location, 1000, 1000);
      return [made[0] ?? "", made[1] ?? ""] as const;
    });
    const { applied } = await collectHome({
      where: home.home,
      limits: { maxAgeMs: 30 * 86_400_000, maxBytes: null },
      keepNamed: true,
      apply: true,
      clock: systemClock,
      log: strictLogger,
      createId: createUuidSource(systemClock),
    });
    expect(applied.map(({ fate, left }) => [fate.family.rootId, fate.kind, left])).toEqual([
      [old, "archive", null],
    ]);
    await withPeer(async (peer) => {
      expect(await listedBy(peer)).toEqual([young]);
      const archived = { modelProviders: [], archived: true };
      expect(await peer.result("thread/list", archived)).toMatchObject({ data: [{ id: old }] });
      expect(await peer.result("thread/read", { threadId: old })).toMatchObject({
        thread: { preview: "the old one" },
      });
      await peer.result("thread/unarchive", { threadId: old });
      await peer.result("thread/resume", { threadId: old });
      expect(shown(await turnsOfPeer(peer, old))).toMatchObject([
        { texts: ["the old one", "You said: the old one"] },
      ]);
      await runTurn(peer, old, "And on?");
      expect(await listedBy(peer)).toEqual([old, young].sort());
    });
    await withHistory(async (history) => {
      expect(shown(await turnsOf(history, old)).map(({ texts }) => texts[0])).toEqual([
        "the old one",
        "And on?",
      ]);
    });
  });

  test("a thread of Heddle is listed, read, resumed and forked by the peer", {
    timeout: 120_000,
  }, async () => {
    const stage = await openStage();
    const { threadId, fork } = await stage.withHistory(async (history) => {
      const journal = history.create(originIn(stage.home));
      await writeTurn(journal, stage.home, "turn-one", "first");
      await writeTurn(journal, stage.home, "turn-two", "second");
      const forked = await history.fork(
        journal.threadId,
        { kind: "through", turnId: "turn-one" },
        originIn(stage.home),
      );
      if (forked.kind === "refused") throw new Error(forked.message);
      await writeTurn(forked.journal, stage.home, "turn-fork", "elsewhere");
      return { threadId: journal.threadId, fork: forked.journal.threadId };
    });
    const peersFork = await stage.withPeer(async (peer) => {
      expect(await listedBy(peer)).toEqual([threadId, fork].sort());
      const read = (await peer.result("thread/read", { threadId })) as { thread: { preview: string } };
      expect(read.thread.preview).toBe("first");
      // The peer has pages of a thread and of the history that a fork shares with it only after it was
      // resumed.
      await peer.result("thread/resume", { threadId, excludeTurns: true });
      await peer.result("thread/resume", { threadId: fork, excludeTurns: true });
      expect(shown(await turnsOfPeer(peer, fork))).toEqual([
        { status: "completed", texts: ["first", "You said: first"] },
        { status: "completed", texts: ["elsewhere", "You said: elsewhere"] },
      ]);
      await runTurn(peer, threadId, "third");
      const forked = await peer.result("thread/fork", {
        threadId,
        excludeTurns: true,
        lastTurnId: "turn-two",
      });
      return (forked as { thread: { id: string } }).thread.id;
    });
    await stage.withHistory(async (history) => {
      // Lists show a fork only after its first message.
      expect(await listed(history)).toEqual([threadId, fork].sort());
      expect(shown(await turnsOf(history, threadId))).toEqual([
        { status: "completed", texts: ["first", "You said: first"] },
        { status: "completed", texts: ["second", "You said: second"] },
        { status: "completed", texts: ["third", "Answer one"] },
      ]);
      expect((await turnsOf(history, peersFork)).map(({ id }) => id)).toEqual(["turn-one", "turn-two"]);
    });
  });

  test("the peer passes over input that was submitted and never entered the history", {
    timeout: 120_000,
  }, async () => {
    const stage = await openStage();
    const threadId = await stage.withHistory(async (history) => {
      const journal = history.create(originIn(stage.home));
      await writeTurn(journal, stage.home, "turn-one", "first");
      const items = [{ type: "message", role: "user", content: [{ type: "input_text", text: "unheard" }] }];
      await journal.append([inputSubmitted({ id: "submitted", items, awaitingHooks: null })]);
      return journal.threadId;
    });
    await stage.withPeer(async (peer) => {
      await peer.result("thread/resume", { threadId, excludeTurns: true });
      await runTurn(peer, threadId, "second");
    });
    await stage.withHistory(async (history) => {
      const ordinals = await ordinalsOf(history, threadId);
      // A line that the peer did not understand would leave its number to the next one.
      expect(ordinals).toEqual(ordinals.map((_, index) => index));
      const opened = await history.open(threadId);
      const model = opened.kind === "open" ? await opened.model() : null;
      expect(JSON.stringify(model?.items)).not.toContain("unheard");
      expect(model?.submitted.map(({ id }) => id)).toEqual(["submitted"]);
    });
  });

  test("the peer passes over the runs of hooks, and goes on with what they made the model hear", {
    timeout: 120_000,
  }, async () => {
    const stage = await openStage();
    const threadId = await stage.withHistory(async (history) => {
      const journal = history.create(originIn(stage.home));
      await writeTurn(journal, stage.home, "turn-one", "first");
      await journal.append([hookRan("turn-one", HOOK_RUN)]);
      return journal.threadId;
    });
    await stage.withPeer(async (peer) => {
      await peer.result("thread/resume", { threadId, excludeTurns: true });
      await runTurn(peer, threadId, "second");
    });
    await stage.withHistory(async (history) => {
      const ordinals = await ordinalsOf(history, threadId);
      expect(ordinals).toEqual(ordinals.map((_, index) => index));
      const turns = await turnsOf(history, threadId);
      expect(turns.map(({ hookRuns }) => hookRuns)).toEqual([[HOOK_RUN], []]);
    });
  });

  test("the peer passes over what the calls of a turn that waits have done, and continues the thread", {
    timeout: 120_000,
  }, async () => {
    const stage = await openStage();
    const threadId = await stage.withHistory(async (history) => {
      const journal = history.create(originIn(stage.home));
      await writeTurn(journal, stage.home, "turn-one", "first");
      const turn = {
        turnId: "turn-two",
        rootTurnId: null,
        parentTurnId: null,
        startedAtMs: Date.now(),
        outputSchema: null,
        serviceTier: null,
      };
      const call = { type: "function_call", call_id: "call_1", name: "exec_command", arguments: "{}" };
      const waiting = {
        itemId: "call_1",
        call: { callId: "call_1", name: "exec_command", input: "{}" },
        preset: null,
        afterDenial: null,
      };
      const startedAt = Math.floor(Date.now() / 1000);
      await journal.append([
        taskStarted({
          turnId: "turn-two",
          startedAt,
          modelContextWindow: null,
          collaborationMode: "default",
        }),
        responseItem(call),
        callsChanged({
          turnId: "turn-two",
          turn,
          calls: [{ callId: "call_1", state: { kind: "waiting", waiting } }],
        }),
      ]);
      return journal.threadId;
    });
    await stage.withPeer(async (peer) => {
      expect(await listedBy(peer)).toEqual([threadId]);
      await peer.result("thread/resume", { threadId, excludeTurns: true });
      await runTurn(peer, threadId, "Continue");
    });
    await stage.withHistory(async (history) => {
      const ordinals = await ordinalsOf(history, threadId);
      expect(ordinals).toEqual(ordinals.map((_, index) => index));
      expect(shown(await turnsOf(history, threadId)).map(({ status }) => status)).toEqual([
        "completed",
        "interrupted",
        "completed",
      ]);
    });
  });

  test("a thread of the peer reads the same here, also after a fork and a revert", {
    timeout: 120_000,
  }, async () => {
    const stage = await openStage();
    const seenByPeer = await stage.withPeer(async (peer) => {
      const started = (await peer.result("thread/start", { historyMode: "paginated" })) as {
        thread: { id: string };
      };
      const { id } = started.thread;
      for (const text of ["first", "second", "third"]) await runTurn(peer, id, text);
      const turns = await turnsOfPeer(peer, id);
      const taken = await stage.withHistory((history) => history.open(id));
      expect(taken).toMatchObject({ message: `thread ${id} already has an active writer` });
      await peer.result("thread/name/set", { threadId: id, name: "Named by the peer" });
      const forked = await peer.result("thread/fork", {
        threadId: id,
        excludeTurns: true,
        lastTurnId: turns[1]?.id,
      });
      await peer.result("thread/revert", { threadId: id, beforeTurnId: turns[1]?.id });
      await runTurn(peer, id, "again");
      const fork = (forked as { thread: { id: string } }).thread.id;
      const list = (await peer.result("thread/list", { useStateDbOnly: true })) as {
        data: { id: string; preview: string; name: string }[];
      };
      return {
        id,
        fork,
        turns: await turnsOfPeer(peer, id),
        forkTurns: await turnsOfPeer(peer, fork),
        list: list.data,
      };
    });
    await stage.withHistory(async (history) => {
      const own = (turns: readonly Turn[]) => turns.map(({ hookRuns: _runs, ...turn }) => turn);
      expect(own(await turnsOf(history, seenByPeer.id))).toEqual(seenByPeer.turns);
      expect(own(await turnsOf(history, seenByPeer.fork))).toEqual(seenByPeer.forkTurns);
      const page = await history.list({ archived: false });
      if (page.kind === "refused") throw new Error(page.message);
      expect(
        page.data.map(({ threadId, facts, details }) => [threadId, facts.preview, details.name]),
      ).toEqual(seenByPeer.list.map(({ id, preview, name }) => [id, preview, name]));
      const opened = await history.open(seenByPeer.id);
      expect(opened.kind === "open" && (await opened.model()).items.length).toBeGreaterThan(4);
    });
  });
});
