import { describe, expect, test } from "vitest";
import { silentLogger } from "../../base/logger.ts";
import { createPendingRequests } from "../../jsonrpc/pending-requests.ts";
import { ALL_SCOPES } from "../../protocol/access/scopes.ts";
import { createChecker } from "../../protocol/check.ts";
import { definitions } from "../../protocol/generated/table.ts";
import { NO_EXTENSIONS } from "../../tools/mcp/client-extensions.ts";
import { NO_BACKLOG } from "../../transport/transport.ts";
import { createLegacyGeneration } from "../legacy/legacy-generation.ts";
import type { ClientConnection } from "./client-connection.ts";
import type { Handshake } from "./handshake.ts";
import { createOutboundRequests } from "./outbound-requests.ts";
import { createThreadSubscriptions } from "./thread-subscriptions.ts";

const METHOD = "item/fileChange/requestApproval";
const params = {
  threadId: "thread",
  turnId: "turn",
  itemId: "item",
  startedAtMs: 0,
  environmentId: null,
};
const named = (clientName: string): Handshake => ({
  phase: "ready",
  clientName,
  clientVersion: "1",
  experimental: true,
  optedOut: new Set(),
  legacyApprovals: false,
  mcp: NO_EXTENSIONS,
});
const asked = (id: number) => ({ method: METHOD, id, params });

function setup(ancestorThreadIds?: (threadId: string) => readonly string[]) {
  const pending = createPendingRequests();
  const subscriptions = createThreadSubscriptions(
    ancestorThreadIds === undefined ? {} : { ancestorThreadIds },
  );
  const requests = createOutboundRequests({
    clock: { now: () => 0 },
    pending,
    subscriptions,
    checker: createChecker(definitions),
    legacy: createLegacyGeneration(),
    log: silentLogger,
  });
  let connections = 0;
  const connect = (handshake: Handshake = { phase: "new" }) => {
    const received: unknown[] = [];
    const connection: ClientConnection = {
      id: connections++,
      subject: null,
      openedAtMs: 0,
      scopes: ALL_SCOPES,
      isLimited: false,
      own: null,
      follows: null,
      handshake,
      greeting: null,
      inFlight: 0,
      onIdle: () => {},
      accepts: () => true,
      send: (text) => void received.push(JSON.parse(text)),
      delayNotices: () => {},
      backlog: NO_BACKLOG,
      close: () => {},
    };
    return { connection, received };
  };
  const subscribe = (threadId = "thread", handshake?: Handshake) => {
    const client = connect(handshake);
    subscriptions.add(threadId, client.connection);
    return client;
  };
  const answer = (client: { connection: ClientConnection }, id: number | string, result: unknown) =>
    requests.forConnection(client.connection).resolve(id, result);
  const refuse = (client: { connection: ClientConnection }, id: number | string, message: string) =>
    requests.forConnection(client.connection).reject(id, { code: -32_000, message });
  return { pending, subscriptions, requests, connect, subscribe, answer, refuse };
}

