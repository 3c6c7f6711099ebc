/**
 * A runtime without clients: threads are created, turns run, and threads are spawned through the thread
 * service alone.
 */
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../src/base/clock.ts";
import { createLanes } from "../../src/base/lanes.ts";
import { silentLogger } from "../../src/base/logger.ts";
import { isRefusal } from "../../src/base/refusal.ts";
import { createDeferred } from "../../src/base/tasks.ts";
import { createUuidSource } from "../../src/base/uuid.ts";
import { NO_FOLLOWERS } from "../../src/engine/history/durable-events.ts";
import type { Thread } from "../../src/engine/thread-options.ts";
import type { ModelFunction } from "../../src/model/custom/custom-model.ts";
import { openConfigSource } from "../../src/runtime/configuration/config-source.ts";
import { createIdentity } from "../../src/runtime/configuration/identity.ts";
import { orThrow } from "../../src/runtime/configuration/thread-refusal.ts";
import { createRuntime, type Runtime } from "../../src/runtime/open-runtime.ts";
import { createProviderModels } from "../../src/runtime/setup/provider-models.ts";
import type { StartOptions } from "../../src/runtime/threads/turns.ts";
import { NO_EXTENSIONS } from "../../src/tools/mcp/client-extensions.ts";
import { createTempHome } from "../support/temp-home.ts";

async function openRuntime(model: ModelFunction = () => "Done", onFirstUse = () => {}) {
  const folders = await createTempHome();
  onTestFinished(() => folders.remove());
  const { home, workspace: cwd, user: userHome } = folders;
  const env = { HEDDLE_HOME: home, HOME: userHome, PATH: process.env["PATH"] };
  const createId = createUuidSource(systemClock);
  const host = { env, cwd, userHome, clock: systemClock, createId, log: silentLogger };
  const origin = { env, cwd, flags: {}, profile: null, strictConfig: false };
  const requests: Parameters<ModelFunction>[0][] = [];
  const deps = { env, clock: systemClock, log: silentLogger, random: Math.random, refuseProgram: () => null };
  const models = createProviderModels(deps, (request, signal) => {
    requests.push(request);
    return model(request, signal);
  });
  const runtime = createRuntime({
    host,
    config: await openConfigSource({ ...origin, userHome, createId }),
    identity: createIdentity(env),
    models,
    lanes: createLanes(),
    observers: { observerOf: () => ({ wants: () => false, notify() {} }), forget() {} },
    storeAddress: home,
    hidden: { secretFiles: [], ports: [] },
    limits: () => ({ idleThreadMs: 60_000 }),
    followers: NO_FOLLOWERS,
    emit() {},
    clients: {
      open: () => ({
        id: "nobody",
        answer: Promise.resolve({ kind: "unanswered", reason: "there are no clients" }),
        withdraw() {},
      }),
    },
    subscribers: { of: () => new Set(), ofFamily: () => new Set() },
    onEvent() {},
    random: Math.random,
    onWebhookAttempt() {},
    asksAfterRestart: false,
    observe: (decisions) => decisions,
    onFirstUse,
  });
  onTestFinished(async () => {
    await runtime.lifetimes.close();
    await runtime.deps.engine.close();
    await runtime.stopJobs();
    await runtime.close();
  });
  const warnings: string[] = [];
  const client = {
    subject: null,
    extensions: NO_EXTENSIONS,
    warn: (warning: { summary: string }) => void warnings.push(warning.summary),
  };
  return { runtime, cwd, requests, warnings, client };
}

const say = (text: string) => [{ type: "text" as const, text, text_elements: [] }];

/** Starts and begins a turn in the lane of its thread, as every caller does. */
const start = ({ threads }: Runtime, threadId: string, text: string, options: StartOptions = {}) =>
  threads.withLane(threadId, async (held) => {
    const turn = orThrow(await threads.startTurn(held, { input: say(text) }, options));
    turn.begin();
    return turn.value;
  });

async function createParent(runtime: Runtime, cwd: string): Promise<Thread> {
  const params = { cwd, sandbox: "workspace-write" as const, approvalPolicy: "on-request" as const };
  const created = orThrow(
    await runtime.threads.create(params, { subject: null, extensions: NO_EXTENSIONS, warn() {} }),
  );
  created.begin();
  return created.value;
}

test("a store that is opened in idle time counts as used with its first use", async () => {
  let uses = 0;
  const { runtime } = await openRuntime(undefined, () => (uses += 1));
  for (const step of runtime.idleSteps.beforeThreads) await step();
  expect([uses, (await runtime.deps.store.peek()) !== null]).toEqual([0, true]);
  await runtime.deps.store.get();
  await runtime.deps.store.get();
  expect(uses).toBe(1);
});

