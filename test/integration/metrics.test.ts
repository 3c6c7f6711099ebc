/** The metrics of a real server after real turns, read by a third-party parser, and who may not read them. */
import { writeFileSync } from "node:fs";
import { request as httpRequest, type IncomingMessage } from "node:http";
import { join } from "node:path";
import { text as textOf } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import { type Client, connect } from "../../src/client/index.ts";
import { METRICS } from "../../src/server/metrics/metric-table.ts";
import { Child } from "../support/child.ts";
import { modelConfig } from "../support/model-config.ts";
import { functionCallDone, messageReply, reply, streamedReply } from "../support/model-events.ts";
import { scrape } from "../support/scrape.ts";
import { type ModelReply, openScriptedModel } from "../support/scripted-model.ts";
import { HEDDLE, serverEnvironment } from "../support/start-server.ts";
import { createTempHome } from "../support/temp-home.ts";

const DEADLINE = 20_000;
const TOKEN = "a-token-that-nobody-guesses";
const say = (threadId: string, text: string) => ({ threadId, input: [{ type: "text" as const, text }] });

interface ServeOptions {
  readonly replies?: readonly ModelReply[];
  readonly args?: readonly string[];
  readonly hooks?: object;
  readonly hasToken?: boolean;
}

async function serve({ replies = [], args = ["--metrics"], hooks, hasToken = false }: ServeOptions = {}) {
  const model = await openScriptedModel(replies);
  const home = await createTempHome({ config: modelConfig(model.url) });
  const tokenFile = join(home.root, "token");
  writeFileSync(tokenFile, TOKEN, { mode: 0o600 });
  if (hooks !== undefined) await home.write("home/hooks.json", JSON.stringify({ hooks }));
  const auth = hasToken ? ["--ws-auth", "capability-token", "--ws-token-file", tokenFile] : [];
  const child = new Child({
    command: HEDDLE.command,
    args: [...HEDDLE.args, "serve", "--listen", "ws://127.0.0.1:0", ...auth, ...args],
    cwd: home.workspace,
    env: serverEnvironment(home),
  });
  onTestFinished(async () => {
    await child.stop();
    await model.close();
    await home.remove();
  });
  const [, address = ""] = await child.stderrMatch(/listening on {2}ws:\/\/(\S+)/u, DEADLINE);
  return { model, home, child, address };
}

async function open(address: string, options: Parameters<typeof connect>[1] = {}): Promise<Client> {
  const client = await connect(`ws://${address}`, {
    reconnect: false,
    capabilities: { experimentalApi: true },
    ...options,
  });
  onTestFinished(() => client.close());
  return client;
}

/** Trusts every hook, as a user does after a review. */
async function trustAll(client: Client, cwd: string): Promise<void> {
  const { data } = await client.hooks.list({ cwds: [cwd] });
  const state = Object.fromEntries(
    data.flatMap(({ hooks }) => hooks.map(({ key, currentHash }) => [key, { trusted_hash: currentHash }])),
  );
  const edits = [{ keyPath: "hooks.state", mergeStrategy: "upsert" as const, value: state }];
  await client.config.batchWrite({ edits, reloadUserConfig: true });
}

