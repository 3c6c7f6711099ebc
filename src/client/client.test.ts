import { describe, expect, test, vi } from "vitest";
import { createDeferred } from "../base/tasks.ts";
import type { Turn } from "../protocol/generated/types.ts";
import type { Transport } from "../transport/transport.ts";
import { type Client, type ClientOptions, openClient } from "./client.ts";
import { ConnectionError } from "./connection-error.ts";
import { begun, completed, FAST, openScripted as open, thread, turn } from "./scripted-client.fixture.ts";
import {
  type AnswerRequest,
  createScriptedServer,
  type ReceivedRequest,
  type ScriptedServer,
} from "./scripted-server.fixture.ts";
import type { Thread } from "./thread.ts";
import { TurnFailed } from "./turn-stream.ts";

const message = (id: string, text: string, turnId = "turn") => ({
  method: "item/completed",
  params: { threadId: "t", turnId, item: { type: "agentMessage", id, text } },
});
/** Answers what a thread is made with; anything else as given. */
const answering =
  (answer: AnswerRequest): AnswerRequest =>
  (asked) =>
    /^thread\/(?:start|resume)$/.test(asked.method) ? [thread(asked)] : answer(asked);

describe("a turn", () => {
  test("that ends before its beginning is answered has ended, also when the connection ends with it", async () => {
    const { client } = await open((asked) => [completed(), begun(asked), null]);
    expect(await client.runTurn({ threadId: "t", input: "go" })).toMatchObject({ status: "completed" });
  });

  test("whose connection ends first is given up", async () => {
    const { client } = await open((asked) => [begun(asked), null]);
    await expect(client.runTurn({ threadId: "t", input: [] })).rejects.toThrow(
      "the connection was closed before the turn ended",
    );
  });

  test("takes a text for its input, and results in what the agent said and did", async () => {
    const { client, server } = await open(
      answering((asked) => [
        message("0", "of another", "other"),
        begun(asked),
        message("1", "first"),
        message("2", "last"),
        completed(),
      ]),
    );
    const started = await client.startThread();
    const result = await started.run("Hello", { model: "m" });
    expect(server.asked.at(-1)?.params).toEqual({
      threadId: "t",
      model: "m",
      input: [{ type: "text", text: "Hello" }],
    });
    expect([result.text, result.items.length, result.turn.status]).toEqual(["last", 2, "completed"]);
  });

  test("that fails rejects with its error, and as a stream tells it", async () => {
    const error = { message: "no quota" };
    const { client } = await open(answering((asked) => [begun(asked), completed("failed", { error })]));
    const started = await client.startThread();
    await expect(started.run("x")).rejects.toThrow(
      new TurnFailed(turn("failed", { error }) as unknown as Turn),
    );
    const methods: string[] = [];
    for await (const { method } of started.stream("x")) methods.push(method);
    expect(methods).toEqual(["turn/completed"]);
    expect((await client.runTurn({ threadId: "t", input: "x" })).status).toBe("failed");
  });

  test("is interrupted by its signal, and rejects with the reason", async () => {
    const { client, server } = await open(
      answering((asked) => (asked.method === "turn/start" ? [begun(asked)] : [{ id: asked.id, result: {} }])),
    );
    const started = await client.startThread();
    const controller = new AbortController();
    const stream = started.stream("x", { signal: controller.signal });
    await stream.turnId;
    controller.abort(new Error("enough"));
    await expect(stream.result).rejects.toThrow("enough");
    await expect(stream[Symbol.asyncIterator]().next()).rejects.toThrow("enough");
    await vi.waitFor(() => expect(server.asked.at(-1)?.method).toBe("turn/interrupt"));
    await expect(started.run("x", { signal: AbortSignal.abort(new Error("before")) })).rejects.toThrow(
      "before",
    );
  });
});

