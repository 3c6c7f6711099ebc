import { describe, expect, test } from "vitest";
import { createDeferred } from "../base/deferred.ts";
import { silentLogger } from "../base/logger.ts";
import { type ModelInfoOverrides, modelInfo } from "../model/catalog/model-info.ts";
import type { Tool } from "../tools/tool.ts";
import { calls, completed, createScriptedModel, type Script, says } from "./scripted-model.fixture.ts";
import { createThread } from "./thread.ts";
import type { TurnSetup } from "./turn-setup.ts";
import type { Message } from "./turns/active-turn.ts";

const settings = {
  model: "m",
  modelProvider: "p",
  cwd: "/project",
  approvalPolicy: "never",
  approvalsReviewer: "user",
  sandbox: { type: "readOnly" },
  permissionProfile: null,
  effort: null,
  summary: null,
  serviceTier: null,
  personality: null,
  mode: "default",
  modeInstructions: null,
  baseInstructions: "base",
  developerInstructions: null,
} as const;

interface StartOptions {
  readonly info?: ModelInfoOverrides;
}

function startThread(scripts: readonly Script[], tools: readonly Tool[] = [], options: StartOptions = {}) {
  const events: string[] = [];
  const seen: { method: string; params: unknown }[] = [];
  const model = createScriptedModel(scripts);
  let ids = 0;
  const setup: TurnSetup = {
    model,
    info: modelInfo("m", options.info),
    tools: async () => tools,
    approve: async () => ({ kind: "approved" }),
    diffRoot: "/project",
    context: async () => ({ rules: {}, facts: {} }),
    instructionSources: [],
    warnings: [],
    compactPrompt: null,
    review: { model: null, findMergeBase: async () => "abc" },
    runUserShell: async ({ items }) => {
      items.begin({ type: "contextCompaction", id: "x" });
      return { exitCode: 0, output: "", durationMs: 0, record: "ran" };
    },
  };
  const thread = createThread({
    id: "thread",
    settings,
    setup: async () => setup,
    firstSetup: setup,
    originator: "test",
    threadSource: null,
    ephemeral: true,
    installationId: "i",
    identityHeaders: () => ({}),
    clients: {
      open: () => ({
        id: 0,
        answer: Promise.resolve({ kind: "unanswered", reason: "nobody" }),
        withdraw() {},
      }),
    },
    emit(method, params) {
      seen.push({ method, params });
      events.push(describeEvent(method, params as Shown));
    },
    clock: { now: () => 5000, after: () => () => {} },
    createId: () => `id-${ids++}`,
    log: silentLogger,
  });
  const say = (text: string): Message => ({
    input: [{ type: "text", text }],
    clientUserMessageId: null,
    clientMetadata: null,
  });
  return {
    thread,
    model,
    events,
    seen,
    say,
    async begin(text: string) {
      const { turn, begin } = await thread.accept(say(text), { outputSchema: null, serviceTier: null });
      await begin();
      return turn.id;
    },
    /** The conversation that a request carried, without the instructions. */
    told: (request: number) =>
      model.requests[request]?.input.slice(1).map((item) => {
        const { type, role, content, output, name } = item as Told;
        const text = content?.map((part) => part.text).join("");
        return text === undefined ? `${type} ${name ?? output}` : `${role}: ${text}`;
      }),
  };
}

/** The members of notifications that the tests look at. */
interface Shown {
  readonly item?: {
    readonly type: string;
    readonly text?: string;
    readonly content?: readonly { text?: string }[];
  };
  readonly status?: { readonly type: string };
  readonly turn?: { readonly status: string };
  readonly delta?: string;
}

function describeEvent(method: string, { item, status, turn, delta }: Shown): string {
  const text = item?.text ?? item?.content?.[0]?.text ?? "";
  const detail = item === undefined ? (status?.type ?? turn?.status ?? delta ?? "") : `${item.type} ${text}`;
  return `${method} ${detail}`.trim();
}

/** The members of items that the model is told. */
interface Told {
  readonly type: string;
  readonly role?: string;
  readonly content?: readonly { readonly text?: string }[];
  readonly output?: string;
  readonly name?: string;
}

const echo: Tool = {
  name: "echo",
  spec: { type: "function", name: "echo" },
  parallel: true,
  run: async ({ input }) => ({ output: `heard ${input}`, success: true }),
};

