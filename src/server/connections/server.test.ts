import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import { createLanes } from "../../base/lanes.ts";
import { silentLogger } from "../../base/logger.ts";
import { createDeferred } from "../../base/tasks.ts";
import type { LaneHeld } from "../../runtime/threads/lane.ts";
import { NO_EXTENSIONS } from "../../tools/mcp/client-extensions.ts";
import { createMemoryTransports } from "../../transport/memory.ts";
import { NO_BACKLOG, type OutboundBacklog } from "../../transport/transport.ts";
import { startGreeting } from "./client-connection.ts";
import { type Handlers, invalidRequest, type RequestMethod, WrongLane } from "./handler.ts";
import { partialHandlers } from "./partial-handlers.fixture.ts";
import { createServer, type ServerParts } from "./server.ts";
import { createThreadSubscriptions } from "./thread-subscriptions.ts";

test("a result that cannot be encoded as JSON is answered with an internal error", async () => {
  const server = startServer(() => ({ "thread/loaded/list": () => ({ big: 1n }) as never }));
  const client = connect(server);
  client.send({ id: 0, method: "initialize", params: { clientInfo: { name: "a", version: "1" } } });
  client.send({ id: 1, method: "thread/loaded/list", params: {} });
  expect(await client.until(2)).toMatchObject([{ id: 0 }, { id: 1, error: { code: -32603 } }]);
});

test.each([
  ["account/logout", /nothing to log out of/],
  ["feedback/upload", /No feedback was sent/],
  ["externalAgentConfig/detect", /does not import/],
])("%s is refused, and then explained to the person behind the client", async (method, sentence) => {
  const server = startServer(() => ({}));
  const [client, other] = [connect(server), connect(server)];
  for (const each of [client, other]) each.send(hello());
  const params = method === "account/logout" ? undefined : {};
  client.send({ id: 1, method, params });
  client.send({ id: 2, method: "plugin/list", params: {} });
  expect(await client.until(4)).toMatchObject([
    welcome,
    { id: 1, error: { code: -32601 } },
    { method: "warning", params: { threadId: null, message: expect.stringMatching(sentence) } },
    { id: 2, error: { code: -32601 } },
  ]);
  expect(await other.until(1)).toEqual([welcome]);
});

type Received = {
  id?: unknown;
  result?: unknown;
  error?: { code: number; message: string };
  method?: string;
};

function startServer(
  handlers: (parts: ServerParts) => Partial<Handlers<RequestMethod>>,
  { maxInFlight = 100, log = silentLogger } = {},
) {
  const server = createServer({
    lanes: createLanes(),
    clock: { ...systemClock, now: () => 5 },
    log,
    subscriptions: createThreadSubscriptions(),
    describeFault: () => null,
    knowsFolder: async () => false,
    recordAudit: () => {},
    maxInFlight: () => maxInFlight,
    firstRequestId: 0,
    createHandlers: (parts) =>
      partialHandlers({
        initialize(params, { connection }) {
          connection.handshake = {
            phase: "ready",
            clientName: params.clientInfo.name,
            clientVersion: "1",
            experimental: params.capabilities?.experimentalApi ?? false,
            optedOut: new Set(params.capabilities?.optOutNotificationMethods ?? []),
            legacyApprovals: false,
            mcp: NO_EXTENSIONS,
          };
          return { userAgent: "", codexHome: "", platformFamily: "", platformOs: "" };
        },
        ...handlers(parts),
      }),
  });
  onTestFinished(() => server.close());
  return server;
}

function connect(server: ReturnType<typeof startServer>, backlog?: OutboundBacklog) {
  const [theirs, ours] = createMemoryTransports(backlog);
  const received: Received[] = [];
  let onReceived = () => {};
  ours.start({
    message(text) {
      received.push(JSON.parse(text) as Received);
      onReceived();
    },
    closed: () => {},
  });
  server.connect(theirs);
  return {
    received,
    send: (message: object) => ours.send(JSON.stringify(message), "response"),
    close: () => ours.close(),
    until: (count: number) =>
      new Promise<Received[]>((resolve) => {
        onReceived = () => received.length >= count && resolve(received);
        onReceived();
      }),
  };
}

