import { describe, expect, test } from "vitest";
import { createDeferred } from "../../base/tasks.ts";
import { answers, exits, fakeHooks } from "../../hooks/hooks.fixture.ts";
import type { HandlerResult } from "../../hooks/outcome.ts";
import type { PlainTool } from "../../tools/plain-tool.fixture.ts";
import { createTestJournal } from "../history/journal.fixture.ts";
import { callEvent, completed, messageEvents, type Script } from "../scripted-model.fixture.ts";
import { startThread } from "../thread.fixture.ts";
import {
  type AsyncHookOutput,
  createAsyncHooks,
  MAX_ASYNC_RUNNING,
  MAX_ASYNC_WAITING,
} from "./async-hooks.ts";

const SILENT: AsyncHookOutput = { contexts: [], warnings: [] };
const fine: Script = [...messageEvents("m", "Fine"), completed];

describe("hooks that nobody waits for", () => {
  test("run a few at once, wait in line, and are refused beyond it", async () => {
    const hooks = createAsyncHooks();
    const gate = createDeferred<void>();
    const refused: (string | null)[] = [];
    let open = 0;
    let most = 0;
    let ended = 0;
    const all = MAX_ASYNC_RUNNING + MAX_ASYNC_WAITING + 3;
    for (let index = 0; index < all; index += 1) {
      hooks.add(async (_signal, refusal) => {
        if (refusal !== null) {
          refused.push(refusal);
          return SILENT;
        }
        open += 1;
        most = Math.max(most, open);
        await gate.promise;
        open -= 1;
        ended += 1;
        return SILENT;
      });
    }
    expect([open, refused]).toEqual([
      MAX_ASYNC_RUNNING,
      Array(3).fill("hook was not run: 256 others of this thread are waiting to run"),
    ]);
    gate.resolve();
    await hooks.close();
    expect([most, ended]).toEqual([MAX_ASYNC_RUNNING, MAX_ASYNC_RUNNING + MAX_ASYNC_WAITING]);
  });

  test("are heard once, in the order in which they end", async () => {
    const hooks = createAsyncHooks();
    const gates = [createDeferred<void>(), createDeferred<void>(), createDeferred<void>()];
    for (const [index, gate] of gates.entries()) {
      const contexts = index === 1 ? [] : [String(index)];
      hooks.add(() => gate.promise.then(() => ({ contexts, warnings: [] })));
    }
    for (const gate of gates.reverse()) gate.resolve();
    await hooks.close();
    expect(hooks.take().map(({ contexts }) => contexts)).toEqual([["2"], ["0"]]);
    expect(hooks.take()).toEqual([]);
  });
});

/** A hook that ends when the test resolves it, or when the thread closes. */
function heldHook(result: HandlerResult) {
  const begun = createDeferred<void>();
  const gate = createDeferred<HandlerResult>();
  return {
    begun: begun.promise,
    finish: () => gate.resolve(result),
    run({ signal }: { readonly signal: AbortSignal }): Promise<HandlerResult> {
      begun.resolve();
      signal.addEventListener("abort", () => gate.resolve({ kind: "interrupted" }), { once: true });
      return gate.promise;
    },
  };
}

const LATE = answers({
  systemMessage: "by the way",
  hookSpecificOutput: { hookEventName: "UserPromptSubmit", additionalContext: "late" },
});

function startLate(
  scripts: readonly Script[],
  result: HandlerResult = LATE,
  event: "UserPromptSubmit" | "PreToolUse" = "UserPromptSubmit",
  tools: readonly PlainTool[] = [],
) {
  const held = heldHook(result);
  const lines: string[] = [];
  const kept = createDeferred<void>();
  const journal = createTestJournal({
    async append(bodies) {
      for (const body of bodies) {
        const text = JSON.stringify(body);
        if (!text.includes("heddle_hook_run")) continue;
        lines.push(text);
        kept.resolve();
      }
      return { kind: "kept", firstSeq: 0 };
    },
    async close() {
      lines.push("closed");
    },
  });
  let count = 0;
  const hooks = fakeHooks([
    { event, isAsync: true, run: (call) => (count++ === 0 ? held.run(call) : exits(0)) },
  ]);
  const started = startThread(scripts, tools, { hooks, journal });
  const warnings = () =>
    started.seen.flatMap(({ method, params }) =>
      method === "warning" ? [(params as { message: string }).message] : [],
    );
  const shown = () => started.seen.filter(({ method }) => method.startsWith("hook/"));
  return { ...started, held, lines, kept: kept.promise, warnings, shown };
}

/** Resolves after the pending microtasks. */
const calm = () => new Promise((resolve) => setImmediate(resolve));