describe("a turn", () => {
  test("reports what happens in the order that clients rely on", async () => {
    const { thread, begin, events } = startThread([[...says("m1", "Hello"), completed]]);
    await begin("Hi");
    await thread.whenIdle();
    expect(events).toEqual([
      "thread/status/changed active",
      "turn/started inProgress",
      "item/started userMessage Hi",
      "item/completed userMessage Hi",
      "item/started agentMessage",
      "item/agentMessage/delta Hello",
      "item/completed agentMessage Hello",
      "thread/tokenUsage/updated",
      "account/rateLimits/updated",
      "thread/status/changed idle",
      "turn/completed completed",
    ]);
  });

  test("does what the model asks for and asks again, until nothing is asked", async () => {
    const { thread, begin, told, events } = startThread(
      [
        [calls("c1", "echo", { a: 1 }), calls("c2", "nothing", {}), completed],
        [...says("m1", "Done"), completed],
      ],
      [echo],
    );
    await begin("Go");
    await thread.whenIdle();
    expect(told(1)).toEqual([
      "user: Go",
      "function_call echo",
      "function_call nothing",
      'function_call_output heard {"a":1}',
      "function_call_output unsupported call: nothing",
    ]);
    expect(events.filter((event) => event.startsWith("thread/tokenUsage")).length).toBe(2);
    expect(events.at(-1)).toBe("turn/completed completed");
  });

  test("tells the model when a tool breaks, and goes on", async () => {
    const broken: Tool = { ...echo, run: () => Promise.reject(new Error("oops")) };
    const { thread, begin, told } = startThread(
      [
        [calls("c1", "echo", {}), completed],
        [...says("m", "ok"), completed],
      ],
      [broken],
    );
    await begin("Go");
    await thread.whenIdle();
    expect(told(1)?.at(-1)).toBe("function_call_output echo failed: oops");
  });

  test("that fails leaves the thread usable", async () => {
    const error = { message: "no", codexErrorInfo: null, additionalDetails: null, misalignment: null };
    const { thread, begin, events } = startThread([
      [{ type: "failed", error }],
      [...says("m", "again"), completed],
    ]);
    await begin("one");
    await thread.whenIdle();
    expect(events.slice(-3)).toEqual(["thread/status/changed systemError", "error", "turn/completed failed"]);
    await begin("two");
    await thread.whenIdle();
    expect(events.at(-1)).toBe("turn/completed completed");
  });
});

describe("steering", () => {
  test("drops what the model is saying and tells it both messages", async () => {
    const held = createDeferred<void>();
    const { thread, begin, say, told, events } = startThread([
      [
        { type: "itemAdded", item: { type: "message", role: "assistant", id: "m1", content: [] } },
        held.promise,
      ],
      [...says("m2", "Right"), completed],
    ]);
    await begin("First");
    await expect.poll(() => events).toContain("item/started agentMessage");
    thread.steer(say("Rather this"));
    await thread.whenIdle();
    expect(told(1)).toEqual(["user: First", "user: Rather this"]);
    expect(events.filter((event) => event.includes("agentMessage"))).toEqual([
      "item/started agentMessage",
      "item/started agentMessage",
      "item/agentMessage/delta Right",
      "item/completed agentMessage Right",
    ]);
    expect(events.filter((event) => event.startsWith("turn/"))).toEqual([
      "turn/started inProgress",
      "turn/completed completed",
    ]);
  });

  test("waits for a tool that runs, and is told with its output", async () => {
    const tool = createDeferred<void>();
    const started = createDeferred<void>();
    const slow: Tool = {
      ...echo,
      async run() {
        started.resolve();
        await tool.promise;
        return { output: "slow", success: true };
      },
    };
    const { thread, begin, say, told } = startThread(
      [
        [calls("c", "echo", {}), completed],
        [...says("m", "ok"), completed],
      ],
      [slow],
    );
    await begin("Go");
    await started.promise;
    thread.steer(say("More"));
    tool.resolve();
    await thread.whenIdle();
    expect(told(1)).toEqual(["user: Go", "function_call echo", "function_call_output slow", "user: More"]);
  });
});

describe("interrupting", () => {
  test("ends a turn while the model speaks, and keeps nothing of what it was saying", async () => {
    const { thread, begin, model, events, told } = startThread([
      [...says("m1", "kept?").slice(0, 2), createDeferred<void>().promise],
      [...says("m2", "ok"), completed],
    ]);
    await begin("Go");
    await model.asked(1);
    thread.interrupt();
    await thread.whenIdle();
    expect(events.slice(-2)).toEqual(["thread/status/changed idle", "turn/completed interrupted"]);
    await begin("Again");
    await thread.whenIdle();
    expect(told(1)?.map((line) => line.slice(0, 20))).toEqual([
      "user: Go",
      "user: <turn_aborted>",
      "user: Again",
    ]);
  });

  test("does not wait for a tool that does not end, and leaves no call without an output", async () => {
    const started = createDeferred<void>();
    const endless: Tool = {
      ...echo,
      run() {
        started.resolve();
        return new Promise(() => {});
      },
    };
    const { thread, begin, told } = startThread(
      [
        [calls("c", "echo", {}), completed],
        [...says("m", "ok"), completed],
      ],
      [endless],
    );
    await begin("Go");
    await started.promise;
    thread.interrupt();
    await thread.whenIdle();
    await begin("Again");
    await thread.whenIdle();
    expect(told(1)?.slice(0, 3)).toEqual([
      "user: Go",
      "function_call echo",
      "function_call_output aborted by user",
    ]);
  });
});

test("calls that bear no company run alone and in order", async () => {
  const log: string[] = [];
  const tool = (name: string, parallel: boolean): Tool => ({
    name,
    spec: {},
    parallel,
    async run({ callId }) {
      log.push(`+${callId}`);
      await Promise.resolve();
      await Promise.resolve();
      log.push(`-${callId}`);
      return { output: "", success: true };
    },
  });
  const { thread, begin } = startThread(
    [
      [
        calls("a", "together", {}),
        calls("b", "together", {}),
        calls("c", "alone", {}),
        calls("d", "together", {}),
        completed,
      ],
      [completed],
    ],
    [tool("together", true), tool("alone", false)],
  );
  await begin("Go");
  await thread.whenIdle();
  expect(log).toEqual(["+a", "+b", "-a", "-b", "+c", "-c", "+d", "-d"]);
});