const hello = (capabilities: object = {}) => ({
  id: "hello",
  method: "initialize",
  params: { clientInfo: { name: "t", version: "1" }, capabilities },
});
const welcome = { id: "hello", result: { userAgent: "", codexHome: "", platformFamily: "", platformOs: "" } };

describe("back-pressure from a client that does not read", () => {
  function createCrowd() {
    let release = () => {};
    let isCrowded = true;
    const caughtUp = new Promise<void>((resolve) => {
      release = () => {
        isCrowded = false;
        resolve();
      };
    });
    return { backlog: { ...NO_BACKLOG, isCrowded: () => isCrowded, whenCaughtUp: () => caughtUp }, release };
  }

  test("defers its requests until it has caught up, in their order, without delaying other clients", async () => {
    const done: string[] = [];
    const server = startServer(() => ({
      "thread/archive": ({ threadId }) => void done.push(threadId) as never,
      "thread/name/set": ({ name }) => void done.push(name) as never,
      "model/list": () => ({ data: [], nextCursor: null }),
    }));
    const { backlog, release } = createCrowd();
    const slow = connect(server, {
      ...backlog,
      isCrowded: () => slow.received.length > 0 && backlog.isCrowded(),
    });
    slow.send(hello());
    await slow.until(1);
    for (const name of ["a", "b", "c"]) {
      slow.send({ id: name, method: "thread/name/set", params: { threadId: "t", name } });
    }
    slow.send({ id: 4, method: "model/list", params: {} });
    const quick = connect(server);
    quick.send(hello());
    quick.send({ id: 1, method: "thread/archive", params: { threadId: "t" } });
    await quick.until(2);
    expect([done, slow.received.length]).toEqual([["t"], 1]);
    release();
    await slow.until(5);
    expect(done).toEqual(["t", "a", "b", "c"]);
  });

  test("drops its deferred requests when it disconnects", async () => {
    const done: string[] = [];
    const server = startServer(() => ({
      "thread/archive": ({ threadId }) => void done.push(threadId) as never,
    }));
    const { backlog, release } = createCrowd();
    const slow = connect(server, {
      ...backlog,
      isCrowded: () => slow.received.length > 0 && backlog.isCrowded(),
    });
    slow.send(hello());
    await slow.until(1);
    slow.send({ id: 1, method: "thread/archive", params: { threadId: "t" } });
    await new Promise(setImmediate);
    slow.close();
    release();
    await new Promise(setImmediate);
    expect(done).toEqual([]);
  });

  test("skips deltas that the completed item repeats", async () => {
    const notices: ServerParts[] = [];
    const server = startServer((parts) => (notices.push(parts), {}));
    const behind = connect(server, { ...NO_BACKLOG, isBehind: () => true });
    const quick = connect(server);
    for (const client of [behind, quick]) client.send(hello());
    await Promise.all([behind.until(1), quick.until(1)]);
    const scope = { threadId: "t", turnId: "u", itemId: "i" };
    server.notifier.toAll("item/commandExecution/outputDelta", { ...scope, delta: "x" });
    server.notifier.toAll("item/agentMessage/delta", { ...scope, delta: "y" });
    await Promise.all([behind.until(2), quick.until(3)]);
    expect(behind.received.map(({ method }) => method)).toEqual([undefined, "item/agentMessage/delta"]);
    expect(quick.received.length).toBe(3);
  });
});

