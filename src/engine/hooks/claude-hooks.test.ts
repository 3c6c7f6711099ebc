import { describe, expect, test } from "vitest";
import { answers, exits, type FakeHook, fakeHooks } from "../../hooks/hooks.fixture.ts";
import type { PlainTool } from "../../tools/plain-tool.fixture.ts";
import { callEvent, completed, messageEvents, type Script } from "../scripted-model.fixture.ts";
import { startThread } from "../thread.fixture.ts";

const echo: PlainTool = {
  name: "echo",
  spec: { type: "function", name: "echo" },
  parallel: true,
  run: async ({ input }) => ({ output: `heard ${input}`, success: true }),
};

const startHooked = (scripts: readonly Script[], ...fakes: readonly FakeHook[]) =>
  startThread(scripts, [echo], {
    hooks: fakeHooks(fakes.map((fake) => ({ dialect: "claude", ...fake }))),
  });

const fine: Script = [...messageEvents("m", "Fine"), completed];
const callsEcho: Script = [callEvent("call", "echo", { a: 1 }), completed];

describe("a hook of Claude Code", () => {
  test("can make a turn go on eight times", async () => {
    const continuations: unknown[] = [];
    const { begin, thread, model, seen } = startHooked(
      Array.from({ length: 9 }, () => fine),
      {
        event: "Stop",
        run({ input }) {
          continuations.push(input["stop_hook_active"]);
          return answers({ decision: "block", reason: "more" });
        },
      },
    );
    await begin("Go");
    await thread.whenIdle();
    expect(model.requests.length).toBe(9);
    expect(continuations).toEqual([false, ...Array.from({ length: 8 }, () => true)]);
    expect(seen.filter(({ method }) => method === "warning").length).toBe(1);
  });

  test("that blocks a result adds to what the model is told of it", async () => {
    const { begin, thread, told } = startHooked([callsEcho, fine], {
      event: "PostToolUse",
      run: () => exits(2, { stderr: "look again" }),
    });
    await begin("Go");
    await thread.whenIdle();
    expect(told(1)?.at(-1)).toMatch(/heard .*\n\nlook again$/su);
  });

  test.each(["PreToolUse", "PostToolUse"] as const)("that ends all on %s ends the turn", async (event) => {
    const { begin, thread, model, events } = startHooked([callsEcho], {
      event,
      run: () => answers({ continue: false, stopReason: "enough" }),
    });
    await begin("Go");
    await thread.whenIdle();
    expect([model.requests.length, events.at(-1)]).toEqual([1, "turn/completed completed"]);
  });

  test.each([true, false])(
    "that is a question to a model ends the turn with its no: %s",
    async (endsTurn) => {
      const { begin, thread, model, told } = startHooked([callsEcho, fine], {
        event: "PreToolUse",
        endsTurn,
        run: () => exits(2, { stderr: "not so" }),
      });
      await begin("Go");
      await thread.whenIdle();
      expect(model.requests.length).toBe(endsTurn ? 1 : 2);
      if (!endsTurn) expect(told(1)?.at(-1)).toContain("not so");
    },
  );

  test("is told at the end of a session which prompt was the last, if there was one", async () => {
    const inputs: unknown[] = [];
    const started = () =>
      startHooked([fine], {
        event: "SessionEnd",
        run: ({ input }) => {
          inputs.push(input["prompt_id"]);
          return exits(0);
        },
      });
    const idle = started();
    await idle.thread.close();
    const { begin, thread } = started();
    const turnId = await begin("Go");
    await thread.whenIdle();
    await thread.close();
    expect(inputs).toEqual([undefined, turnId]);
  });

  test("is told how long a tool has worked, and how hard the model thinks", async () => {
    const inputs: Readonly<Record<string, unknown>>[] = [];
    const { begin, thread } = startHooked([callsEcho, fine], {
      event: "PostToolUse",
      run: ({ input }) => {
        inputs.push(input);
        return exits(0);
      },
    });
    await thread.changeSettings({ effort: "high" });
    await begin("Go");
    await thread.whenIdle();
    expect(inputs).toMatchObject([{ duration_ms: expect.any(Number), effort: { level: "high" } }]);
  });

  test("that nobody waits for is told to the model as a reminder, and not shown", async () => {
    const { begin, thread, told, seen } = startHooked([fine, fine], {
      event: "UserPromptSubmit",
      isAsync: true,
      run: () =>
        answers({
          systemMessage: "for nobody",
          hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "late" },
        }),
    });
    await begin("One");
    await thread.whenIdle();
    await begin("Two");
    await thread.whenIdle();
    expect(told(1)).toContain("developer: <system-reminder>\nlate\n</system-reminder>");
    expect(seen.filter(({ method }) => method === "warning")).toEqual([]);
  });
});