test("metrics of a server count what has happened in it", async () => {
  const { model, home, address } = await serve({
    replies: [
      reply("1", functionCallDone("call_1", "exec_command", { cmd: "touch made", login: false })),
      streamedReply(["Do", "ne"], "2"),
      messageReply("Held", { held: true, id: "3" }),
      messageReply("Queued", { id: "4" }),
      { status: 400, body: { error: { message: "no such thing" } } },
    ],
    hooks: { UserPromptSubmit: [{ hooks: [{ type: "command", command: "cat >/dev/null" }] }] },
  });
  const before = await scrape(address);
  expect([
    before.value("heddle_connections", { transport: "websocket" }),
    before.value("heddle_threads_loaded"),
  ]).toEqual([0, 0]);

  const client = await open(address, { approve: () => "accept" });
  await trustAll(client, home.workspace);
  const { thread } = await client.thread.start({
    approvalPolicy: "untrusted",
    sandbox: "danger-full-access",
  });
  expect((await client.runTurn(say(thread.id, "Make it"))).status).toBe("completed");

  const completed = new Promise<void>((resolve) => {
    let left = 2;
    client.on("turn/completed", () => void (--left === 0 && resolve()));
  });
  await client.turn.start(say(thread.id, "Wait"));
  await model.arrived(3);
  await client.thread.queue.add({ ...say(thread.id, "Later"), clientUserMessageId: "later" });
  const during = await scrape(address);
  expect({
    pending: during.value("heddle_queued_turns", { state: "pending" }),
    running: during.value("heddle_turns_running"),
    loaded: during.value("heddle_threads_loaded"),
    open: during.value("heddle_connections", { transport: "websocket" }),
  }).toEqual({ pending: 1, running: 1, loaded: 1, open: 1 });
  expect(during.value("heddle_queue_oldest_seconds")).toBeGreaterThan(0);
  model.release();
  await completed;
  expect((await client.runTurn(say(thread.id, "Fail"))).status).toBe("failed");
  await expect(client.thread.read({ threadId: "nothing", includeTurns: false })).rejects.toThrow(
    "invalid thread id",
  );

  const after = await scrape(address);
  const ended = (end: string) => after.value("heddle_turns_total", { kind: "user", end });
  expect([ended("completed"), ended("failed"), ended("interrupted")]).toEqual([3, 1, 0]);
  const asked = (end: string) => after.value("heddle_model_requests_total", { end });
  expect([asked("completed"), asked("failed")]).toEqual([4, 1]);
  const tokens = (kind: string) => after.value("heddle_tokens_total", { kind });
  expect([tokens("input"), tokens("output")]).toEqual([40, 20]);
  expect({
    first: after.count("heddle_turn_first_delta_seconds"),
    whole: after.count("heddle_turn_seconds"),
    responses: after.count("heddle_model_request_seconds"),
    errors: after.value("heddle_model_errors_total", { error: "other" }),
    calls: after.value("heddle_tool_calls_total", { tool: "exec_command", end: "done" }),
    commands: after.value("heddle_commands_total", { status: "completed" }),
    approved: after.value("heddle_permissions_total", {
      kind: "command",
      decision: "approved",
      by: "client",
    }),
    waits: after.count("heddle_permission_wait_seconds"),
    waiting: after.value("heddle_permissions_waiting"),
    hooks: after.value("heddle_hook_runs_total", { event: "userPromptSubmit", status: "completed" }),
    queued: after.value("heddle_queued_turns", { state: "pending" }),
    started: after.value("heddle_requests_total", { method: "turn/start" }),
    unknownThread: after.value("heddle_request_errors_total", { method: "thread/read", code: "-32600" }),
    running: after.value("heddle_turns_running"),
    lost: after.value("heddle_store_append_failures_total"),
  }).toEqual({
    first: 1,
    whole: 4,
    responses: 5,
    errors: 1,
    calls: 1,
    commands: 1,
    approved: 1,
    waits: 1,
    waiting: 0,
    hooks: 4,
    queued: 0,
    started: 3,
    unknownThread: 1,
    running: 0,
    lost: 0,
  });
  expect(after.count("heddle_store_append_seconds")).toBeGreaterThan(10);
  expect(after.count("heddle_event_loop_delay_seconds")).toBeGreaterThan(0);
  expect(after.value("heddle_memory_bytes", { kind: "rss" })).toBeGreaterThan(1e7);
  expect(after.value("heddle_open_fds")).toBeGreaterThan(3);
  expect(after.value("heddle_cpu_seconds_total", { mode: "user" })).toBeGreaterThan(0);
  expect(after.names).toEqual(Object.keys(METRICS));
});

/** A request with headers that `fetch` would not send. */
async function ask(
  address: string,
  {
    method = "GET",
    path = "/metrics",
    headers = {},
  }: { method?: string; path?: string; headers?: object } = {},
): Promise<[number | undefined, string]> {
  const [host, port] = address.split(":");
  const request = httpRequest({ host, port, path, method, headers: { ...headers } });
  request.end();
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    request.on("response", resolve).on("error", reject);
  });
  return [response.statusCode, await textOf(response)];
}

describe("who may read metrics", () => {
  test("nobody where they were not asked for", async () => {
    const { address } = await serve({ args: [] });
    expect(await ask(address)).toEqual([400, "Connection header did not include 'upgrade'"]);
  });

  test("programs of this machine, and no web page or name that leads here", async () => {
    const { address } = await serve();
    expect((await ask(address))[0]).toBe(200);
    expect(await ask(address, { method: "HEAD" })).toEqual([200, ""]);
    expect(await ask(address, { method: "POST" })).toEqual([405, "ask with GET or HEAD"]);
    expect(await ask(address, { headers: { origin: "https://evil.example" } })).toMatchObject([
      403,
      expect.stringContaining("web pages are not served") as string,
    ]);
    expect(await ask(address, { headers: { host: "evil.example" } })).toMatchObject([
      403,
      expect.stringContaining("Host") as string,
    ]);
    const after = await scrape(address);
    expect(after.value("heddle_connections_refused_total", { status: "403" })).toBe(2);
  });

  test("with --ws-auth whoever has the token", async () => {
    const { address } = await serve({ hasToken: true });
    const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
    expect(await ask(address)).toEqual([401, "missing websocket bearer token"]);
    expect(await ask(address, bearer("guess"))).toEqual([401, "invalid websocket bearer token"]);
    expect(await ask(address, { method: "HEAD" })).toEqual([401, ""]);
    expect((await ask(address, bearer(TOKEN)))[0]).toBe(200);
    const [, issued] = await ask(address, { method: "POST", path: "/ticket", ...bearer(TOKEN) });
    const { ticket } = JSON.parse(issued) as { ticket: string };
    expect((await ask(address, { path: `/metrics?ticket=${ticket}` }))[0]).toBe(401);
  });
});

test("whatever clients and models call things, there are no more series and no word of theirs is in them", async () => {
  const names = Array.from({ length: 40 }, (_none, at) => `invented${at}`);
  const { address } = await serve({
    replies: [
      reply("1", ...names.map((name, at) => functionCallDone(`call_${at}`, name, {}))),
      messageReply("Done", { id: "2" }),
    ],
  });
  const client = await open(address, { clientInfo: { name: "invented", title: null, version: "invented" } });
  for (const name of names) await client.request(name as never, {} as never).catch(() => {});
  const { thread } = await client.thread.start({ model: "invented" });
  await client.runTurn(say(thread.id, "invented"));
  const after = await scrape(address);
  expect(after.labelValues.filter((value) => value.includes("invented"))).toEqual([]);
  expect(after.value("heddle_requests_total", { method: "unknown" })).toBe(names.length);
});