describe("a request of the server", () => {
  test("is sent to every subscriber of the thread under one id, and to no other client", () => {
    const { requests, subscribe } = setup();
    const [first, second, other] = [subscribe(), subscribe(), subscribe("another")];
    expect(requests.open("thread", METHOD, params).id).toBe(0);
    expect(requests.open("thread", METHOD, params).id).toBe(1);
    expect([first.received, second.received, other.received]).toEqual([
      [asked(0), asked(1)],
      [asked(0), asked(1)],
      [],
    ]);
  });

  test("is resolved by the first answer, with its client's name; later answers are ignored", async () => {
    const { requests, subscribe, answer } = setup();
    const [first, second] = [subscribe("thread", named("editor")), subscribe("thread", named("late"))];
    const request = requests.open("thread", METHOD, params);
    expect([
      answer(first, request.id, { decision: "accept" }),
      answer(second, request.id, { decision: "decline" }),
    ]).toEqual([true, false]);
    expect(await request.answer).toEqual({
      kind: "answered",
      result: { decision: "accept" },
      from: "editor",
    });
  });

  test("cannot be answered by a client that was not sent it", async () => {
    const { requests, pending, connect, subscribe, answer, refuse } = setup();
    const [asked, elsewhere, stranger] = [subscribe(), subscribe("another"), connect()];
    const request = requests.open("thread", METHOD, params);
    for (const client of [elsewhere, stranger]) {
      expect(answer(client, request.id, { decision: "accept" })).toBe(false);
      expect(refuse(client, request.id, "no")).toBe(false);
    }
    expect(pending.size()).toBe(1);
    expect(refuse(asked, request.id, "not now")).toBe(true);
    expect(await request.answer).toEqual({ kind: "unanswered", reason: "not now" });
  });

  test("without subscribers waits for a client that subscribes", async () => {
    const { requests, connect, answer } = setup();
    const request = requests.open("thread", METHOD, params);
    const late = connect();
    expect(answer(late, request.id, { decision: "accept" })).toBe(false);
    requests.replay("thread", late.connection);
    expect(answer(late, request.id, { decision: "accept" })).toBe(true);
    expect(await request.answer).toMatchObject({ kind: "answered" });
  });

  test("can still be answered by a client that has unsubscribed", async () => {
    const { requests, subscriptions, subscribe, answer } = setup();
    const client = subscribe();
    const request = requests.open("thread", METHOD, params);
    subscriptions.remove("thread", client.connection);
    expect(answer(client, request.id, { decision: "accept" })).toBe(true);
  });

  test.each([
    ["nothing", undefined],
    ["null", null],
    ["text", "accept"],
    ["an unknown decision", { decision: "perhaps" }],
    ["no decision", {}],
  ])("with %s for an answer is unanswered, with the reason", async (_name, result) => {
    const { requests, pending } = setup();
    const { id, answer } = requests.open("thread", METHOD, params);
    pending.resolve(id, result);
    expect(await answer).toEqual({
      kind: "unanswered",
      reason: expect.stringMatching(/./u),
      cause: "nonsense",
    });
  });

  test("that a client refuses is unanswered", async () => {
    const { requests, pending } = setup();
    const { id, answer } = requests.open("thread", METHOD, params);
    pending.reject(id, { code: -32_000, message: "not now" });
    expect(await answer).toEqual({ kind: "unanswered", reason: "not now" });
  });

  test("is unanswered when the server closes, also one that is opened afterwards", async () => {
    const { requests, pending } = setup();
    const before = requests.open("thread", METHOD, params);
    pending.close("the server is closing");
    const after = requests.open("thread", METHOD, params);
    const unanswered = { kind: "unanswered", reason: "the server is closing" };
    expect(await Promise.all([before.answer, after.answer])).toEqual([unanswered, unanswered]);
  });

  test("that is withdrawn ignores later answers", async () => {
    const { requests, pending } = setup();
    const { id, answer, withdraw } = requests.open("thread", METHOD, params);
    withdraw("interruption");
    expect(await answer).toEqual({ kind: "unanswered", reason: "the request was cancelled" });
    expect([pending.resolve(id, { decision: "accept" }), pending.size()]).toEqual([false, 0]);
  });
});

describe("a client that subscribes", () => {
  test("is sent the pending requests of its thread, in order", async () => {
    const { requests, pending, connect } = setup();
    requests.open("thread", METHOD, params);
    const answered = requests.open("thread", METHOD, params);
    requests.open("another", METHOD, params);
    requests.open("thread", METHOD, params);
    pending.resolve(answered.id, { decision: "accept" });
    await answered.answer;
    const { connection, received } = connect();
    requests.replay("thread", connection);
    expect(received).toEqual([asked(0), asked(3)]);
  });

  test("is sent nothing if no request is pending", async () => {
    const { requests, connect } = setup();
    const { withdraw, answer } = requests.open("thread", METHOD, params);
    withdraw("interruption");
    await answer;
    const { connection, received } = connect();
    requests.replay("thread", connection);
    requests.replay("unknown", connection);
    expect(received).toEqual([]);
  });
});

describe("a request about a spawned thread", () => {
  const family = (threadId: string) => (threadId === "child" ? ["parent", "root"] : []);

  test("is sent once to every subscriber of its ancestors, who can answer it", async () => {
    const { requests, subscriptions, subscribe, answer } = setup(family);
    const [own, parent, root, other] = ["child", "parent", "root", "another"].map((id) => subscribe(id));
    if (own === undefined || parent === undefined || root === undefined) throw new Error("nobody subscribed");
    subscriptions.add("root", parent.connection);
    const request = requests.open("child", METHOD, params);
    expect([own, parent, root, other].map((client) => client?.received)).toEqual([
      [asked(0)],
      [asked(0)],
      [asked(0)],
      [],
    ]);
    expect(answer(root, request.id, { decision: "accept" })).toBe(true);
    expect(await request.answer).toMatchObject({ kind: "answered", result: { decision: "accept" } });
  });

  test("is sent to a client that subscribes to an ancestor later", () => {
    const { requests, connect } = setup(family);
    requests.open("child", METHOD, params);
    requests.open("another", METHOD, params);
    const { connection, received } = connect();
    requests.replay("parent", connection);
    expect(received).toEqual([asked(0)]);
  });
});
