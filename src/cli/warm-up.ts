import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import { silentLogger } from "../base/logger.ts";
import { type Heddle, openHeddle } from "../server/heddle.ts";
import { databaseOf } from "../store/open/home-maintenance.ts";
import { openStdio } from "../transport/stdio.ts";

/**
 * Runs what most servers do first, so that the code cache holds these functions compiled: the handshake, a turn with a
 * command, and the resume of a thread with a long history. It runs no more than that, because the cache of a script is read whole.
 */
export async function warmCodeCache(): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), "heddle-warm-"));
  const model = await openModel();
  writeFileSync(join(home, "config.toml"), configFor(model.url));
  const inServer = async <T>(use: (heddle: Heddle) => Promise<T>): Promise<T> => {
    const heddle = await openHeddle({
      env: { HEDDLE_HOME: home, HOME: home, PATH: process.env["PATH"] },
      cwd: home,
      log: silentLogger,
      flags: {},
      profile: null,
      strictConfig: false,
    });
    try {
      return await use(heddle);
    } finally {
      await heddle.close();
    }
  };
  const threadId = await inServer(runOneTurn);
  // The resume then indexes the file, as it does after a server that was killed.
  rmSync(databaseOf(home));
  await inServer((heddle) => resume(heddle, threadId));
  model.close();
  rmSync(home, { recursive: true, force: true });
}

type Send = (message: object, expected: string) => Promise<string>;

function openClient(heddle: Heddle): Send {
  const input = new PassThrough();
  const output = new PassThrough().setEncoding("utf8");
  heddle.connect(openStdio({ input, output, limits: heddle.limits, log: silentLogger }));
  let received = "";
  output.on("data", (text: string) => {
    received += text;
  });
  return async (message, expected) => {
    received = "";
    input.write(`${JSON.stringify(message)}\n`);
    while (!received.includes(expected)) await new Promise((resolve) => output.once("data", resolve));
    return received;
  };
}

const INITIALIZE = { id: 0, method: "initialize", params: { clientInfo: { name: "warm-up", version: "1" } } };

/** Returns the id of the thread. */
async function runOneTurn(heddle: Heddle): Promise<string> {
  const send = openClient(heddle);
  await send(INITIALIZE, "remoteControl/status/changed");
  const rights = { sandbox: "danger-full-access", approvalPolicy: "never" };
  const started = await send({ id: 1, method: "thread/start", params: rights }, '"thread/started"');
  const threadId = /"thread":\{"id":"([^"]+)"/.exec(started)?.[1];
  if (threadId === undefined) throw new Error(`no thread was started: ${started}`);
  const params = { threadId, input: [{ type: "text", text: "Hello" }] };
  await send({ id: 2, method: "turn/start", params }, '"turn/completed"');
  return threadId;
}

async function resume(heddle: Heddle, threadId: string): Promise<void> {
  const send = openClient(heddle);
  await send(INITIALIZE, "remoteControl/status/changed");
  await send({ id: 1, method: "thread/resume", params: { threadId } }, '"thread/goal/cleared"');
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
const CALL = {
  type: "function_call",
  id: "2",
  call_id: "c",
  name: "exec_command",
  arguments: '{"cmd":"echo a"}',
};
const COMMAND = [
  { type: "response.created", response: { id: "1" } },
  { type: "response.output_item.done", item: CALL },
  { type: "response.completed", response: { id: "1", usage: USAGE } },
];
/** A long history is read and sent in another way than a short one. */
const MORE_ITEMS = Array.from({ length: 250 }, (_, at) => ({
  type: "response.output_item.done",
  item: { ...ITEM, id: `more-${at}` },
}));
const ANSWER = [
  { type: "response.created", response: { id: "1" } },
  { type: "response.output_item.added", item: { ...ITEM, id: "1", content: [] } },
  { type: "response.output_text.delta", item_id: "1", delta: "Done" },
  { type: "response.output_item.done", item: { ...ITEM, id: "1" } },
  ...MORE_ITEMS,
  { type: "response.completed", response: { id: "1", usage: USAGE } },
];

/** A model server that calls for a command first, and then always answers with a message. */
async function openModel(): Promise<{ readonly url: string; close(): void }> {
  let asked = 0;
  const server = createServer((request, response) => {
    request.resume();
    const events = asked === 0 ? COMMAND : ANSWER;
    asked += 1;
    const text = events.map((event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`).join("");
    response.writeHead(200, { "content-type": "text/event-stream" }).end(text);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/v1`, close: () => void server.close() };
}
