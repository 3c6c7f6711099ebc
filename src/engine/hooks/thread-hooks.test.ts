import { describe, expect, test } from "vitest";
import { createDeferred } from "../../base/tasks.ts";
import type { HookSet } from "../../hooks/configured-hook.ts";
import { HOOK_EVENTS, type HookEventName } from "../../hooks/hook-event.ts";
import { answers, exits, type FakeHook, fakeHooks } from "../../hooks/hooks.fixture.ts";
import type { HookRunSummary } from "../../protocol/generated/types.ts";
import type { PlainTool } from "../../tools/plain-tool.fixture.ts";
import { callEvent, completed, messageEvents, type Script } from "../scripted-model.fixture.ts";
import { startThread } from "../thread.fixture.ts";
import { type ThreadHooks, withoutPrompts } from "./thread-hooks.ts";

const echo: PlainTool = {
  name: "echo",
  spec: { type: "function", name: "echo" },
  parallel: true,
  run: async ({ input }) => ({ output: `heard ${input}`, success: true }),
};

/** The inputs of the hooks in the order in which they ran, and a thread that runs them. */
function startHooked(scripts: readonly Script[], fakes: readonly FakeHook[]) {
  const inputs: Readonly<Record<string, unknown>>[] = [];
  const hooks = fakeHooks(
    fakes.map((fake) => ({
      ...fake,
      run(call) {
        inputs.push(call.input);
        return fake.run(call);
      },
    })),
  );
  const started = startThread(scripts, [echo], { hooks });
  const runs = (): HookRunSummary[] =>
    started.seen.flatMap(({ method, params }) =>
      method === "hook/completed" ? [(params as { run: HookRunSummary }).run] : [],
    );
  const items = () => started.events.filter((event) => event.startsWith("item/completed"));
  return { ...started, inputs, runs, items };
}

const context = (event: string, text: string) =>
  answers({ hookSpecificOutput: { hookEventName: event, additionalContext: text } });
const fine: Script = [...messageEvents("m", "Fine"), completed];

describe("the settings that hooks are told and run by", () => {
  test("are those of the turn, whatever the thread is given meanwhile", async () => {
    const models: string[] = [];
    const fakes = fakeHooks([
      { event: "PreToolUse", run: () => exits(0) },
      { event: "PostToolUse", run: () => exits(0) },
      { event: "Stop", run: () => exits(0) },
    ]);
    const inputs: Readonly<Record<string, unknown>>[] = [];
    const { thread, begin } = startThread(
      [[callEvent("c", "echo", {}), completed], fine, [callEvent("d", "echo", {}), completed], fine],
      [
        {
          ...echo,
          async run() {
            await thread.changeSettings({ model: "other", cwd: "/elsewhere", approvalPolicy: "on-request" });
            return { output: "", success: true };
          },
        },
      ],
      {
        hooks: {
          ...fakes,
          async runHandler(hook, call, settings) {
            inputs.push(call.input);
            models.push(`${settings.model} ${settings.cwd}`);
            return fakes.runHandler(hook, call);
          },
        },
      },
    );
    await begin("Go");
    await thread.whenIdle();
    const told = () => inputs.map(({ cwd, model, permission_mode }) => [cwd, model, permission_mode]);
    const before = ["/project", "m", "bypassPermissions"];
    expect(told()).toEqual([before, before, before]);
    expect(new Set(models)).toEqual(new Set(["m /project"]));
    await begin("Again");
    await thread.whenIdle();
    const after = ["/elsewhere", "other", "default"];
    expect(told().slice(3)).toEqual([after, after, after]);
  });
});

test("an agent that nobody talks with has the events of its work, and not those of prompts and ends", async () => {
  const hooks = { has: async () => true, canDecide: async () => true } as unknown as ThreadHooks;
  const ofReviewer = withoutPrompts(hooks);
  const heard: HookEventName[] = [];
  for (const event of HOOK_EVENTS) {
    const fires = await ofReviewer.has(event);
    expect(await ofReviewer.canDecide(event)).toBe(fires);
    if (fires) heard.push(event);
  }
  expect(heard).toEqual([
    "PreModelRequest",
    "PostModelRequest",
    "PreToolUse",
    "PermissionRequest",
    "PostToolUse",
  ]);
});