describe("a large answer", () => {
  const list = (text: string) => ({ data: [text], nextCursor: null });

  test("is refused while too many bytes are unsent for all clients together, and a small one is not", async () => {
    let text = "x".repeat(2_000_000);
    const server = startServer(() => ({ "thread/loaded/list": () => list(text) }));
    const full = connect(server, { ...NO_BACKLOG, waitingBytes: () => 1024 * 1024 * 1024 });
    const client = connect(server);
    for (const each of [full, client]) each.send(hello());
    client.send({ id: 1, method: "thread/loaded/list", params: {} });
    await client.until(2);
    text = "small";
    client.send({ id: 2, method: "thread/loaded/list", params: {} });
    full.close();
    await client.until(3);
    expect(client.received.slice(1)).toEqual([
      { id: 1, error: { code: -32001, message: "Server overloaded; retry later." } },
      { id: 2, result: list("small") },
    ]);
  });

  test("that exceeds the maximum string length is an error with advice", async () => {
    const data = Array<string>(34).fill("x".repeat(16 * 1024 * 1024));
    const server = startServer(() => ({ "thread/loaded/list": () => ({ data, nextCursor: null }) }));
    const client = connect(server);
    client.send(hello());
    client.send({ id: 1, method: "thread/loaded/list", params: {} });
    const { error } = (await client.until(2))[1] ?? {};
    expect(error?.code).toBe(-32603);
    expect(error?.message).toContain("larger than a message can be");
  }, 30_000);
});

describe("admission", () => {
  test("refuses in the order of look-up, params, handshake, gate and service", async () => {
    const client = connect(
      startServer(() => ({ "thread/loaded/list": () => ({ data: [], nextCursor: null }) })),
    );
    client.send({ id: 1, method: "thread/loaded/list" });
    client.send({ id: 2, method: "thread/loaded/list", params: {} });
    client.send(hello());
    client.send(hello());
    client.send({ id: 3, method: "thread/search", params: { searchTerm: "x" } });
    client.send({ id: 4, method: "thread/archive", params: { threadId: "x" } });
    client.send({ id: 5, method: "realtime/anything", params: {} });
    client.send({ id: 6, method: "thread/loaded/list", params: { unknown: true } });
    const texts = (await client.until(8)).map(({ id, error, result }) => [
      id,
      error?.code,
      error?.message.slice(0, 60) ?? result,
    ]);
    expect(texts).toEqual([
      [1, -32600, "Invalid request: missing field `params`"],
      [2, -32600, "Not initialized"],
      ["hello", undefined, welcome.result],
      ["hello", -32600, "Already initialized"],
      [3, -32600, "thread/search requires experimentalApi capability"],
      [4, -32601, "thread/archive is not supported by heddle"],
      [5, -32600, "Invalid request: unknown variant `realtime/anything`, expect"],
      [6, undefined, { data: [], nextCursor: null }],
    ]);
  });

  test("rejects requests beyond the limit, and accepts them again afterwards", async () => {
    const gate = createDeferred<void>();
    const server = startServer(
      () => ({
        "model/list": async () => {
          await gate.promise;
          return { data: [], nextCursor: null };
        },
      }),
      { maxInFlight: 2 },
    );
    const client = connect(server);
    client.send(hello());
    for (const id of [1, 2, 3]) client.send({ id, method: "model/list", params: {} });
    expect((await client.until(2))[1]).toEqual({
      id: 3,
      error: { code: -32001, message: "Server overloaded; retry later." },
    });
    gate.resolve();
    await client.until(4);
    client.send({ id: 4, method: "model/list", params: {} });
    expect((await client.until(5))[4]).toEqual({ id: 4, result: { data: [], nextCursor: null } });
  });
});

describe("order", () => {
  test("requests of one thread run one after the other, those of another do not wait", async () => {
    const gate = createDeferred<void>();
    const order: string[] = [];
    const server = startServer(() => ({
      "thread/unsubscribe": async ({ threadId }) => {
        order.push(threadId);
        if (threadId === "slow" && order.length === 1) await gate.promise;
        return { status: "notLoaded" };
      },
    }));
    const client = connect(server);
    client.send(hello());
    for (const [id, threadId] of ["slow", "slow", "other"].entries()) {
      client.send({ id, method: "thread/unsubscribe", params: { threadId } });
    }
    await client.until(2);
    expect(order).toEqual(["slow", "other"]);
    gate.resolve();
    expect((await client.until(4)).map(({ id }) => id)).toEqual(["hello", 2, 0, 1]);
  });

  test("notifications sent after the response follow it", async () => {
    const server = startServer(({ notifier }) => ({
      "thread/loaded/list"(_, { afterResponse }) {
        afterResponse(() => notifier.toAll("thread/closed", { threadId: "x" }));
        return { data: [], nextCursor: null };
      },
    }));
    const client = connect(server);
    client.send(hello());
    client.send({ id: 1, method: "thread/loaded/list", params: {} });
    expect((await client.until(3)).slice(1)).toEqual([
      { id: 1, result: { data: [], nextCursor: null } },
      { method: "thread/closed", params: { threadId: "x" }, emittedAtMs: 5 },
    ]);
  });
});