describe("a thread", () => {
  test("has its turns read page by page, in either direction", async () => {
    const ids = ["a", "b", "c"];
    const { client, server } = await open(
      answering(({ id, params }) => {
        const at = Number((params as { cursor: string | null }).cursor ?? 0);
        const nextCursor = at + 1 < ids.length ? String(at + 1) : null;
        return [{ id, result: { data: [{ id: ids[at] }], nextCursor } }];
      }),
    );
    const started = await client.startThread();
    const read: string[] = [];
    for await (const { id } of started.turns({ direction: "desc", itemsView: "summary", pageSize: 1 }))
      read.push(id);
    expect(read).toEqual(ids);
    expect(server.asked.at(-1)?.params).toEqual({
      threadId: "t",
      cursor: "2",
      limit: 1,
      sortDirection: "desc",
      itemsView: "summary",
    });
    for await (const _ of started.turns()) break;
    expect(server.asked.filter(({ method }) => method === "thread/turns/list")).toHaveLength(4);
  });

  test("is followed until its signal, its end or that of the connection", async () => {
    const { client, server } = await open(answering(() => []));
    const started = await client.startThread();
    const controller = new AbortController();
    const first = started.follow({ signal: controller.signal });
    const second = started.follow();
    const third = started.follow();
    server.send({ method: "thread/status/changed", params: { threadId: "other" } });
    server.send({ method: "turn/started", params: { threadId: "t", turn: turn("inProgress") } });
    expect((await first.next()).value).toMatchObject({ method: "turn/started" });
    controller.abort();
    expect(await first.next()).toEqual({ done: true, value: undefined });
    expect((await third.next()).done).toBe(false);
    await third.return?.();
    server.send({ method: "thread/closed", params: { threadId: "t" } });
    const methods: string[] = [];
    for await (const { method } of second) methods.push(method);
    expect(methods).toEqual(["turn/started", "thread/closed"]);
    const last = started.follow();
    server.cut();
    await expect(last.next()).rejects.toThrow("the connection was closed");
  });
});

describe("a question of the server", () => {
  const ask = (method: string, params: object) => ({ id: 7, method, params });
  const COMMAND = "item/commandExecution/requestApproval";
  const PERMISSIONS = "item/permissions/requestApproval";

  async function answered(
    question: object,
    options: ClientOptions,
    prepare: (client: Client) => void = () => {},
  ) {
    const replies: unknown[] = [];
    const server = createScriptedServer(() => []);
    const open = async () => {
      const transport = await server.open();
      return {
        ...transport,
        send: (text: string, kind: "response" | "notice") => {
          const said = JSON.parse(text) as ReceivedRequest;
          if (said.method === undefined) replies.push(said);
          else transport.send(text, kind);
        },
      };
    };
    const client = await openClient({ open, reconnect: null }, options);
    prepare(client);
    server.send(question);
    server.send(question);
    await vi.waitFor(() => expect(replies).toHaveLength(2));
    await client.close();
    return replies[0] as { result?: unknown; error?: { message: string } };
  }

  test.each([
    ["accept", { permissions: { network: { enabled: true } }, scope: "turn" }],
    ["acceptForSession", { permissions: { network: { enabled: true } }, scope: "session" }],
    ["decline", { permissions: {}, scope: "turn" }],
    ["cancel", { permissions: {}, scope: "turn" }],
  ] as const)("about permissions is granted whole or not at all: %s", async (decision, result) => {
    const question = ask(PERMISSIONS, { permissions: { network: { enabled: true } } });
    expect(await answered(question, { approve: () => decision })).toMatchObject({ result });
  });

  test("about a command is answered by the callback, which knows what it is about", async () => {
    const approve = vi.fn(async () => "accept" as const);
    const reply = await answered(ask(COMMAND, { command: "ls" }), { approve });
    expect(reply).toMatchObject({ result: { decision: "accept" } });
    expect(approve).toHaveBeenCalledWith({ type: "command", command: "ls" });
  });

  const CHANGE = { path: "/w/a", kind: { type: "update", move_path: "/w/b" }, diff: "-x\n+y\n" };
  const PATCH = { type: "fileChange", id: "patch", changes: [CHANGE], status: "inProgress" };
  const aboutPatch = ask("item/fileChange/requestApproval", {
    threadId: "t",
    turnId: "turn",
    itemId: "patch",
  });
  const DESCRIBED = { type: "fileChange", changes: [CHANGE], paths: ["/w/a", "/w/b"], diff: "-x\n+y\n" };

  test("about a patch comes with its paths and its diff, and is not asked twice while it is thought about", async () => {
    const decision = createDeferred<"accept">();
    const approve = vi.fn(() => decision.promise);
    const { server } = await open(
      answering(() => []),
      { approve, reconnect: FAST },
    );
    server.send({ method: "item/started", params: { threadId: "t", turnId: "turn", item: PATCH } });
    server.send(aboutPatch);
    await vi.waitFor(() => expect(approve).toHaveBeenCalledTimes(1));
    expect(approve).toHaveBeenCalledWith(expect.objectContaining(DESCRIBED));
    server.cut();
    await vi.waitFor(() => expect(server.opened()).toBe(2));
    server.send(aboutPatch);
    decision.resolve("accept");
    await vi.waitFor(() => expect(server.asked).toContainEqual({ id: 7, result: { decision: "accept" } }));
    expect(approve).toHaveBeenCalledTimes(1);
  });

  test("about a patch that was shown before the client came is looked up", async () => {
    const approve = vi.fn(() => "decline" as const);
    const live = { id: "t", turns: [{ id: "turn", items: [PATCH] }] };
    const { server } = await open(
      ({ id, method }) => [{ id, ...(method === "thread/resume" && { result: { thread: live } }) }],
      { approve },
    );
    server.send(aboutPatch);
    await vi.waitFor(() => expect(approve).toHaveBeenCalledWith(expect.objectContaining(DESCRIBED)));
  });

  test("that nobody answers is refused, and said once with what to set", async () => {
    const onWarning = vi.fn();
    const { error } = await answered(ask(COMMAND, {}), { onWarning });
    expect(error?.message).toBe(`${COMMAND} is not handled by this client`);
    expect(onWarning.mock.calls).toEqual([
      [expect.stringMatching(/set the option "approve" of connect\(\), or call client\.answer/)],
    ]);
  });

  test("whose callback throws is refused, and a handler of one's own goes before it", async () => {
    const approve = () => {
      throw new Error("no idea");
    };
    expect(await answered(ask(COMMAND, {}), { approve })).toMatchObject({ error: { message: "no idea" } });
    const own = await answered(ask(COMMAND, {}), { approve }, (client) =>
      client.answer(COMMAND, () => ({ decision: "cancel" })),
    );
    expect(own).toMatchObject({ result: { decision: "cancel" } });
  });
});

