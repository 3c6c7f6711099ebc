/** Webhooks of whole servers: what a killed one has announced is delivered by another, signed and once. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { Webhook } from "standardwebhooks";
import { expect, onTestFinished, test, vi } from "vitest";
import { databaseOf } from "../../src/store/files/sqlite/database-file.ts";
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
