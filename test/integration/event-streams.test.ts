/** Durable events of threads: their positions, replays from any of them, and the change from stored to live ones. */
import { describe, expect, onTestFinished, test } from "vitest";
import { at, type JsonObject } from "../support/json.ts";
import { modelConfig } from "../support/model-config.ts";
import {
  functionCallDone,
  messageReply,
  reply,
  streamedReply,
  unfinishedReply,
} from "../support/model-events.ts";
import type { RpcClient } from "../support/rpc-client.ts";
import { type ModelReply, openScriptedModel } from "../support/scripted-model.ts";
import { type RunningServer, startServer } from "../support/start-server.ts";
import { createTempHome } from "../support/temp-home.ts";

const CLIENT = {
  clientInfo: { name: "test", version: "1" },
  capabilities: { experimentalApi: true, resumableEvents: true },
};

async function openHome(replies: readonly ModelReply[], root = "") {
  const model = await openScriptedModel(replies);
  onTestFinished(() => model.close());
  const home = await createTempHome({ config: modelConfig(model.url, { root }) });
  onTestFinished(() => home.remove());
  const start = async () => {
    const server = await startServer({ transport: "ws", home });
    onTestFinished(async () => void (await server.stop()));
    return server;
  };
  return { model, home, start };
}

async function connect(server: RunningServer, params: object = CLIENT): Promise<RpcClient> {
  const client = await server.connect();
  await client.result("initialize", params);
  client.notify("initialized");
  return client;
}

/** The durable events that a client has received of a thread, in order. */
function eventsOf(client: RpcClient, threadId: string): JsonObject[] {
  return client.received
    .filter(
      ({ kind, message }) => kind === "notification" && at(message, ["params", "threadId"]) === threadId,
    )
    .filter(({ message }) => typeof at(message, ["params", "seq"]) === "string")
    .map(({ message }) => ({ method: message["method"], params: message["params"] }));
}

const seqOf = (event: JsonObject | undefined): string => at(event, ["params", "seq"]) as string;
const label = (event: JsonObject): string =>
  [["method"], ["params", "item", "type"], ["params", "turn", "status"]]
    .map((path) => at(event, path))
    .filter((part) => typeof part === "string")
    .join(" ");

async function startThread(client: RpcClient, params: object = {}): Promise<string> {
  return at(await client.result("thread/start", params), ["thread", "id"]) as string;
}

async function runTurn(client: RpcClient, threadId: string, text: string): Promise<void> {
  const input = [{ type: "text", text }];
  const started = await client.result("turn/start", { threadId, input });
  const id = at(started, ["turn", "id"]);
  await client.next({ method: "turn/completed", params: { turn: { id } } });
}

/** Everything that a new client is sent of a thread after a position. */
async function replay(server: RunningServer, threadId: string, afterSeq: string | null) {
  const client = await connect(server);
  await client.result("thread/subscribe", { threadId, afterSeq });
  const synced = await client.next({ method: "thread/synced", params: { threadId } });
  return { client, events: eventsOf(client, threadId), throughSeq: at(synced, ["params", "throughSeq"]) };
}