describe("failure", () => {
  test("protocol errors of a handler reach the client, unexpected errors do not", async () => {
    const server = startServer(() => ({
      "thread/loaded/list": () => {
        throw invalidRequest("not now", { why: "test" });
      },
      "model/list": () => Promise.reject(new Error("secret detail")),
    }));
    const client = connect(server);
    client.send(hello());
    client.send({ id: 1, method: "thread/loaded/list", params: {} });
    client.send({ id: 2, method: "model/list", params: {} });
    expect((await client.until(3)).slice(1)).toEqual([
      { id: 1, error: { code: -32600, message: "not now", data: { why: "test" } } },
      { id: 2, error: { code: -32603, message: "internal error; the server's log has the details" } },
    ]);
  });
});

describe("a task after the response", () => {
  const empty = { data: [], nextCursor: null };

  test.each(["synchronous", "asynchronous"])(
    "runs once, and its failure stops nothing else (%s handler)",
    async (when) => {
      const logged: string[] = [];
      const ran: string[] = [];
      const log = { ...silentLogger, error: (message: string) => void logged.push(message) };
      const server = startServer(
        () => ({
          "thread/unsubscribe"({ threadId }, { afterResponse }) {
            afterResponse(() => {
              ran.push(`first of ${threadId}`);
              throw new Error("broken");
            });
            afterResponse(() => void ran.push(`second of ${threadId}`));
            const answer = { status: "notLoaded" as const };
            return when === "asynchronous" ? Promise.resolve(answer) : answer;
          },
        }),
        { maxInFlight: 1, log },
      );
      const client = connect(server);
      client.send(hello());
      for (const id of [1, 2]) {
        client.send({ id, method: "thread/unsubscribe", params: { threadId: "x" } });
        expect((await client.until(id + 1))[id]).toEqual({ id, result: { status: "notLoaded" } });
      }
      expect(ran).toEqual(["first of x", "second of x", "first of x", "second of x"]);
      const fault = "response or follow-up of thread/unsubscribe failed";
      expect(logged).toEqual([fault, fault]);
    },
  );

  test("may be a greeting, which queues no more requests than may be in flight", async () => {
    const gate = createDeferred<void>();
    const server = startServer(
      () => ({
        "thread/loaded/list"(_, { connection, afterResponse }) {
          afterResponse(() => startGreeting(connection, () => gate.promise));
          return empty;
        },
        "model/list": () => empty,
      }),
      { maxInFlight: 2 },
    );
    const client = connect(server);
    client.send(hello());
    client.send({ id: 1, method: "thread/loaded/list", params: {} });
    for (const id of [2, 3, 4]) client.send({ id, method: "model/list", params: {} });
    expect((await client.until(3))[2]).toEqual({
      id: 4,
      error: { code: -32001, message: "Server overloaded; retry later." },
    });
    gate.resolve();
    expect((await client.until(5)).slice(3)).toEqual([2, 3].map((id) => ({ id, result: empty })));
  });
});