describe("what a model calls a tool with", () => {
  const callsWith = (text: string): Script => [
    { type: "itemDone", item: { type: "function_call", call_id: "c", name: "echo", arguments: text } },
    completed,
  ];

  test("has no half characters for hooks, the tool and the history", async () => {
    const texts: string[] = [];
    const { begin, thread, told } = startHooked(
      [callsWith('{"a":"\\ud800","b":"\ud801","c":"\\ud83d\\ude00"}'), fine],
      [
        {
          event: "PreToolUse",
          run({ inputText }) {
            texts.push(inputText);
            return exits(0);
          },
        },
      ],
    );
    await begin("Go");
    await thread.whenIdle();
    expect(JSON.parse(texts[0] ?? "")).toMatchObject({ tool_input: { a: "\ufffd", b: "\ufffd", c: "😀" } });
    expect(texts[0]).not.toMatch(/\\ud[89]/u);
    expect(told(1)?.join()).not.toMatch(/\\ud80/u);
  });

  test("is refused where it is nested so deeply that a hook could not read it", async () => {
    const { begin, thread, told, inputs } = startHooked(
      [callsWith(`${'{"a":'.repeat(1500)}1${"}".repeat(1500)}`), fine],
      [{ event: "PreToolUse", run: () => exits(2, { stderr: "no" }) }],
    );
    await begin("Go");
    await thread.whenIdle();
    expect(inputs).toEqual([]);
    expect(told(1)?.at(-1)).toContain("nested more than 100 levels deep");
  });
});

describe("a prompt", () => {
  test("that a hook blocks is neither shown nor told, and the turn ends well", async () => {
    const { begin, thread, model, items, events, runs, inputs } = startHooked(
      [],
      [{ event: "UserPromptSubmit", run: () => exits(2, { stderr: "not this" }) }],
    );
    await begin("secret");
    await thread.whenIdle();
    expect([model.requests.length, items(), events.at(-1)]).toEqual([0, [], "turn/completed completed"]);
    expect(runs()).toMatchObject([
      { status: "blocked", scope: "turn", entries: [{ kind: "feedback", text: "not this" }] },
    ]);
    expect(inputs).toMatchObject([
      { hook_event_name: "UserPromptSubmit", session_id: "thread", prompt: "secret", turn_id: "id-1" },
    ]);
  });

  test("is followed by what hooks add to it, in their order", async () => {
    const slow = createDeferred<void>();
    const { begin, thread, told, items } = startHooked(
      [fine],
      [
        {
          event: "UserPromptSubmit",
          run: () => slow.promise.then(() => context("UserPromptSubmit", "first")),
        },
        {
          event: "UserPromptSubmit",
          run() {
            slow.resolve();
            return exits(0, { stdout: "second" });
          },
        },
      ],
    );
    await begin("Hi");
    await thread.whenIdle();
    expect(told(0)).toEqual(["user: Hi", "developer: first", "developer: second"]);
    expect(items()).toEqual(["item/completed userMessage Hi", "item/completed agentMessage Fine"]);
  });

  test("that comes while the turn runs is judged as well, and what is not blocked goes on", async () => {
    const gate = createDeferred<void>();
    const { begin, thread, say, model, told } = startHooked(
      [[gate.promise, ...messageEvents("m1", "One"), completed], fine, fine],
      [
        {
          event: "UserPromptSubmit",
          run: ({ input }) =>
            input["prompt"] === "bad" ? answers({ decision: "block", reason: "no" }) : exits(0),
        },
      ],
    );
    await begin("good");
    await model.whenRequested(1);
    (await thread.steer(say("bad"))).begin();
    (await thread.steer(say("also good"))).begin();
    gate.resolve();
    await thread.whenIdle();
    const last = told(model.requests.length - 1) ?? [];
    expect(last.filter((line) => line.startsWith("user"))).toEqual(["user: good", "user: also good"]);
  });

  test("whose judgement is cut off waits for the next turn, which judges it", async () => {
    const asked = createDeferred<void>();
    let count = 0;
    const { begin, thread, told } = startHooked(
      [fine],
      [
        {
          event: "UserPromptSubmit",
          run: ({ signal }) => {
            count += 1;
            if (count > 1) return exits(0);
            asked.resolve();
            return new Promise((resolve) => {
              signal.addEventListener("abort", () => resolve({ kind: "interrupted" }));
            });
          },
        },
      ],
    );
    await begin("first");
    await asked.promise;
    (await thread.interrupt()).begin();
    await thread.whenIdle();
    await begin("second");
    await thread.whenIdle();
    expect(told(0)?.filter((line) => line.startsWith("user: ") && !line.includes("turn_aborted"))).toEqual([
      "user: first",
      "user: second",
    ]);
  });
});

