import { expect, test } from "vitest";
import type { ResponseItem } from "../../protocol/generated/types.ts";
import type { PlainTool as Tool } from "../../tools/plain-tool.fixture.ts";
import { callEvent, completed } from "../scripted-model.fixture.ts";
import { startThread } from "../thread.fixture.ts";

const tool = (name: string, namespace?: string): Tool => ({
  name,
  ...(namespace === undefined ? {} : { namespace: { name: namespace, description: `About ${namespace}` } }),
  spec: { type: "function", name },
  parallel: true,
  run: async () => ({ output: `${namespace ?? "no"} ${name}`, success: true }),
});

test("tools of a namespace stand together, where the first of them would", async () => {
  const tools = [tool("a"), tool("x", "one"), tool("b"), tool("y", "two"), tool("z", "one")];
  const { thread, begin, model } = startThread([[completed]], tools);
  await begin("Go");
  await thread.whenIdle();
  const spec = (name: string) => ({ type: "function", name });
  expect(model.requests[0]?.tools).toEqual([
    spec("a"),
    { type: "namespace", name: "one", description: "About one", tools: [spec("x"), spec("z")] },
    spec("b"),
    { type: "namespace", name: "two", description: "About two", tools: [spec("y")] },
  ]);
});

test("a tool is called by both its names", async () => {
  const tools = [tool("x"), tool("x", "one"), tool("x", "two")];
  const call = (callId: string, namespace?: string) => {
    const event = callEvent(callId, "x", {});
    if (event.type !== "itemDone" || namespace === undefined) return event;
    return { ...event, item: { ...event.item, namespace } };
  };
  const { thread, begin, told } = startThread(
    [[call("1"), call("2", "two"), call("3", "three"), call("4", "one"), completed], [completed]],
    tools,
  );
  await begin("Go");
  await thread.whenIdle();
  expect(told(1)?.slice(-4)).toEqual([
    "function_call_output no x",
    "function_call_output two x",
    expect.stringMatching(/^function_call_output unsupported call/u),
    "function_call_output one x",
  ]);
});

test("calls that nothing can answer are told so in the words for their kind", async () => {
  const done = (item: ResponseItem) => ({ type: "itemDone", item }) as const;
  const { thread, begin, model } = startThread([
    [
      done({
        type: "local_shell_call",
        call_id: "1",
        status: "completed",
        action: { type: "exec", command: [] },
      }),
      done({ type: "custom_tool_call", call_id: "2", name: "x", input: "" }),
      done({ type: "tool_search_call", call_id: "3", execution: "client", arguments: {} }),
      completed,
    ],
    [completed],
  ]);
  await begin("Go");
  await thread.whenIdle();
  const outputs = model.requests[1]?.input.filter(({ type }) => type.endsWith("_output"));
  expect(outputs).toMatchObject([
    { type: "function_call_output", call_id: "1", output: "aborted" },
    { type: "custom_tool_call_output", call_id: "2", output: "unsupported custom tool call: x" },
    { type: "tool_search_output", call_id: "3", status: "completed", execution: "client", tools: [] },
  ]);
});

test("empty instructions are no message", async () => {
  const { thread, begin, model } = startThread([[completed], [completed]]);
  await begin("Go");
  await thread.whenIdle();
  (await thread.changeSettings({ baseInstructions: "" })).begin();
  await begin("Go on");
  await thread.whenIdle();
  expect(model.requests.map(({ input }) => input[0])).toMatchObject([
    { role: "developer", content: [{ text: "base" }] },
    { role: "user" },
  ]);
});

test("the provider hears to which turn and window a request belongs", async () => {
  const { thread, begin, model } = startThread([[completed]]);
  const turnId = await begin("Go");
  await thread.whenIdle();
  expect(model.requests[0]?.clientMetadata).toEqual({
    thread_id: "thread",
    turn_id: turnId,
    root_turn_id: turnId,
    session_id: "thread",
    "x-codex-installation-id": "i",
    "x-codex-turn-metadata": expect.stringContaining(turnId),
    "x-codex-window-id": "thread:0",
  });
});