describe("notifications", () => {
  test("reach clients that are initialized, have the capability and have not opted out", async () => {
    let notify = () => {};
    const server = startServer(({ notifier }) => {
      notify = () => {
        notifier.toAll("thread/closed", { threadId: "x" });
        notifier.toAll("thread/queue/changed", { threadId: "x", queuedTurns: [] });
      };
      return {};
    });
    const plain = connect(server);
    const experimental = connect(server);
    const optedOut = connect(server);
    const uninitialized = connect(server);
    plain.send(hello());
    experimental.send(hello({ experimentalApi: true }));
    optedOut.send(hello({ experimentalApi: true, optOutNotificationMethods: ["thread/closed", "no/such"] }));
    await Promise.all([plain.until(1), experimental.until(1), optedOut.until(1)]);
    notify();
    await Promise.all([plain.until(2), experimental.until(3), optedOut.until(2)]);
    const methods = ({ received }: typeof plain) => received.slice(1).map(({ method }) => method);
    expect([plain, experimental, optedOut].map(methods)).toEqual([
      ["thread/closed"],
      ["thread/closed", "thread/queue/changed"],
      ["thread/queue/changed"],
    ]);
    expect(uninitialized.received).toEqual([]);
  });
});

describe("a request that runs in the lane of a thread", () => {
  const ID = "01a1dea0-ad32-70b6-bb83-df91b47b9f81";
  const OTHER = "01a1dea0-ad32-70b6-bb83-000000000000";
  const params = { input: [{ type: "text", text: "x", text_elements: [] }] };

  test("has the lane of one thread, however its id is spelled", async () => {
    const lanes: string[] = [];
    const server = startServer(() => ({
      async "turn/interrupt"(_params, { lane }) {
        lanes.push(lane.check());
        return {};
      },
    }));
    const client = connect(server);
    client.send({ id: 0, method: "initialize", params: { clientInfo: { name: "a", version: "1" } } });
    for (const [id, threadId] of [ID, ID.toUpperCase(), `urn:uuid:${ID}`, ID.replaceAll("-", "")].entries())
      client.send({ id: id + 1, method: "turn/interrupt", params: { threadId, turnId: "" } });
    await client.until(5);
    expect(lanes).toEqual([ID, ID, ID, ID]);
  });

  test("moves to the lane of the thread that it is about, and gives its first one back", async () => {
    const served: string[] = [];
    const server = startServer(() => ({
      async "turn/interrupt"({ turnId }, { lane }) {
        served.push(`${turnId} in ${lane.threadId}`);
        if (turnId === "moves" && lane.threadId !== OTHER) throw new WrongLane(OTHER);
        return {};
      },
    }));
    const client = connect(server);
    client.send({ id: 0, method: "initialize", params: { clientInfo: { name: "a", version: "1" } } });
    client.send({ id: 1, method: "turn/interrupt", params: { threadId: ID, turnId: "moves" } });
    client.send({ id: 2, method: "turn/interrupt", params: { threadId: ID, turnId: "stays" } });
    const answers = await client.until(3);
    expect(answers.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
    expect(served.sort()).toEqual([`moves in ${ID}`, `moves in ${OTHER}`, `stays in ${ID}`].sort());
  });

  test("does not move for ever", async () => {
    let calls = 0;
    const server = startServer(() => ({
      async "turn/interrupt"(_params, { lane }) {
        calls += 1;
        throw new WrongLane(lane.threadId === ID ? OTHER : ID);
      },
    }));
    const client = connect(server);
    client.send({ id: 0, method: "initialize", params: { clientInfo: { name: "a", version: "1" } } });
    client.send({ id: 1, method: "turn/interrupt", params: { threadId: ID, turnId: "" } });
    const [, answer] = await client.until(2);
    expect([answer?.error?.message, calls]).toEqual([expect.stringContaining("internal error"), 4]);
  });

  test("can do nothing to its thread once it was answered", async () => {
    const lanes: LaneHeld[] = [];
    const server = startServer(() => ({
      async "turn/start"(_params, { lane }) {
        lanes.push(lane);
        throw new Error("no");
      },
    }));
    const client = connect(server);
    client.send({ id: 0, method: "initialize", params: { clientInfo: { name: "a", version: "1" } } });
    client.send({ id: 1, method: "turn/start", params: { threadId: ID, ...params } });
    await client.until(2);
    expect(() => lanes[0]?.check()).toThrow("no longer held");
  });
});
