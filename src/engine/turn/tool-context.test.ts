import { describe, expect, test } from "vitest";
import { createDeferred } from "../../base/tasks.ts";
import type { PlainTool as Tool } from "../../tools/plain-tool.fixture.ts";
import type { Clients } from "../permissions/questions.ts";
import { callEvent, completed } from "../scripted-model.fixture.ts";
import { startThread } from "../thread.fixture.ts";

/** A tool that asks the user, and returns the answer. */
const asking: Tool = {
  name: "ask",
  spec: {},
  parallel: false,
  async run(_call, { ask, threadId, turnId }) {
    const params = {
      threadId,
      turnId,
      itemId: "i",
      questions: [],
      autoResolutionMs: null,
      isBlocking: false,
    };
    const answer = await ask("item/tool/requestUserInput", params);
    return { output: answer.kind, success: true };
  },
};

type Answered = { readonly kind: "answered"; readonly result: never };

function open() {
  const answer = createDeferred<Answered>();
  const asked = createDeferred<void>();
  const withdrawn: number[] = [];
  const clients: Clients = {
    open() {
      asked.resolve();
      return { id: 7, answer: answer.promise, withdraw: () => void withdrawn.push(7) };
    },
  };
  const world = startThread([[callEvent("c", "ask", {}), completed], [completed]], [asking], { clients });
  const told = () =>
    world.seen.flatMap(({ method, params }) => {
      if (method === "thread/status/changed") return [JSON.stringify((params as { status: object }).status)];
      return method === "serverRequest/resolved" || method === "turn/completed" ? [method] : [];
    });
  return { ...world, answer, asked, withdrawn, statuses: told };
}

const ACTIVE = '{"type":"active","activeFlags":[]}';
const WAITING = '{"type":"active","activeFlags":["waitingOnUserInput"]}';
const IDLE = '{"type":"idle"}';

describe("a tool that asks the user", () => {
  test("shows in the status until it is answered", async () => {
    const { thread, begin, answer, asked, statuses, told } = open();
    await begin("Go");
    await asked.promise;
    answer.resolve({ kind: "answered", result: { answers: {} } as never });
    await thread.whenIdle();
    expect(statuses()).toEqual([ACTIVE, WAITING, "serverRequest/resolved", ACTIVE, IDLE, "turn/completed"]);
    expect(told(1)?.at(-1)).toBe("function_call_output answered");
  });

  test("is left alone when the turn is interrupted, which is told after the end of the turn", async () => {
    const { thread, begin, asked, withdrawn, statuses } = open();
    await begin("Go");
    await asked.promise;
    (await thread.interrupt()).begin();
    await thread.whenIdle();
    expect(statuses()).toEqual([ACTIVE, WAITING, IDLE, "turn/completed", "serverRequest/resolved"]);
    expect(withdrawn).toEqual([7]);
    expect(thread.status()).toEqual({ type: "idle" });
  });
});