describe("a connection that is lost", () => {
  test("comes back, follows its threads again, and repeats what only looks", async () => {
    let looks = 0;
    const { client, server } = await open(
      answering((asked) => {
        looks += 1;
        return looks === 1 ? [null] : [{ id: asked.id, result: { data: [] } }];
      }),
      { reconnect: FAST },
    );
    await client.startThread();
    expect(await client.model.list()).toEqual({ data: [] });
    expect(server.asked.map(({ method }) => method)).toEqual([
      "thread/start",
      "model/list",
      "thread/resume",
      "thread/turns/list",
      "model/list",
    ]);
  });

  const item = (id: string, more: object = {}) => ({ type: "agentMessage", id, text: id, ...more });
  const named = (id: string, status: Turn["status"], items: readonly object[]) => {
    const ends = status === "inProgress" ? null : 2_000;
    return { id, status, items, itemsView: "full", startedAt: 1_500, completedAt: ends, hookRuns: [] };
  };
  const told = (method: string, about: object) => ({ method, params: { threadId: "t", ...about } });
  const nameOf = ({ method, params }: { method: string; params: unknown }) => {
    const { turn, item } = params as { turn?: { id: string }; item?: { id: string } };
    return `${method} ${turn?.id ?? item?.id ?? ""}`.trim();
  };

  test("tells what ended meanwhile as events, once, in its order, and before what happens now", async () => {
    const stored = [
      named("three", "inProgress", [item("3a", { completedAtMs: 1 }), item("3b")]),
      named("two", "completed", [item("2a")]),
      named("one", "completed", [item("1a"), item("1b")]),
      { ...named("old", "completed", [item("0")]), startedAt: 10, completedAt: 11 },
    ];
    const { client, server } = await open(
      (asked) => {
        const { id, method, params } = asked;
        if (method === "thread/resume")
          // Live notifications are queued behind the replayed ones.
          return [
            { id, result: { thread: { id: "t", createdAt: 1, updatedAt: 1_000 } } },
            ...(server.opened() > 1
              ? [
                  told("item/completed", { turnId: "three", item: item("3a") }),
                  told("item/completed", { turnId: "three", item: item("3b") }),
                ]
              : []),
          ];
        const { limit } = params as { limit: number };
        return [{ id, result: { data: stored.slice(0, limit), nextCursor: null } }];
      },
      { reconnect: FAST },
    );
    const heard: string[] = [];
    client.on("turn/completed", ({ turn: { id } }) => heard.push(id));
    const followed = (await client.resumeThread("t")).follow();
    server.send(told("turn/started", { turn: named("one", "inProgress", []) }));
    server.send(told("item/completed", { turnId: "one", item: item("1a") }));
    server.cut();
    const events: string[] = [];
    for await (const event of followed) {
      events.push(nameOf(event));
      if (events.at(-1) === "item/completed 3b") break;
    }
    expect(events).toEqual([
      "turn/started one",
      "item/completed 1a",
      "item/completed 1b",
      "turn/completed one",
      "turn/started two",
      "item/completed 2a",
      "turn/completed two",
      "turn/started three",
      "item/completed 3a",
      "item/completed 3b",
    ]);
    expect(heard).toEqual(["one", "two"]);
  });

  test("a thread that the client has left, or that is gone, is not looked at again", async () => {
    const { client, server } = await open(
      ({ id, method, params }) => {
        const threadId = (params as { threadId?: string }).threadId ?? `t${server.asked.length}`;
        return [{ id, result: method === "thread/start" ? { thread: { id: threadId } } : { data: [] } }];
      },
      { reconnect: FAST },
    );
    const left = await client.startThread();
    const gone = await client.startThread();
    const kept = await client.startThread();
    await left.unsubscribe();
    server.send({ method: "thread/closed", params: { threadId: gone.id } });
    server.cut();
    await vi.waitFor(() => expect(server.asked.at(-1)?.method).toBe("thread/turns/list"));
    const looked = server.asked.filter(({ method }) => method === "thread/turns/list");
    expect(looked.map(({ params }) => (params as { threadId: string }).threadId)).toEqual([kept.id]);
  });

  test("a thread that cannot be read any more keeps nothing back", async () => {
    const { client, server } = await open(
      (asked) => {
        if (asked.method !== "thread/resume")
          return [{ id: asked.id, error: { code: -32600, message: "gone" } }];
        const live = told("item/completed", { turnId: "x", item: item("live") });
        return [
          { id: asked.id, result: { thread: { id: "t", createdAt: 1, updatedAt: 1 } } },
          ...(server.opened() > 1 ? [live] : []),
        ];
      },
      { reconnect: FAST },
    );
    const followed = (await client.resumeThread("t")).follow();
    server.cut();
    expect((await followed.next()).value).toMatchObject({ params: { item: { id: "live" } } });
  });

  test("fails what may have been carried out, from where it was asked for", async () => {
    const { client } = await open(() => [null], { reconnect: FAST });
    async function inMyProgram(): Promise<void> {
      await client.request("turn/start", { threadId: "t", input: [] });
    }
    const error: unknown = await inMyProgram().catch((caught: unknown) => caught);
    expect(error).toMatchObject({ kind: "lost", mayBeDone: true, name: "ConnectionError" });
    expect((error as Error).message).toBe("the connection was closed before turn/start was answered");
    expect((error as Error).stack).toContain("inMyProgram");
  });

  test("a refusal of the server, too, leads to where it was asked for", async () => {
    const { client } = await open(({ id }) => [{ id, error: { code: -32600, message: "not so" } }]);
    async function inMyProgram(): Promise<void> {
      await client.thread.read({ threadId: "t" });
    }
    const error = (await inMyProgram().catch((caught: unknown) => caught)) as Error;
    expect([error.message, error.stack?.includes("inMyProgram")]).toEqual(["not so", true]);
  });

  test("does not lose a turn that ends meanwhile", async () => {
    const { client, server } = await open(
      answering((asked) => {
        if (asked.method === "turn/start") return [begun(asked), message("1", "half"), null];
        const items = [{ type: "agentMessage", id: "1", text: "whole" }];
        return [{ id: asked.id, result: { data: [turn("completed", { items, itemsView: "full" })] } }];
      }),
      { reconnect: FAST },
    );
    const started = await client.startThread();
    expect((await started.run("x")).text).toBe("whole");
    expect(server.opened()).toBe(2);
  });

  test("is given up when the server refuses, or when the time is over", async () => {
    for (const [why, status, forMs] of [
      // A refusal is final, however much time is left.
      [new ConnectionError("refused", "the server answered 401", { status: 401 }), 401, 60_000],
      [new Error("nobody there"), null, 20],
    ] as const) {
      const states: string[] = [];
      const { client, server } = await open(() => [], {
        reconnect: { firstDelayMs: 1, forMs },
        onConnectionChange: ({ kind }) => states.push(kind),
      });
      server.refuse(why);
      const waiting = client.model.list();
      server.cut();
      await expect(waiting).rejects.toMatchObject({ kind: "lost", status });
      await client.closed;
      expect(states).toEqual(["reconnecting", "closed"]);
      await expect(client.model.list()).rejects.toThrow(
        /cannot send model\/list: .*could not be opened again/,
      );
    }
  });

  test.each([502, 503, 504, 429])("is looked for while a proxy answers %d for the server", async (status) => {
    const { client, server } = await open((asked) => [{ id: asked.id, result: { data: [] } }], {
      reconnect: FAST,
    });
    server.refuse(new ConnectionError("refused", "not yet", { status }));
    server.cut();
    const waiting = client.model.list();
    await vi.waitFor(() => expect(server.opened()).toBeGreaterThan(2));
    server.refuse(null);
    expect(await waiting).toEqual({ data: [] });
  });

  test("is not kept where the client was closed while it was opened", async () => {
    const server = createScriptedServer(() => []);
    const [asked, gate] = [createDeferred<void>(), createDeferred<void>()];
    const transports: Transport[] = [];
    const open = async () => {
      if (transports.length > 0) {
        asked.resolve();
        await gate.promise;
      }
      const transport = await server.open();
      const close = vi.fn(transport.close);
      transports.push({ ...transport, close });
      return { ...transport, close };
    };
    const client = await openClient({ open, reconnect: FAST });
    server.cut();
    await asked.promise;
    await client.close();
    gate.resolve();
    await vi.waitFor(() => expect(transports[1]?.close).toHaveBeenCalledOnce());
  });

  test("is not looked for after it was closed, nor after the client was closed meanwhile", async () => {
    const { client, server } = await open(() => [], { reconnect: FAST });
    await client.close();
    await expect(client.model.list()).rejects.toMatchObject({ kind: "closed" });
    const other = await open(() => [], { reconnect: { firstDelayMs: 60_000, forMs: 60_000 } });
    other.server.cut();
    const waiting = other.client.model.list();
    await other.client.close();
    await expect(waiting).rejects.toMatchObject({ kind: "closed" });
    expect([server.opened(), other.server.opened()]).toEqual([1, 1]);
  });

  test("says which thread it cannot follow any more", async () => {
    const onWarning = vi.fn();
    const { client, server } = await open(
      (asked) =>
        asked.method === "thread/start"
          ? [thread(asked)]
          : [{ id: asked.id, error: { code: 1, message: "gone" } }],
      { reconnect: FAST, onWarning },
    );
    await client.startThread();
    server.cut();
    await vi.waitFor(() => expect(onWarning).toHaveBeenCalledWith("thread t is not followed any more: gone"));
  });
});