describe("what an async hook says", () => {
  test("follows the calls during which it ended", async () => {
    const waits: PlainTool = {
      name: "echo",
      spec: { type: "function", name: "echo" },
      parallel: true,
      async run() {
        started.held.finish();
        await started.kept;
        await calm();
        return { output: "heard", success: true };
      },
    };
    const started = startLate([[callEvent("c", "echo", {}), completed], fine], LATE, "UserPromptSubmit", [
      waits,
    ]);
    const { begin, thread, told, warnings, shown, lines } = started;
    const turnId = await begin("Go");
    await thread.whenIdle();
    expect(told(1)).toEqual([
      "user: Go",
      "function_call echo",
      "function_call_output heard",
      "developer: late",
    ]);
    expect(warnings()).toEqual(["by the way"]);
    expect(shown()).toEqual([]);
    expect(lines).toHaveLength(1);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({
      payload: {
        heddle_hook_run: {
          turn_id: turnId,
          run: {
            status: "completed",
            executionMode: "async",
            entries: [
              { kind: "warning", text: "by the way" },
              { kind: "context", text: "late" },
            ],
          },
        },
      },
    });
  });

  test("makes a turn go on in which the model has just answered", async () => {
    const gate = createDeferred<void>();
    const { begin, thread, told, held, kept, model } = startLate([
      [...messageEvents("m", "Done"), gate.promise, completed],
      fine,
    ]);
    await begin("Go");
    await model.whenRequested(1);
    held.finish();
    await kept;
    await calm();
    gate.resolve();
    await thread.whenIdle();
    expect(told(1)).toEqual(["user: Go", "assistant: Done", "developer: late"]);
  });

  test("precedes the next message of the user when the turn is over", async () => {
    const { begin, thread, told, held, kept, lines, warnings } = startLate([fine, fine]);
    const first = await begin("Go");
    await thread.whenIdle();
    held.finish();
    await kept;
    await calm();
    expect(lines[0]).toContain(`"turn_id":"${first}"`);
    expect(warnings()).toEqual([]);
    await begin("Again");
    await thread.whenIdle();
    expect(told(1)).toEqual(["user: Go", "assistant: Fine", "developer: late", "user: Again"]);
    expect(warnings()).toEqual(["by the way"]);
  });

  test("goes on when its turn is interrupted", async () => {
    const { begin, thread, told, held, kept, model } = startLate([[new Promise(() => {})], fine]);
    await begin("Go");
    await model.whenRequested(1);
    (await thread.interrupt()).begin();
    await thread.whenIdle();
    held.finish();
    await kept;
    await calm();
    await begin("Again");
    await thread.whenIdle();
    expect(told(1)?.slice(-2)).toEqual(["developer: late", "user: Again"]);
  });

  test("is left for the thread's own model when a review runs", async () => {
    const review = JSON.stringify({ findings: [], overall_explanation: "fine" });
    const { begin, thread, told, held, kept } = startLate([
      fine,
      [...messageEvents("r", review), completed],
      fine,
    ]);
    await begin("Go");
    await thread.whenIdle();
    held.finish();
    await kept;
    await calm();
    (await thread.accept({ kind: "review", target: { type: "custom", instructions: "look" } })).begin();
    await thread.whenIdle();
    expect(told(1)).not.toContain("developer: late");
    await begin("Again");
    await thread.whenIdle();
    expect(told(2)?.slice(-2)).toEqual(["developer: late", "user: Again"]);
  });

  test.each([
    ["a code that would block", exits(2, { stderr: "never" }), "failed"],
    ["a decision that would block", answers({ decision: "block", reason: "no" }), "completed"],
    ["a failure", { kind: "failed", message: "broken" } as const, "failed"],
  ])("keeps no call from being made: %s", async (_, result, status) => {
    const ran: string[] = [];
    const tool: PlainTool = {
      name: "echo",
      spec: { type: "function", name: "echo" },
      parallel: true,
      run: async ({ input }) => ({ output: `ran ${ran.push(input)}`, success: true }),
    };
    const { begin, thread, held, kept, lines, told } = startLate(
      [[callEvent("c", "echo", {}), completed], fine],
      result,
      "PreToolUse",
      [tool],
    );
    held.finish();
    await begin("Go");
    await thread.whenIdle();
    await kept;
    expect(told(1)).toEqual(["user: Go", "function_call echo", "function_call_output ran 1"]);
    expect(lines[0]).toContain(`"status":"${status}"`);
  });

  test("ends with the thread, and is kept before the thread is let go", async () => {
    const { begin, thread, held, lines } = startLate([fine]);
    await begin("Go");
    await thread.whenIdle();
    await held.begun;
    await thread.close();
    expect(lines).toEqual([expect.stringContaining("hook was interrupted"), "closed"]);
  });
});
