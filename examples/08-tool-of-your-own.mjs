// A tool that runs in this program: the model calls it, the server asks, this program answers.

import assert from "node:assert/strict";
import { startTestHeddle } from "heddle/testing";

// As in a test: a temporary home, none of your keys, and the demo model, which calls what it is told to.
const { client, close } = await startTestHeddle({ capabilities: { experimentalApi: true } });

client.answer("item/tool/call", ({ tool, arguments: given }) => {
  const { city = "nowhere" } = /** @type {{ city?: string }} */ (given);
  const text = tool === "weather" ? `It rains in ${city}.` : `There is no tool ${tool}.`;
  return { success: tool === "weather", contentItems: [{ type: "inputText", text }] };
});

const thread = await client.startThread({
  dynamicTools: [
    {
      type: "function",
      name: "weather",
      description: "Says what the weather is like in a city.",
      inputSchema: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
    },
  ],
});
const { text } = await thread.run('call weather {"city": "Bergen"}');

console.log(text);
assert.match(text, /It rains in Bergen/);
await close();