test.each([
  [
    "closes the thread",
    (server: ScriptedServer) => server.send({ method: "thread/closed", params: { threadId: "t" } }),
  ],
  ["the client leaves the thread", (_: ScriptedServer, left: Thread) => void left.unsubscribe()],
] as const)("a turn ends for its client also where %s", async (_, act) => {
  const { client, server } = await open(
    answering((asked) =>
      asked.method === "turn/start" ? [begun(asked)] : [{ id: asked.id, result: { data: [] } }],
    ),
  );
  const started = await client.startThread();
  const stream = started.stream("x");
  await stream.turnId;
  act(server, started);
  await expect(stream.result).rejects.toThrow("the end of the turn was not seen");
});

test("a refused introduction ends the connection", async () => {
  const server = createScriptedServer(() => []);
  const open = async () => {
    const transport = await server.open();
    return { ...transport, send: () => transport.close() };
  };
  await expect(openClient({ open, reconnect: FAST })).rejects.toThrow("before the server had answered");
  expect(server.opened()).toBe(1);
});

test("a listener counts as often as it was added, until each is taken away", async () => {
  const { client, server } = await open(() => []);
  const heard: string[] = [];
  const listener = ({ message }: { message: string }) => void heard.push(message);
  const stops = [client.on("warning", listener), client.on("warning", listener)];
  const tell = async (text: string) => {
    server.send({ method: "warning", params: { message: text } });
    await new Promise((resolve) => void setImmediate(resolve));
  };
  await tell("twice");
  stops[0]?.();
  await tell("once");
  stops[1]?.();
  await tell("never");
  expect(heard).toEqual(["twice", "twice", "once"]);
});