describe("a call of a tool", () => {
  const asks: Script = [callEvent("c1", "echo", { a: 1 }), completed];

  test("that a hook blocks is not done, and the model hears why", async () => {
    const { begin, thread, told, inputs } = startHooked(
      [asks, fine],
      [{ event: "PreToolUse", run: () => exits(2, { stderr: "never" }) }],
    );
    await begin("Go");
    await thread.whenIdle();
    expect(told(1)?.at(-1)).toBe(
      "function_call_output Tool call blocked by PreToolUse hook: never. Tool: echo",
    );
    expect(inputs).toMatchObject([{ tool_name: "echo", tool_input: { a: 1 }, tool_use_id: "c1" }]);
  });

  test("is not done where a hook that must hold cannot even be run", async () => {
    const { begin, thread, told, runs } = startHooked(
      [asks, fine],
      [
        {
          event: "PreToolUse",
          onFailure: "closed",
          run() {
            throw new Error("no room");
          },
        },
      ],
    );
    await begin("Go");
    await thread.whenIdle();
    expect(runs()).toMatchObject([
      {
        status: "failed",
        entries: [{ kind: "error", text: expect.stringMatching(/^hook could not be run: no room/u) }],
      },
    ]);
    expect(told(1)?.at(-1)).toMatch(/^function_call_output Tool call blocked by PreToolUse hook: /u);
  });

  test("is done with the input that the last hook gave it", async () => {
    const rewrite = (input: object) =>
      answers({
        hookSpecificOutput: {
          hookEventName: "PreToolUse",
          permissionDecision: "allow",
          updatedInput: input,
        },
      });
    const { begin, thread, told, inputs, seen } = startHooked(
      [asks, fine],
      [
        { event: "PreToolUse", run: () => rewrite({ a: 2 }) },
        { event: "PreToolUse", run: () => rewrite({ a: 3 }) },
        { event: "PostToolUse", run: () => context("PostToolUse", "well done") },
      ],
    );
    await begin("Go");
    await thread.whenIdle();
    expect(told(1)?.slice(1)).toEqual([
      "function_call echo",
      "developer: well done",
      'function_call_output heard {"a":3}',
    ]);
    expect(inputs.at(-1)).toMatchObject({ tool_input: { a: 3 }, tool_response: 'heard {"a":3}' });
    const warnings = seen.filter(({ method }) => method === "warning").map(({ params }) => params);
    expect(warnings).toMatchObject([
      { message: "hook /hooks.json:0's updatedInput was replaced by hook /hooks.json:1's" },
    ]);
  });

  test("that somebody is to be asked about is not done where nobody can be asked", async () => {
    const { begin, thread, told } = startHooked(
      [asks, fine],
      [
        {
          event: "PreToolUse",
          run: () =>
            answers({ hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "ask" } }),
        },
      ],
    );
    await begin("Go");
    await thread.whenIdle();
    expect(told(1)?.at(-1)).toContain("a hook wants the user to be asked, which this tool cannot do");
  });

  test("is told of in the words of a hook that blocks what came of it", async () => {
    const { begin, thread, told } = startHooked(
      [asks, fine],
      [{ event: "PostToolUse", run: () => answers({ decision: "block", reason: "look again" }) }],
    );
    await begin("Go");
    await thread.whenIdle();
    expect(told(1)?.at(-1)).toBe("function_call_output look again");
  });
});

describe("the end of a turn", () => {
  const block = answers({ decision: "block", reason: "go <on> & on" });

  test("is put off as long as hooks want, with one message for all of them", async () => {
    const { begin, thread, told, inputs, seen } = startHooked(
      [fine, fine],
      [
        { event: "Stop", run: ({ input }) => (input["stop_hook_active"] === true ? exits(0) : block) },
        {
          event: "Stop",
          run: ({ input }) =>
            input["stop_hook_active"] === true ? exits(0) : exits(2, { stderr: "and more" }),
        },
      ],
    );
    await begin("Go");
    await thread.whenIdle();
    expect(told(1)?.at(-1)).toBe(
      'user: <hook_prompt hook_run_id="stop:0:/hooks.json">go &lt;on&gt; &amp; on</hook_prompt>' +
        '<hook_prompt hook_run_id="stop:1:/hooks.json">and more</hook_prompt>',
    );
    const shown = seen.flatMap(({ method, params }) => {
      const { item } = params as { item?: { type: string } };
      return method === "item/completed" && item?.type === "hookPrompt" ? [item] : [];
    });
    expect(shown).toMatchObject([
      {
        fragments: [
          { text: "go <on> & on", hookRunId: "stop:0:/hooks.json" },
          { text: "and more", hookRunId: "stop:1:/hooks.json" },
        ],
      },
    ]);
    expect(inputs.map((input) => [input["stop_hook_active"], input["stop_hook_continuations"]])).toEqual([
      [false, 0],
      [false, 0],
      [true, 1],
      [true, 1],
    ]);
  });

  test("comes after so many times, whatever hooks want, and the user hears of it", async () => {
    const { begin, thread, model, events } = startHooked(
      Array.from({ length: 20 }, () => fine),
      [{ event: "Stop", run: () => block }],
    );
    await begin("Go");
    await thread.whenIdle();
    expect(model.requests.length).toBe(9);
    expect(events.filter((event) => event.startsWith("warning")).length).toBe(1);
    expect(events.at(-1)).toBe("turn/completed completed");
  });
});

