/** Webhooks of whole servers: what a killed one has announced is delivered by another, signed and once. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Webhook } from "standardwebhooks";
import { expect, onTestFinished, test, vi } from "vitest";
import { createDeferred } from "../../src/base/tasks.ts";
import { databaseOf } from "../../src/store/files/sqlite/database-file.ts";
import { openDatabase } from "../../src/store/files/sqlite/driver.ts";
import { openSqliteTables } from "../../src/store/files/sqlite/sqlite-tables.ts";
import { Child } from "../support/child.ts";
import { modelConfig } from "../support/model-config.ts";
import { functionCallDone, messageReply, reply } from "../support/model-events.ts";
import { openScriptedModel } from "../support/scripted-model.ts";
import { HEDDLE, serverEnvironment, startServer } from "../support/start-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";

const SECRET = `whsec_${Buffer.alloc(32, 7).toString("base64")}`;
const CLIENT = {
  clientInfo: { name: "webhooks", title: null, version: "1.0.0" },
  capabilities: { experimentalApi: true },
};

interface Event {
  readonly id: string;
  readonly type: string;
  readonly data: Record<string, unknown>;
}

/** Verifies every request with the reference library. */
async function openReceiver(status = () => 204) {
  const events: Event[] = [];
  const server = createServer((request, response) => {
    let body = "";
    request.setEncoding("utf8").on("data", (text: string) => {
      body += text;
    });
    request.on("end", () => {
      const headers = request.headers as Record<string, string>;
      const event = new Webhook(SECRET).verify(body, headers) as Omit<Event, "id">;
      events.push({ id: headers["webhook-id"] ?? "", ...event });
      response.writeHead(status()).end();
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  onTestFinished(() => void server.close());
  const received = (count: number) =>
    vi.waitFor(() => expect(events.length).toBeGreaterThanOrEqual(count), { timeout: 15_000 });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`, events, received };
}

const entry = (url: string, more = "") => `
[[webhooks]]
url = "${url}"
secret = "${SECRET}"
allow_private = true
${more}`;

async function openHome(tables: string, replies = [messageReply("All done")]) {
  const model = await openScriptedModel(replies);
  onTestFinished(() => model.close());
  const home = await createTempHome({ config: modelConfig(model.url, { tables }) });
  onTestFinished(() => home.remove());
  return home;
}

/** A server on stdio, which delivers nothing. */
async function startOther(home: TempHome) {
  const server = await startServer({ home });
  onTestFinished(async () => void (await server.stop()));
  const client = await server.connect();
  await client.result("initialize", CLIENT);
  const { thread } = (await client.result("thread/start", {})) as { thread: { id: string } };
  const say = (text: string, more = {}) =>
    client.result("turn/start", { threadId: thread.id, input: [{ type: "text", text }], ...more });
  return { server, client, threadId: thread.id, say };
}

async function serve(home: TempHome) {
  const args = [...HEDDLE.args, "serve", "--listen=ws://127.0.0.1:0"];
  const child = new Child({
    command: HEDDLE.command,
    args,
    cwd: home.workspace,
    env: serverEnvironment(home),
  });
  onTestFinished(async () => void (await child.stop()));
  await child.stderrMatch(/Connect with/u, 20_000);
  return child;
}

test("a turn that ended just before its server was killed is announced once, by the next server", async () => {
  const { url, events, received } = await openReceiver();
  const home = await openHome(entry(url));
  const { server, client, threadId, say } = await startOther(home);
  await say("Hello");
  await client.next({ method: "turn/completed" });
  server.child.signal("SIGKILL");
  await server.child.exit;
  expect(events).toEqual([]);
  await serve(home);
  await received(1);
  const [event] = events;
  expect(event).toMatchObject({
    id: expect.stringMatching(/^evt_[0-9a-f-]+_end$/),
    type: "turn.ended",
    data: { threadId, status: "completed", text: "All done", cwd: home.workspace, reason: null },
  });
  // A delivery that is finished is never claimed again.
  const { outbox, close } = openSqliteTables(databaseOf(home.home));
  onTestFinished(close);
  await vi.waitFor(async () =>
    expect(await outbox.list({ limit: 9 })).toMatchObject([{ state: "delivered" }]),
  );
  expect(events).toHaveLength(1);
});

test("what a server was sending when it was killed is sent again under the same id, once its claim has ended", async () => {
  const asked = createDeferred<string>();
  const silent = createServer((request) => asked.resolve(String(request.headers["webhook-id"])));
  await new Promise<void>((resolve) => {
    silent.listen(0, "127.0.0.1", resolve);
  });
  const { port } = silent.address() as AddressInfo;
  const home = await openHome(entry(`http://127.0.0.1:${port}/in`, 'name = "mine"'));
  const first = await serve(home);
  const { say } = await startOther(home);
  await say("Hello");
  const id = await asked.promise;
  first.signal("SIGKILL");
  await first.exit;
  silent.closeAllConnections();
  silent.close();
  const { url, events, received } = await openReceiver();
  await home.write(
    "home/config.toml",
    readFileSync(join(home.home, "config.toml"), "utf8").replace(/url = "http.*in"/, `url = "${url}"`),
  );
  const database = openDatabase(databaseOf(home.home));
  database.exec("UPDATE outbox SET due_at_ms = 0 WHERE state = 'claimed'");
  database.close();
  await serve(home);
  await received(1);
  expect(events.map((event) => event.id)).toEqual([id]);
});

test("a question is announced while its turn waits, and its end afterwards", async () => {
  const { url, events, received } = await openReceiver();
  const call = functionCallDone("call", "exec_command", { cmd: "touch made" });
  const replies = [reply("1", call), messageReply("All done")];
  const home = await openHome(entry(url), replies);
  await serve(home);
  const { client, threadId, say } = await startOther(home);
  await say("Make it", { approvalPolicy: "untrusted" });
  const asked = await client.next({ method: "item/commandExecution/requestApproval" });
  await received(1);
  expect(events[0]).toMatchObject({
    type: "question.opened",
    data: {
      threadId,
      question: "item/commandExecution/requestApproval",
      text: expect.stringContaining("touch made"),
    },
  });
  client.answer(asked["id"] as number, { decision: "decline" });
  await client.next({ method: "turn/completed" });
  await received(2);
  expect(events[1]).toMatchObject({ type: "turn.ended", data: { threadId } });
});

test("a wait for the end of a usage limit is announced once, also across a killed server, and then its end", async () => {
  const { url, events, received } = await openReceiver();
  const resetsAt = Math.ceil(Date.now() / 1000) + 4;
  const error = { type: "usage_limit_reached", message: "used up", resets_at: resetsAt };
  const home = await openHome(`[limits]\non_usage_limit = "suspend"\n${entry(url)}`, [
    { status: 429, body: { error } },
    messageReply("All done"),
  ]);
  const first = await serve(home);
  const { server, threadId, say } = await startOther(home);
  await say("Hello");
  await received(1);
  const [event] = events;
  expect(event).toMatchObject({
    type: "thread.suspended",
    data: { threadId, reason: expect.stringContaining("usage limit") },
  });
  expect(Date.parse(event?.data["until"] as string)).toBeGreaterThanOrEqual(resetsAt * 1000);
  server.child.signal("SIGKILL");
  first.signal("SIGKILL");
  await Promise.all([server.child.exit, first.exit]);
  await serve(home);
  await received(2);
  expect(events.map(({ type }) => type)).toEqual(["thread.suspended", "turn.ended"]);
});

test("an entry with a mistake is named in the log, and the others work", async () => {
  const { url, events, received } = await openReceiver();
  const home = await openHome(
    `${entry("nowhere")}${entry(url, 'name = "good"')}${entry(url, 'events = ["x"]')}`,
  );
  const child = await serve(home);
  const { say } = await startOther(home);
  await say("Hello");
  await received(1);
  expect(events.map(({ type }) => type)).toEqual(["turn.ended"]);
  expect(child.stderr).toMatch(/webhooks\[0\]\.url.* is not a URL/);
  expect(child.stderr).toMatch(/webhooks\[2\]\.events.* has the unknown event/);
  expect(child.stderr).not.toContain(SECRET);
});

/** The receiver of the documents, as a process. */
async function startReceiver(secret: string) {
  const page = readFileSync("docs/webhooks.md", "utf8");
  const [, code = ""] = /^```javascript\n(.*?)^```$/ms.exec(page) ?? [];
  const folder = mkdtempSync(join(tmpdir(), "heddle-receiver-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const file = join(folder, "receiver.mjs");
  writeFileSync(
    file,
    code.replace("process.env.PORT ?? 8080", "0").replace('"listening"', "server.address().port"),
  );
  const env = { PATH: process.env["PATH"] ?? "", HEDDLE_WEBHOOK_SECRET: secret };
  const child = new Child({ command: process.execPath, args: [file], cwd: folder, env });
  onTestFinished(async () => void (await child.stop()));
  await vi.waitFor(() => expect(child.stdout).toMatch(/^\d+\n/), { timeout: 10_000 });
  return { child, url: `http://127.0.0.1:${child.stdout.trim()}/` };
}

function run(home: TempHome, ...args: readonly string[]) {
  const { stdout, status, stderr } = spawnSync(HEDDLE.command, [...HEDDLE.args, "webhooks", ...args], {
    cwd: home.workspace,
    env: serverEnvironment(home),
    encoding: "utf8",
  });
  return { stdout, status, stderr };
}

test("the receiver of the documents accepts what is signed with its secret, and the command line reports it", async () => {
  const { child, url } = await startReceiver(SECRET);
  const other = await startReceiver(`whsec_${Buffer.alloc(32, 8).toString("base64")}`);
  const home = await openHome(`${entry(url, 'name = "mine"')}${entry(other.url, 'name = "other"')}`);
  const tested = run(home, "test", "--json");
  expect([tested.status, JSON.parse(tested.stdout)]).toEqual([
    1,
    {
      results: [
        { endpointId: "mine", delivered: true, status: 204, error: null },
        { endpointId: "other", delivered: false, status: 401, error: "it answered 401" },
      ],
      faults: [],
    },
  ]);
  await vi.waitFor(() => expect(child.stdout).toContain('"type":"webhook.test"'));
  expect(run(home, "test", "mine")).toMatchObject({ status: 0, stdout: "accepted  mine  204\n" });
  expect(run(home, "test", "nobody")).toMatchObject({ status: 1, stderr: expect.stringContaining("nobody") });
});

test("a client and the command line see deliveries, and retry what a 410 has abandoned", async () => {
  let status = 410;
  const { url, received } = await openReceiver(() => status);
  const home = await openHome(entry(url, 'name = "mine"'));
  await serve(home);
  const { client, say } = await startOther(home);
  await say("Hello");
  await received(1);
  await vi.waitFor(
    async () =>
      expect(await client.result("webhook/list", {})).toMatchObject({
        endpoints: [{ id: "mine", off: { reason: "it answered 410 Gone" } }],
        data: [{ type: "turn.ended", status: "abandoned", attempts: 1, lastAttempt: { status: 410 } }],
        nextCursor: null,
      }),
    { timeout: 10_000 },
  );
  expect(run(home, "list").stdout).toMatch(
    /off {2}mine .*410 Gone\n\n +1 .* abandoned {2}turn\.ended {2}mine/,
  );
  status = 204;
  expect(run(home, "retry", "--endpoint", "mine")).toMatchObject({
    status: 0,
    stdout: "mine is on again; 1 delivery is due now\n",
  });
  await received(2);
  const error = { error: { message: "no webhook of the configuration has the id x" } };
  expect(await client.request("webhook/retry", { endpointId: "x" })).toMatchObject(error);
  expect(await client.result("webhook/test", {})).toEqual({
    results: [{ endpointId: "mine", delivered: true, status: 204, error: null }],
  });
});
