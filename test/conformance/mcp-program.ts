/** An MCP server on stdio for scenarios, as the text of a program that needs nothing but Node. */
export const MCP_PROGRAM = `
import { createInterface } from "node:readline";

const send = (message) => process.stdout.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\\n");
const text = (value) => ({ content: [{ type: "text", text: value }] });
const waiting = new Map();
let asked = 100;
function ask(method, params) {
  asked += 1;
  send({ id: asked, method, params });
  return new Promise((resolve) => waiting.set(asked, resolve));
}

const readOnly = { readOnlyHint: true };
const none = { type: "object", properties: {} };
const echoInput = {
  type: "object",
  properties: {
    message: { type: "string", default: "x" },
    kind: { const: "a" },
    count: { type: ["integer", "null"] },
  },
  required: ["message"],
  additionalProperties: false,
};
const tools = [
  { name: "echo", title: "Echo", description: "Echoes", inputSchema: echoInput, annotations: readOnly },
  { name: "image", description: "Shows", inputSchema: { type: "object" }, annotations: readOnly },
  { name: "fail", description: "Fails", inputSchema: none, annotations: readOnly },
  { name: "refuse", description: "Refuses", inputSchema: none, annotations: readOnly },
  { name: "hang", description: "Hangs", inputSchema: none, annotations: readOnly },
  { name: "ask", description: "Asks", inputSchema: none, annotations: readOnly },
  { name: "page", description: "Asks with a page", inputSchema: none, annotations: readOnly },
  { name: "own_form", description: "Asks with a form of the client's own", inputSchema: none, annotations: readOnly },
  { name: "extensions", description: "Tells what the client can do", inputSchema: none, annotations: readOnly },
  { name: "die", description: "Ends the server", inputSchema: none, annotations: readOnly },
  { name: "danger.one", title: "Danger", description: "Destroys", inputSchema: none, annotations: { destructiveHint: true } },
];
const form = { type: "object", properties: { sure: { type: "boolean" } }, required: ["sure"] };
const ownForm = { type: "object", properties: { template: { type: "openai/imagePicker", items: [] } } };
let extensions = null;
const calls = {
  echo: ({ message }) => ({ ...text("Echo " + message), structuredContent: { echo: message }, _meta: { a: 1 } }),
  image: () => ({ content: [{ type: "text", text: "Look" }, { type: "image", data: "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==", mimeType: "image/png" }, { type: "resource_link", uri: "memo://a", name: "a" }] }),
  fail: () => ({ ...text("It failed"), isError: true }),
  hang: () => new Promise(() => {}),
  ask: async ({ meta }) => text(JSON.stringify(await ask("elicitation/create", { message: "Really?", requestedSchema: form, _meta: meta }))),
  page: async () => text(JSON.stringify(await ask("elicitation/create", { mode: "url", message: "Sign in", url: "https://example.test/", elicitationId: "e1" }))),
  own_form: async ({ meta }) => text(JSON.stringify(await ask("openai/form", { message: "Which?", requestedSchema: ownForm, _meta: meta }))),
  extensions: () => text(JSON.stringify(extensions)),
  die: () => {
    setTimeout(() => process.exit(0), 50);
    return text("Bye");
  },
  "danger.one": () => text("Destroyed"),
};

async function answer(method, params) {
  switch (method) {
    case "initialize":
      extensions = params.capabilities.extensions ?? null;
      return { protocolVersion: params.protocolVersion, capabilities: { tools: {}, resources: {} }, serverInfo: { name: "memo", title: "Memo", version: "1.2.3" }, instructions: "Use it well." };
    case "tools/list":
      return { tools };
    case "resources/list":
      return { resources: [{ uri: "memo://a", name: "a", mimeType: "text/plain" }] };
    case "resources/templates/list":
      return { resourceTemplates: [{ uriTemplate: "memo://{id}", name: "any" }] };
    case "resources/read":
      if (params.uri === "memo://a") return { contents: [{ uri: "memo://a", text: "AAA" }, { uri: "memo://b", blob: "Qg==" }] };
      throw { code: -32002, message: "no such resource" };
    case "tools/call":
      if (calls[params.name]) return calls[params.name](params.arguments ?? {});
      throw { code: -32001, message: "refused", data: { x: 1 } };
    default:
      throw { code: -32601, message: "unknown" };
  }
}

createInterface({ input: process.stdin }).on("line", async (line) => {
  const { id, method, params, result } = JSON.parse(line);
  if (method === undefined) return waiting.get(id)?.(result ?? "refused");
  if (id === undefined) return;
  try {
    send({ id, result: await answer(method, params) });
  } catch (error) {
    send({ id, error });
  }
});
`;