describe("events of a thread", () => {
  test("are the same live, from the store and after a restart, from every position", async () => {
    const world = await openHome([
      reply("a", functionCallDone("call_1", "exec_command", { cmd: "echo hi" })),
      messageReply("Done", { id: "b" }),
      messageReply("Second", { id: "c" }),
      messageReply("summary", { id: "d" }),
      messageReply("Looks good", { id: "e" }),
      { status: 400, body: { error: { message: "no" } } },
    ]);
    const server = await world.start();
    const live = await connect(server);
    const threadId = await startThread(live, { sandbox: "danger-full-access", approvalPolicy: "never" });
    await runTurn(live, threadId, "one");
    await runTurn(live, threadId, "two");
    await live.result("thread/compact/start", { threadId });
    await live.next({ method: "turn/completed" });
    await live.result("review/start", { threadId, target: { type: "custom", instructions: "Look." } });
    await live.next({ method: "turn/completed" });
    await runTurn(live, threadId, "fails");
    const sent = eventsOf(live, threadId);
    const seqs = sent.map(seqOf);
    expect(seqs).toEqual(seqs.toSorted());
    expect(new Set(seqs).size).toBe(seqs.length);
    expect(sent.map(label)).toMatchInlineSnapshot(`
      [
        "turn/started inProgress",
        "item/completed userMessage",
        "item/completed commandExecution",
        "thread/tokenUsage/updated",
        "item/completed agentMessage",
        "thread/tokenUsage/updated",
        "turn/completed completed",
        "turn/started inProgress",
        "item/completed userMessage",
        "item/completed agentMessage",
        "thread/tokenUsage/updated",
        "turn/completed completed",
        "turn/started inProgress",
        "item/completed contextCompaction",
        "turn/completed completed",
        "turn/started inProgress",
        "item/completed enteredReviewMode",
        "item/completed userMessage",
        "item/completed exitedReviewMode",
        "item/completed agentMessage",
        "turn/completed completed",
        "turn/started inProgress",
        "item/completed userMessage",
        "turn/completed failed",
      ]
    `);
    const all = await replay(server, threadId, null);
    expect(all.events).toEqual(sent);
    for (const [index, seq] of seqs.entries()) {
      const { events, client } = await replay(server, threadId, seq);
      expect(events).toEqual(sent.slice(index + 1));
      await client.close();
    }
    await server.stop();
    const again = await world.start();
    for (const index of [0, 3, 7, sent.length - 1]) {
      const { events } = await replay(again, threadId, seqs[index] ?? null);
      expect(events).toEqual(sent.slice(index + 1));
    }
  });

  test("show a client that joins what was streamed so far as one delta, and each later delta once", async () => {
    const { model, start } = await openHome([{ ...streamedReply(["one ", "two ", "three "]), held: true }]);
    const server = await start();
    const live = await connect(server);
    const threadId = await startThread(live);
    const input = [{ type: "text", text: "go" }];
    await live.result("turn/start", { threadId, input });
    await model.arrived(1);
    const early = await replay(server, threadId, null);
    expect(early.events.map(label)).toEqual(["turn/started inProgress", "item/completed userMessage"]);
    model.release();
    for (const client of [early.client, live]) await client.next({ method: "turn/completed" });
    const textOf = (client: RpcClient) =>
      client.received
        .filter(({ method }) => method === "item/agentMessage/delta")
        .map(({ message }) => at(message, ["params", "delta"]))
        .join("");
    expect(textOf(early.client)).toBe("one two three ");
    expect(eventsOf(early.client, threadId)).toEqual(eventsOf(live, threadId));
  });

  test("contain a steered message where it was accepted and where the model received it", async () => {
    const { model, start } = await openHome([
      { ...messageReply("first"), held: true },
      messageReply("second", { id: "2" }),
    ]);
    const server = await start();
    const live = await connect(server);
    const threadId = await startThread(live);
    const started = await live.result("turn/start", { threadId, input: [{ type: "text", text: "go" }] });
    await model.arrived(1);
    const input = [{ type: "text", text: "also this" }];
    await live.result("turn/steer", { threadId, input, expectedTurnId: at(started, ["turn", "id"]) });
    model.release();
    await live.next({ method: "turn/completed" });
    const sent = eventsOf(live, threadId);
    expect(sent.filter((event) => label(event) === "item/completed userMessage")).toHaveLength(3);
    expect((await replay(server, threadId, null)).events).toEqual(sent);
  });

  test("go on after a revert, which says what it has taken back", async () => {
    const { start } = await openHome(["a", "b", "c", "d"].map((id) => messageReply(id, { id })));
    const server = await start();
    const live = await connect(server);
    const threadId = await startThread(live);
    for (const text of ["one", "two", "three"]) await runTurn(live, threadId, text);
    const before = eventsOf(live, threadId);
    const second = before.filter(({ method }) => method === "turn/started")[1];
    await live.result("thread/revert", { threadId, beforeTurnId: at(second, ["params", "turn", "id"]) });
    await live.next({ method: "thread/reverted" });
    await runTurn(live, threadId, "four");
    const sent = eventsOf(live, threadId);
    const reverted = sent[before.length];
    expect(reverted).toMatchObject({ method: "thread/reverted", params: { seq: "0001_0000000000_0" } });
    const kept = at(reverted, ["params", "keptUpTo"]) as string;
    expect(before.filter((event) => seqOf(event) <= kept).map(label)).toEqual(before.slice(0, 5).map(label));
    // A client that has seen the old turns is sent the revert; a new one the kept turns, the revert and the rest.
    const middle = await replay(server, threadId, seqOf(before[7]));
    expect(middle.events).toEqual(sent.slice(before.length));
    const whole = await replay(server, threadId, null);
    expect(whole.events).toEqual([...sent.slice(0, 5), ...sent.slice(before.length)]);
  });

  test("end a turn that was cut with its server, once the thread is loaded again", async () => {
    const { model, start } = await openHome([unfinishedReply("half"), messageReply("whole", { id: "2" })]);
    const server = await start();
    const live = await connect(server);
    const threadId = await startThread(live);
    await live.result("turn/start", { threadId, input: [{ type: "text", text: "go" }] });
    await model.arrived(1);
    await live.next({ method: "item/agentMessage/delta" });
    const sent = eventsOf(live, threadId);
    const { client: late } = await replay(server, threadId, null);
    const ofAgent = late.received.filter(({ message }) => JSON.stringify(message).includes("agentMessage"));
    expect(ofAgent.map(({ method, message }) => [method, at(message, ["params", "delta"])])).toEqual([
      ["item/started", undefined],
      ["item/agentMessage/delta", "half"],
    ]);
    await server.stop();
    const again = await start();
    const client = await connect(again);
    const afterSeq = seqOf(sent.at(-1));
    await client.result("thread/resume", { threadId, afterSeq, excludeTurns: true });
    await client.next({ method: "thread/synced" });
    expect(eventsOf(client, threadId).map(label)).toEqual(["turn/completed interrupted"]);
    await runTurn(client, threadId, "again");
    const { events } = await replay(again, threadId, null);
    expect(events).toEqual([...sent, ...eventsOf(client, threadId)]);
  });
});

