/** Embedding programs with their own model and tools. */
import { expect, onTestFinished, test } from "vitest";
import { createHeddle, type EmbeddedOptions, type ModelEvent } from "../../src/index.ts";
import { startTestHeddle } from "../../src/testing/index.ts";
import { createTempHome } from "../support/temp-home.ts";

async function embed(options: EmbeddedOptions) {
  const { home, workspace: cwd, user: HOME, remove } = await createTempHome();
  const heddle = await createHeddle({ home, cwd, env: { HOME, PATH: process.env["PATH"] }, ...options });
  onTestFinished(async () => {
    await heddle.close();
    await remove();
  });
  return heddle;
}

test("a function is the model, and sees the conversation and the tools", async () => {
  const heddle = await embed({
    model: async function* ({ input, tools }) {
      const last = input.at(-1);
      if (last?.type === "function_call_output") {
        yield `done: ${JSON.stringify(last.output).includes("made by a function")}`;
        return;
      }
      const call = { type: "function_call", call_id: "c1", name: "exec_command" };
      const cmd = "echo made by a function";
      yield `with ${tools.length > 0 ? "tools" : "none"}`;
      yield {
        type: "itemDone",
        item: { ...call, arguments: JSON.stringify({ cmd }) },
      } as unknown as ModelEvent;
    },
  });
  const client = await heddle.connect();
  const thread = await client.startThread({ approvalPolicy: "never", sandbox: "danger-full-access" });
  const { items, text } = await thread.run("go");
  expect(items.map(({ type }) => type)).toEqual([
    "userMessage",
    "agentMessage",
    "commandExecution",
    "agentMessage",
  ]);
  expect(text).toBe("done: true");
});

test("a model that throws fails the turn with its reason, and the thread goes on", async () => {
  let count = 0;
  const heddle = await embed({
    model: () => {
      count += 1;
      if (count === 1) throw new Error("no idea");
      return "again";
    },
  });
  const thread = await (await heddle.connect()).startThread();
  await expect(thread.run("x")).rejects.toThrow("no idea");
  expect((await thread.run("x")).text).toBe("again");
});

test("the demo model calls a client's tool", async () => {
  const { client, close } = await startTestHeddle({ capabilities: { experimentalApi: true } });
  onTestFinished(close);
  client.answer("item/tool/call", ({ tool, arguments: given }) => ({
    success: true,
    contentItems: [{ type: "inputText", text: `${tool} of ${JSON.stringify(given)}` }],
  }));
  const thread = await client.startThread({
    dynamicTools: [
      {
        type: "function",
        name: "weather",
        description: "The weather of a city.",
        inputSchema: { type: "object", properties: { city: { type: "string" } } },
      },
    ],
  });
  expect((await thread.run('call weather {"city":"Oslo"}')).text).toBe(
    'The tool `weather` answered: weather of {"city":"Oslo"}',
  );
});
