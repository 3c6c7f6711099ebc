import { expect, test } from "vitest";
import type { Tool } from "../tools/tool.ts";
import { calls, completed } from "./scripted-model.fixture.ts";
import { startThread } from "./thread.fixture.ts";

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
    const event = calls(callId, "x", {});
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