describe("a position", () => {
  test("beyond the end is answered with the one to continue from", async () => {
    const { start } = await openHome([messageReply("a"), messageReply("b", { id: "2" })]);
    const server = await start();
    const live = await connect(server);
    const threadId = await startThread(live);
    await runTurn(live, threadId, "one");
    const client = await connect(server);
    await client.result("thread/subscribe", { threadId, afterSeq: "0000_0000999999_0" });
    const resync = await client.next({ method: "thread/resync" });
    const synced = await client.next({ method: "thread/synced" });
    expect(resync["params"]).toEqual({
      threadId,
      fromSeq: at(synced, ["params", "throughSeq"]),
      reason: "beyondEnd",
    });
    await runTurn(live, threadId, "two");
    await client.next({ method: "turn/completed" });
    expect(eventsOf(client, threadId)).toEqual(eventsOf(live, threadId).slice(5));
  });

  test("that is none, an unknown thread and a client without the capability are refused", async () => {
    const { start } = await openHome([messageReply("a")]);
    const server = await start();
    const live = await connect(server);
    const threadId = await startThread(live);
    const refusal = async (client: RpcClient, params: object, method = "thread/subscribe") =>
      at(await client.request(method, params), ["error", "message"]);
    expect(await refusal(live, { threadId, afterSeq: "42" })).toMatch(/^`afterSeq` is no position/u);
    expect(await refusal(live, { threadId: "00000000-0000-7000-8000-000000000000", afterSeq: null })).toMatch(
      /^no rollout found/u,
    );
    const { clientInfo } = CLIENT;
    const plain = await connect(server, { clientInfo, capabilities: { experimentalApi: true } });
    expect(await refusal(plain, { threadId, afterSeq: null })).toMatch(/needs capabilities.resumableEvents/u);
    expect(await refusal(plain, { threadId, afterSeq: "x" }, "thread/resume")).toMatch(/resumableEvents/u);
    const other = await server.connect();
    expect(await refusal(other, { clientInfo, capabilities: { resumableEvents: true } }, "initialize")).toBe(
      "capabilities.resumableEvents needs capabilities.experimentalApi",
    );
  });

  test("is on no notification of a client without the capability", async () => {
    const { start } = await openHome([messageReply("a")]);
    const server = await start();
    const plain = await connect(server, {
      clientInfo: CLIENT.clientInfo,
      capabilities: { experimentalApi: true },
    });
    const live = await connect(server);
    const threadId = await startThread(plain);
    await live.result("thread/subscribe", { threadId, afterSeq: null });
    await live.next({ method: "thread/synced" });
    await runTurn(plain, threadId, "one");
    await live.next({ method: "turn/completed" });
    expect(eventsOf(plain, threadId)).toEqual([]);
    expect(eventsOf(live, threadId)).toHaveLength(5);
  });
});