test("a turn runs and is stored without a client", async () => {
  const { runtime, cwd } = await openRuntime();
  const thread = await createParent(runtime, cwd);
  const turn = await start(runtime, thread.id, "Go");
  await thread.whenIdle();
  const { threads } = await runtime.deps.store.get();
  const page = await threads.turns(thread.id, { direction: "asc" });
  expect(page).toMatchObject({ data: [{ id: turn.id, status: "completed" }] });
});

test("a spawned thread has a parent, its turn's settings, and never more rights", async () => {
  const { runtime, cwd, requests } = await openRuntime();
  const { threads } = runtime;
  const parent = await createParent(runtime, cwd);
  const root = await start(runtime, parent.id, "Delegate");
  await parent.whenIdle();

  const child = orThrow(
    await threads.spawn(parent.id, { nickname: "Ada", overrides: { model: "other" } }),
  ).value;
  expect(child.view()).toMatchObject({
    parentThreadId: parent.id,
    sessionId: parent.id,
    threadSource: "subagent",
    agentNickname: "Ada",
    source: { subAgent: { thread_spawn: { parent_thread_id: parent.id, depth: 1 } } },
  });
  expect(child.settings).toEqual({ ...parent.settings, model: "other" });

  const origin = { kind: "agent", rootTurnId: root.id, parentTurnId: root.id } as const;
  const turn = await start(runtime, child.id, "Task", { origin });
  await child.whenIdle();
  expect(turn.rootTurnId).toBe(root.id);
  const sent = requests.at(-1);
  expect(sent?.clientMetadata).toMatchObject({
    thread_id: child.id,
    root_turn_id: root.id,
    session_id: parent.id,
  });
  expect(JSON.parse(sent?.clientMetadata?.["x-codex-turn-metadata"] ?? "{}")).toMatchObject({
    parent_thread_id: parent.id,
    parent_turn_id: root.id,
    subagent_kind: "thread_spawn",
  });
  const store = await runtime.deps.store.get();
  const stored = await store.threads.turns(child.id, { direction: "asc" });
  expect(stored).toMatchObject({ data: [{ id: turn.id, rootTurnId: root.id, status: "completed" }] });
  expect((await store.threads.read(child.id))?.facts).toMatchObject({ parentThreadId: parent.id });

  const free = { sandboxPolicy: { type: "dangerFullAccess" as const } };
  expect(await threads.spawn(parent.id, { overrides: free })).toMatchObject({
    kind: "refused",
    message: expect.stringContaining("exceeds that of the parent thread"),
  });
  const raised = await threads.withLane(child.id, (held) => threads.changeSettings(held, free));
  expect(raised).toMatchObject({ kind: "refused", message: expect.stringContaining("exceeds") });
});

test("a spawned thread keeps its ceiling when it is loaded again, whatever a client asks for", async () => {
  const { runtime, cwd, warnings, client } = await openRuntime();
  const { threads, deps } = runtime;
  const parent = await createParent(runtime, cwd);
  const child = orThrow(await threads.spawn(parent.id)).value;
  await start(runtime, child.id, "Task");
  await child.whenIdle();
  await deps.engine.release(child.id);
  const again = await threads.withLane(child.id, (held) =>
    threads.resume(
      held,
      { sandbox: "danger-full-access", approvalPolicy: "never" },
      { takeOver: false, client },
    ),
  );
  const { value: thread } = orThrow(again);
  expect(thread.settings.sandbox.type).toBe("workspaceWrite");
  expect(thread.settings.approvalPolicy).toBe("on-request");
  expect(warnings).toEqual([expect.stringContaining("the thread has the rights of its parent")]);
  expect(thread.agent?.ceiling.writableRoots).toEqual([cwd]);
});

test("a thread that is spawned during a turn has the settings of that turn", async () => {
  const answer = createDeferred<string>();
  const { runtime, cwd } = await openRuntime(() => answer.promise);
  const { threads } = runtime;
  const parent = await createParent(runtime, cwd);
  await start(runtime, parent.id, "Delegate");
  const change = { sandboxPolicy: { type: "dangerFullAccess" as const }, cwd: join(cwd, "..") };
  orThrow(await threads.withLane(parent.id, (held) => threads.changeSettings(held, change))).begin();
  expect(parent.settings.sandbox.type).toBe("dangerFullAccess");
  const child = orThrow(await threads.spawn(parent.id)).value;
  expect([child.settings.sandbox.type, child.settings.cwd]).toEqual(["workspaceWrite", cwd]);
  answer.resolve("Done");
  await parent.whenIdle();
});

test("a thread that is not loaded spawns nothing", async () => {
  const { runtime } = await openRuntime();
  const outcome = await runtime.threads.spawn("01a1dea0-ad32-70b6-bb83-000000000000");
  expect(isRefusal(outcome) && outcome.reason).toBe("threadNotFound");
});
