/** Random sequences of thread operations, checked against invariants. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { createDeferred, type Deferred } from "../base/tasks.ts";
import type { ModelEvent, ModelRequest } from "../model/model.ts";
import type { ResponseItem, ThreadStatus, Turn, TurnError } from "../protocol/generated/types.ts";
import type { PlainTool as Tool } from "../tools/plain-tool.fixture.ts";
import { createManualModel } from "./manual-model.fixture.ts";
import { callEvent, completed, messageEvents } from "./scripted-model.fixture.ts";
import type { Accepted } from "./state/accepted.ts";
import { contextWith, startThread } from "./thread.fixture.ts";
import { NO_TURN_OPTIONS } from "./turn/submission.ts";

const LIMIT = 1000;
const FAILURE: TurnError = {
  message: "no",
  codexErrorInfo: null,
  additionalDetails: null,
  misalignment: null,
};

/** The end of a response that fills the context window. */
const full: ModelEvent = {
  type: "completed",
  responseId: "r",
  usage: {
    totalTokens: LIMIT,
    inputTokens: LIMIT,
    cachedInputTokens: 0,
    cacheWriteInputTokens: 0,
    outputTokens: 0,
    reasoningOutputTokens: 0,
  },
  endTurn: null,
};

const STEPS = [
  "start",
  "steer",
  "interrupt",
  "toolEnds",
  "says",
  "calls",
  "callsTwice",
  "fails",
  "retries",
  "fills",
  "settings",
  "compact",
  "shell",
  "shellEnds",
  "inject",
] as const;

/** More weight for these, because a thread would be idle most of the time without them. */
const OFTEN = ["start", "start", "start", "fills", "interrupt"] as const;

type Step = (typeof STEPS)[number];

interface Move {
  readonly step: Step;
  /** Whether all pending work finishes before the next operation. */
  readonly settles: boolean;
}

const moves: fc.Arbitrary<Move[]> = fc.array(
  fc.record({ step: fc.constantFrom(...STEPS, ...OFTEN), settles: fc.boolean() }),
  { minLength: 1, maxLength: 40 },
);

const settle = () => new Promise((resolve) => setImmediate(resolve));

function createWorld() {
  const model = createManualModel();
  const runningTools: Deferred<void>[] = [];
  const runningShells: Deferred<void>[] = [];
  const tool: Tool = {
    name: "work",
    spec: { type: "function", name: "work" },
    parallel: true,
    async run({ callId }) {
      const deferred = createDeferred<void>();
      runningTools.push(deferred);
      await deferred.promise;
      return { output: `done ${callId}`, success: true };
    },
  };
  const world = startThread([], [tool], {
    info: { autoCompactTokenLimit: LIMIT },
    setup: {
      model,
      context: async () => contextWith({ rules: { permissions: "rules" } }),
      async runUserShell({ command }) {
        const deferred = createDeferred<void>();
        runningShells.push(deferred);
        await deferred.promise;
        const record = `<user_shell_command>${command}</user_shell_command>`;
        return { exitCode: 0, output: "", durationMs: 0, record };
      },
    },
    setupFor: ({ effort }) => ({
      context: async () => contextWith({ rules: { permissions: `rules for ${effort}` } }),
    }),
  });
  return {
    ...world,
    model,
    runningTools,
    runningShells,
    accepted: [] as string[],
    said: [] as string[],
  };
}

type World = ReturnType<typeof createWorld>;

/** The operations; one that does not apply in the current state does nothing. */
function createMoves(world: World): Record<Step, () => Promise<void> | void> {
  const { thread, model, accepted, runningTools, runningShells } = world;
  let count = 0;
  const next = (what: string) => `${what} ${++count}`;
  const open = async (opening: Promise<Accepted<Turn>>) => {
    const { value, begin } = await opening;
    accepted.push(value.id);
    begin();
  };
  const answer = (...events: ModelEvent[]) => model.open?.send(...events);
  return {
    async start() {
      if (thread.activeTurnId !== null) {
        await expect(
          thread.accept({ kind: "user", message: world.say("no"), options: NO_TURN_OPTIONS }),
        ).rejects.toThrow("already has turn");
        return;
      }
      const text = next("start");
      const opening = thread.accept({ kind: "user", message: world.say(text), options: NO_TURN_OPTIONS });
      await open(opening);
      world.said.push(text);
    },
    async steer() {
      if (thread.activeKind !== "user" && thread.activeKind !== "shell") return;
      const text = next("steer");
      world.said.push(text);
      (await thread.steer(world.say(text))).begin();
    },
    // The caller sends its response before the end of the turn is published.
    interrupt: () => void thread.interrupt().then(({ begin }) => setImmediate(begin)),
    toolEnds: () => runningTools.shift()?.resolve(),
    says: () => answer(...messageEvents(next("m"), "words"), completed),
    calls: () => answer(callEvent(next("c"), "work", {}), completed),
    callsTwice: () => answer(callEvent(next("c"), "work", {}), callEvent(next("c"), "nobody", {}), completed),
    fails: () => answer({ type: "failed", error: FAILURE }),
    retries: () =>
      answer(...messageEvents(next("lost"), "lost"), callEvent(next("lost"), "work", {}), {
        type: "retrying",
        attempt: 1,
        max: 5,
        delayMs: 1,
        error: FAILURE,
      }),
    fills: () => answer(...messageEvents(next("m"), "long"), full),
    async settings() {
      (await thread.changeSettings({ effort: count++ % 2 === 0 ? "low" : "high" })).begin();
    },
    async compact() {
      if (thread.activeTurnId === null) await open(thread.accept({ kind: "compact" }));
    },
    async shell() {
      const isIdle = thread.activeTurnId === null;
      const { begin } = await thread.acceptShellCommand({ command: next("shell"), timeoutMs: null });
      if (isIdle && thread.activeTurnId !== null) accepted.push(thread.activeTurnId);
      begin();
    },
    shellEnds: () => runningShells.shift()?.resolve(),
    async inject() {
      const text = next("injected");
      await thread.inject([userText(text)]);
      world.said.push(text);
    },
  };
}

