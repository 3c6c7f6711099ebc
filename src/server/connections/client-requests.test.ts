import { describe, expect, test } from "vitest";
import { silentLogger } from "../../base/logger.ts";
import { createPendingRequests } from "../../jsonrpc/pending-requests.ts";
import { createChecker } from "../../protocol/check.ts";
import { definitions } from "../../protocol/generated/table.ts";
import { createLegacyGeneration } from "../legacy/legacy-generation.ts";
import { createClientRequests } from "./client-requests.ts";
import type { Connection } from "./connection.ts";
import { createSubscriptions } from "./subscriptions.ts";

const METHOD = "item/fileChange/requestApproval";
const params = {
  threadId: "thread",
  turnId: "turn",
  itemId: "item",
  startedAtMs: 0,
  environmentId: null,
};
const asked = (id: number) => ({ method: METHOD, id, params });

function open() {
  const pending = createPendingRequests();
  const subscriptions = createSubscriptions();
  const requests = createClientRequests({
    pending,
    subscriptions,
    checker: createChecker(definitions),
    legacy: createLegacyGeneration(),
    log: silentLogger,
  });
  let connections = 0;
  const connect = () => {
    const heard: unknown[] = [];
    const connection: Connection = {
      id: connections++,
      session: { phase: "new" },
      greeting: null,
      inFlight: 0,
      onIdle: () => {},
      wants: () => true,
      send: (text) => void heard.push(JSON.parse(text)),
      close: () => {},
    };
    return { connection, heard };
  };
  const subscribe = (threadId = "thread") => {
    const client = connect();
    subscriptions.add(threadId, client.connection);
    return client;
  };
  return { pending, requests, connect, subscribe };
}

describe("a request of the server", () => {
  test("goes to every subscriber of the thread under one id, and to nobody else", () => {
    const { requests, subscribe } = open();
    const [first, second, other] = [subscribe(), subscribe(), subscribe("another")];
    expect(requests.open("thread", METHOD, params).id).toBe(0);
    expect(requests.open("thread", METHOD, params).id).toBe(1);
    expect([first.heard, second.heard, other.heard]).toEqual([
      [asked(0), asked(1)],
      [asked(0), asked(1)],
      [],
    ]);
  });

  test("is settled by the first answer; a later one finds nothing", async () => {
    const { requests, pending, subscribe } = open();
    subscribe();
    const { id, answer } = requests.open("thread", METHOD, params);
    expect([
      pending.resolve(id, { decision: "accept" }),
      pending.resolve(id, { decision: "decline" }),
    ]).toEqual([true, false]);
    expect(await answer).toEqual({ kind: "answered", result: { decision: "accept" } });
  });

  test.each([
    ["nothing", undefined],
    ["null", null],
    ["text", "accept"],
    ["an unknown decision", { decision: "perhaps" }],
    ["no decision", {}],
  ])("with %s for an answer is unanswered, with the reason", async (_name, result) => {
    const { requests, pending } = open();
    const { id, answer } = requests.open("thread", METHOD, params);
    pending.resolve(id, result);
    expect(await answer).toEqual({
      kind: "unanswered",
      reason: expect.stringMatching(/./u),
      cause: "nonsense",
    });
  });

  test("that a client refuses is unanswered", async () => {
    const { requests, pending } = open();
    const { id, answer } = requests.open("thread", METHOD, params);
    pending.reject(id, { code: -32_000, message: "not now" });
    expect(await answer).toEqual({ kind: "unanswered", reason: "not now" });
  });

  test("is unanswered when the server closes, also one that is opened afterwards", async () => {
    const { requests, pending } = open();
    const before = requests.open("thread", METHOD, params);
    pending.close("the server is closing");
    const after = requests.open("thread", METHOD, params);
    const unanswered = { kind: "unanswered", reason: "the server is closing" };
    expect(await Promise.all([before.answer, after.answer])).toEqual([unanswered, unanswered]);
  });

  test("that is withdrawn is over, and its answer finds nothing", async () => {
    const { requests, pending } = open();
    const { id, answer, withdraw } = requests.open("thread", METHOD, params);
    withdraw();
    expect(await answer).toEqual({ kind: "unanswered", reason: "the request was cancelled" });
    expect([pending.resolve(id, { decision: "accept" }), pending.size]).toEqual([false, 0]);
  });
});

describe("a client that joins", () => {
  test("is asked what is still open in its thread, in order", async () => {
    const { requests, pending, connect } = open();
    requests.open("thread", METHOD, params);
    const answered = requests.open("thread", METHOD, params);
    requests.open("another", METHOD, params);
    requests.open("thread", METHOD, params);
    pending.resolve(answered.id, { decision: "accept" });
    await answered.answer;
    const { connection, heard } = connect();
    requests.replay("thread", connection);
    expect(heard).toEqual([asked(0), asked(3)]);
  });

  test("is asked nothing where nothing is open", async () => {
    const { requests, connect } = open();
    const { withdraw, answer } = requests.open("thread", METHOD, params);
    withdraw();
    await answer;
    const { connection, heard } = connect();
    requests.replay("thread", connection);
    requests.replay("unknown", connection);
    expect(heard).toEqual([]);
  });
});
