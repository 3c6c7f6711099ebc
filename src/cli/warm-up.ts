import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { silentLogger } from "../base/logger.ts";
import { type Heddle, openHeddle } from "../server/heddle.ts";
import { openStdio } from "../transport/stdio.ts";

/**
 * Runs the handshake and one plain turn, so that the code cache holds these functions compiled: a first turn then takes
 * half as long. It runs no more than that, because the whole cache is read at every start.
 */
export async function warmCodeCache(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "heddle-warm-"));
  const model = await openModel();
  writeFileSync(join(home, "config.toml"), configFor(model.url));
  const heddle = await openHeddle({
    env: { HEDDLE_HOME: home, HOME: home },
    cwd: home,
    log: silentLogger,
    flags: {},
    profile: null,
    strictConfig: false,
  });
  await runOneTurn(heddle);
  await heddle.close();
  model.close();
  rmSync(home, { recursive: true, force: true });
}

async function runOneTurn(heddle: Heddle): Promise<void> {
  const input = new PassThrough();
  const output = new PassThrough().setEncoding("utf8");
  heddle.connect(openStdio({ input, output, limits: heddle.limits, log: silentLogger }));
  let received = "";
  output.on("data", (text: string) => {
    received += text;
  });
  const send = async (message: object, expected: string): Promise<void> => {
    input.write(`${JSON.stringify(message)}\n`);
    while (!received.includes(expected)) await new Promise((resolve) => output.once("data", resolve));
  };

  const clientInfo = { name: "warm-up", version: "1" };
  await send({ id: 0, method: "initialize", params: { clientInfo } }, "remoteControl/status/changed");
  await send({ id: 1, method: "thread/start", params: {} }, '"thread/started"');
  const threadId = /"thread":\{"id":"([^"]+)"/.exec(received)?.[1];
  const params = { threadId, input: [{ type: "text", text: "Hello" }] };
  await send({ id: 2, method: "turn/start", params }, '"turn/completed"');
}

function configFor(modelUrl: string): string {
  return `model = "warm-up"
model_provider = "warm-up"
[model_providers.warm-up]
name = "Warm-up"
base_url = "${modelUrl}"
wire_api = "responses"
`;
}

const ITEM = { type: "message", role: "assistant", content: [{ type: "output_text", text: "Done" }] };
const USAGE = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
const ANSWER = [
  { type: "response.created", response: { id: "1" } },
  { type: "response.output_item.added", item: { ...ITEM, id: "1", content: [] } },
  { type: "response.output_text.delta", item_id: "1", delta: "Done" },
  { type: "response.output_item.done", item: { ...ITEM, id: "1" } },
  { type: "response.completed", response: { id: "1", usage: USAGE } },
];

/** A model server with one fixed response. */
async function openModel(): Promise<{ readonly url: string; close(): void }> {
  const text = ANSWER.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
  const server = createServer((request, response) => {
    request.resume();
    response.writeHead(200, { "content-type": "text/event-stream" }).end(text);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, close: () => void server.close() };
}