function userText(text: string): ResponseItem {
  return { type: "message", role: "user", content: [{ type: "input_text", text }] };
}

/** Finishes all open work until the thread is idle. */
async function finish({ thread, model, runningTools, runningShells }: World): Promise<void> {
  while (thread.activeTurnId !== null || runningShells.length > 0) {
    for (const each of [...runningTools.splice(0), ...runningShells.splice(0)]) each.resolve();
    model.open?.send(...messageEvents("last", "words"), completed);
    await settle();
  }
}

interface TurnNotice {
  readonly turn: { readonly id: string; readonly status: string };
}

/** One turn runs at a time, and each accepted turn begins once and ends once. */
function checkTurns({ seen, accepted }: World): void {
  const life = seen
    .filter(({ method }) => method === "turn/started" || method === "turn/completed")
    .map(({ method, params }) => `${method} ${(params as TurnNotice).turn.id}`);
  expect(life).toEqual(accepted.flatMap((id) => [`turn/started ${id}`, `turn/completed ${id}`]));
}

/** The status that clients received follows from the turns. */
function checkStatus({ seen, thread }: World): void {
  let expected: ThreadStatus = { type: "idle" };
  let told: ThreadStatus = { type: "idle" };
  for (const { method, params } of seen) {
    if (method === "turn/started") expected = { type: "active", activeFlags: [] };
    if (method === "turn/completed") {
      expected = { type: (params as TurnNotice).turn.status === "failed" ? "systemError" : "idle" };
    }
    if (method === "thread/status/changed") told = (params as { status: ThreadStatus }).status;
  }
  expect(thread.status()).toEqual(expected);
  expect(told).toEqual(expected);
}

function checkRequests({ model }: World): void {
  let before: { window: unknown; input: readonly ResponseItem[] } = { window: null, input: [] };
  for (const request of model.requests) {
    const { window, isCompaction } = readMetadata(request);
    const input = isCompaction ? request.input.slice(0, -1) : request.input;
    checkPairs(input);
    if (before.window === window) expect(input.slice(0, before.input.length)).toEqual(before.input);
    before = { window, input };
  }
}

function readMetadata({ clientMetadata }: ModelRequest) {
  const metadata = JSON.parse(clientMetadata["x-codex-turn-metadata"] ?? "{}") as Record<string, unknown>;
  return { window: metadata["window_number"], isCompaction: metadata["request_kind"] === "compaction" };
}

/** Each call has one output, after it, and each output has its call. */
function checkPairs(input: readonly ResponseItem[]): void {
  const called = input.flatMap((item) => (item.type === "function_call" ? [item.call_id] : []));
  const answered = input.flatMap((item) => (item.type === "function_call_output" ? [item.call_id] : []));
  expect(new Set(called).size).toBe(called.length);
  expect(answered.length).toBe(called.length);
  expect(new Set(answered)).toEqual(new Set(called));
}

/** Input that was accepted is in every later model request, however its turn ended. */
async function checkWords({ begin, thread, model, accepted, said }: World): Promise<void> {
  accepted.push(await begin("the end"));
  while (thread.activeTurnId !== null) {
    model.open?.send(...messageEvents("last", "words"), completed);
    await settle();
  }
  const text = JSON.stringify(model.requests.at(-1)?.input);
  expect(said.filter((word) => !text.includes(`"${word}"`))).toEqual([]);
}

test("whatever happens to a thread, its turns, its status and its history stay sound", async () => {
  await fc.assert(
    fc.asyncProperty(moves, async (list) => {
      const world = createWorld();
      const does = createMoves(world);
      for (const { step, settles } of list) {
        await does[step]();
        if (!settles) continue;
        await settle();
        checkStatus(world);
      }
      await finish(world);
      await checkWords(world);
      checkTurns(world);
      checkStatus(world);
      checkRequests(world);
    }),
    { numRuns: 300, interruptAfterTimeLimit: 12_000, markInterruptAsFailure: true },
  );
}, 20_000);