describe("the runs of hooks", () => {
  test("belong to their turn, each once, also those that were cut off", async () => {
    const asked = createDeferred<void>();
    const { begin, thread, seen } = startHooked(
      [],
      [
        {
          event: "UserPromptSubmit",
          run({ signal }) {
            asked.resolve();
            return new Promise((resolve) => {
              signal.addEventListener("abort", () => resolve({ kind: "interrupted" }));
            });
          },
        },
        { event: "Interrupt", run: () => answers({ systemMessage: "bye" }) },
      ],
    );
    await begin("Go");
    await asked.promise;
    expect(thread.activeTurn()?.hookRuns).toMatchObject([{ status: "running" }]);
    (await thread.interrupt()).begin();
    await thread.whenIdle();
    const ended = seen.findLast(({ method }) => method === "turn/completed")?.params;
    expect(ended).toMatchObject({
      turn: {
        status: "interrupted",
        hookRuns: [
          { eventName: "userPromptSubmit", status: "failed" },
          { eventName: "interrupt", status: "completed", entries: [{ kind: "warning", text: "bye" }] },
        ],
      },
    });
    const methods = seen.map(({ method }) => method).filter((method) => method.startsWith("hook/"));
    expect(methods).toEqual(["hook/started", "hook/completed", "hook/started", "hook/completed"]);
  });

  test("begin with the session, once, and again after a compaction", async () => {
    const { begin, thread, inputs, told } = startHooked(
      [fine, [...messageEvents("s", "Summary"), completed], fine],
      [
        {
          event: "SessionStart",
          run: ({ input }) => exits(0, { stdout: `from ${String(input["source"])}` }),
        },
        { event: "PreCompact", run: () => exits(0) },
        { event: "PostCompact", run: () => exits(0) },
      ],
    );
    await begin("one");
    await thread.whenIdle();
    (await thread.accept({ kind: "compact" })).begin();
    await thread.whenIdle();
    await begin("two");
    await thread.whenIdle();
    expect(
      inputs.map((input) => [input["hook_event_name"], input["source"] ?? input["trigger"]].join(" ")),
    ).toEqual(["SessionStart startup", "PreCompact manual", "PostCompact manual", "SessionStart compact"]);
    expect(told(0)).toEqual(["developer: from startup", "user: one"]);
  });

  test("surround every request to the model", async () => {
    const { begin, thread, inputs } = startHooked(
      [[callEvent("c1", "echo", {}), completed], fine],
      [
        { event: "PreModelRequest", run: () => exits(0) },
        { event: "PostModelRequest", run: () => exits(0) },
      ],
    );
    await begin("Go");
    await thread.whenIdle();
    expect(inputs.map((input) => input["status"] ?? "asked")).toEqual([
      "asked",
      "completed",
      "asked",
      "completed",
    ]);
    expect(inputs[1]).toMatchObject({ error: null, token_usage: { total_tokens: 3, output_tokens: 1 } });
  });
});

test("a hook runs in the folder in which it was checked, wherever the thread goes meanwhile", async () => {
  const folders: { checked?: string; ran?: string; told?: unknown } = {};
  const hooks = fakeHooks([
    {
      event: "UserPromptSubmit",
      run({ cwd, input }) {
        Object.assign(folders, { ran: cwd, told: input["cwd"] });
        return exits(0);
      },
    },
  ]);
  const { begin, thread } = startThread([fine], [echo], {
    hooks: {
      ...hooks,
      async checked(set: HookSet, cwd: string) {
        folders.checked = cwd;
        await thread.changeSettings({ cwd: "/elsewhere" });
        return set;
      },
    },
  });
  await begin("Hi");
  await thread.whenIdle();
  const { checked } = folders;
  expect(checked).not.toBe("/elsewhere");
  expect(folders).toEqual({ checked, ran: checked, told: checked });
});
