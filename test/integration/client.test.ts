/** The SDK against real servers: over every transport, with tokens, through restarts, in a page. */
import { once } from "node:events";
import { type AddressInfo, createConnection, createServer } from "node:net";
import { createContext, runInContext } from "node:vm";
import { build } from "esbuild";
import { expect, onTestFinished, test, vi } from "vitest";
import { WebSocket } from "ws";
import { createDeferred } from "../../src/base/tasks.ts";
import {
  type ApprovalRequest,
  type Client,
  ConnectionError,
  connect,
  openClient,
  TurnFailed,
} from "../../src/client/index.ts";
import { openWebSocket } from "../../src/client/websocket-transport.ts";
import { bearer, serve as serveWithToken } from "../support/serve.ts";
import { HEDDLE, type RunningServer, serverEnvironment, startServer } from "../support/start-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";

const TOKEN = "a-token-that-is-long-enough-for-anybody";

async function serve(options: Parameters<typeof startServer>[0]): Promise<RunningServer> {
  const server = await startServer(options);
  onTestFinished(() => server.stop().then(() => {}));
  return server;
}

async function temporaryHome(): Promise<TempHome> {
  const home = await createTempHome();
  onTestFinished(() => home.remove());
  return home;
}

function closing(client: Client): Client {
  onTestFinished(() => client.close());
  return client;
}

const experimental = { capabilities: { experimentalApi: true } } as const;

const targets = {
  async ws() {
    return connect(`ws://${(await serve({ transport: "ws" })).address}`, experimental);
  },
  async unix() {
    return connect(`unix://${(await serve({ transport: "unix" })).socketPath}`, experimental);
  },
  async stdio() {
    const home = await temporaryHome();
    const { command, args } = HEDDLE;
    const place = { cwd: home.workspace, env: serverEnvironment(home) };
    const program = { command, args: [...args, "app-server"], ...place };
    return connect("stdio:", { ...experimental, program });
  },
};

test.each(Object.entries(targets))("runs and streams turns over %s", async (_name, open) => {
  const client = closing(await open());
  const thread = await client.startThread();
  expect((await thread.run("hello")).text).not.toBe("");
  const methods = new Set<string>();
  let text = "";
  const stream = thread.stream("hello again");
  for await (const event of stream) {
    methods.add(event.method);
    if (event.method === "item/agentMessage/delta") text += event.params.delta;
  }
  expect(text).toBe((await stream.result).text);
  expect([...methods]).toEqual(expect.arrayContaining(["turn/started", "item/completed", "turn/completed"]));
  await expect(thread.run("fail")).rejects.toThrow(TurnFailed);
});

/** A proxy that drops the connection instead of forwarding the first server message with this text. */
async function losing(address: string, text: string): Promise<{ url: string; losses: () => number }> {
  let losses = 0;
  const [host, port] = address.split(":");
  const relay = createServer((near) => {
    const far = createConnection(Number(port), host);
    const end = () => [near, far].forEach((socket) => socket.destroy());
    near.on("data", (bytes) => far.write(bytes));
    far.on("data", (bytes) => {
      if (losses > 0 || !bytes.includes(text)) return near.write(bytes);
      losses += 1;
      return end();
    });
    for (const socket of [near, far]) socket.on("close", end).on("error", end);
  });
  onTestFinished(() => void relay.close());
  await once(relay.listen(0, "127.0.0.1"), "listening");
  return { url: `ws://127.0.0.1:${(relay.address() as AddressInfo).port}`, losses: () => losses };
}

test("runs a queued turn once whose answer was lost, and says which turn it was", async () => {
  const server = await serve({ transport: "ws" });
  const { url, losses } = await losing(server.address ?? "", "queuedSubmission");
  const client = closing(await connect(url, experimental));
  const thread = await client.startThread();
  const added = await thread.queue.add("hello", { clientUserMessageId: "once" });
  expect([losses(), added.clientUserMessageId]).toEqual([1, "once"]);
  const watcher = closing(await connect(`ws://${server.address}`, experimental));
  await vi.waitFor(async () => {
    const { thread: read } = await watcher.request("thread/read", {
      threadId: thread.id,
      includeTurns: true,
    });
    expect(read.turns.map(({ id, status }) => [id, status])).toEqual([[added.startedTurnId, "completed"]]);
  });
  expect(
    await watcher.request("thread/queue/list", { threadId: thread.id, cursor: null, limit: null }),
  ).toMatchObject({
    data: [],
  });
});

test("a patch is decided by its paths and diff, also by a client that comes later", async () => {
  const server = await serve({ transport: "ws" });
  const url = `ws://${server.address}`;
  const first = createDeferred<ApprovalRequest>();
  const waiting = closing(
    await connect(url, { approve: (request) => (first.resolve(request), new Promise(() => {})) }),
  );
  const thread = await waiting.startThread({ sandbox: "read-only", approvalPolicy: "on-request" });
  const running = thread.run("create notes.txt");
  const asked = await first.promise;
  const path = expect.stringMatching(/\/notes\.txt$/u);
  const diff = "This file was made by the demo model.\n";
  const described = {
    type: "fileChange",
    paths: [path],
    diff,
    changes: [{ path, kind: { type: "add" }, diff }],
  };
  expect(asked).toMatchObject(described);
  const approve = vi.fn(() => "accept" as const);
  const later = closing(await connect(url, { approve }));
  const joined = await later.resumeThread(thread.id);
  expect((await running).text).toBe("The patch is in place.");
  expect(approve.mock.calls).toMatchObject([[described]]);
  const turns: string[] = [];
  for await (const { status, items } of joined.turns()) turns.push(`${status} ${items.length}`);
  expect(turns).toEqual(["completed 4"]);
});

test("what ended while the connection was away is told as events", async () => {
  const server = await serve({ transport: "ws" });
  const sockets: WebSocket[] = [];
  const client = closing(
    await openClient(
      {
        open: async () => {
          const socket = new WebSocket(`ws://${server.address}`);
          sockets.push(socket);
          return openWebSocket("test", socket, () => null);
        },
        reconnect: { firstDelayMs: 1000 },
      },
      {},
    ),
  );
  const thread = await client.startThread();
  const followed = thread.follow();
  const other = closing(await connect(`ws://${server.address}`));
  const joined = await other.resumeThread(thread.id);
  sockets[0]?.terminate();
  await joined.run("hello while you are away");
  await joined.run("and once more");
  const events: string[] = [];
  for await (const { method, params } of followed) {
    if (method === "item/completed") events.push(params.item.type);
    if (method === "turn/completed") events.push(params.turn.status);
    if (events.length === 6) break;
  }
  expect(events).toEqual([
    "userMessage",
    "agentMessage",
    "completed",
    "userMessage",
    "agentMessage",
    "completed",
  ]);
});

test("asks the callback, and an unanswered approval is refused and said", async () => {
  const server = await serve({ transport: "ws" });
  const onWarning = vi.fn();
  const asked: string[] = [];
  const run = async (options: object) => {
    const client = closing(await connect(`ws://${server.address}`, { onWarning, ...options }));
    const thread = await client.startThread({ approvalPolicy: "untrusted", sandbox: "danger-full-access" });
    const { items } = await thread.run("run touch made");
    return items.flatMap((item) => (item.type === "commandExecution" ? [item.status] : []));
  };
  const approve = (request: { type: string }) => {
    asked.push(request.type);
    return "accept";
  };
  expect(await run({ approve })).toEqual(["completed"]);
  expect([asked, onWarning.mock.calls.length]).toEqual([["command"], 0]);
  expect(await run({})).toEqual(["failed"]);
  expect(onWarning.mock.calls).toEqual([[expect.stringContaining('the option "approve"')]]);
});

test("queues turns, shows hooks, and comes back after the server was killed", async () => {
  const home = await temporaryHome();
  const first = await serve({ transport: "ws", home });
  const { port } = new URL(`ws://${first.address}`);
  const states: string[] = [];
  const client = closing(
    await connect(`ws://127.0.0.1:${port}`, {
      ...experimental,
      reconnect: { firstDelayMs: 20 },
      onConnectionChange: ({ kind }) => states.push(kind),
    }),
  );
  const thread = await client.startThread();
  await thread.run("hello");
  expect(await thread.hooks()).toHaveLength(1);
  await thread.queue.pause("later");
  await thread.queue.add("hello from the queue", { clientUserMessageId: "k" });
  process.kill(first.child.pid, "SIGKILL");
  const waiting = thread.queue.list();
  await serve({ transport: "ws", home, listen: `ws://127.0.0.1:${port}` });
  expect((await waiting).data.map(({ clientUserMessageId }) => clientUserMessageId)).toEqual(["k"]);
  expect(states).toEqual(["reconnecting", "connected"]);
  const ended = new Promise((resolve) => client.on("turn/completed", ({ turn }) => resolve(turn.status)));
  await thread.queue.resume();
  expect(await ended).toBe("completed");
  expect((await thread.run("and on")).turn.status).toBe("completed");
});

test.each([
  ["without a token", undefined, 401, /the server answered 401: .*\(set the option "token"\)/s],
  ["with a wrong one", "wrong", 401, /the server answered 401: .*another one/s],
])("says why a server refuses it: %s", async (_name, token, status, message) => {
  const server = await serve({
    transport: "ws",
    args: ["--ws-auth", "capability-token", "--ws-token-file", await tokenFile()],
  });
  const failure: unknown = await connect(
    `ws://${server.address}`,
    token === undefined ? {} : { token },
  ).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(ConnectionError);
  expect(failure).toMatchObject({
    kind: "refused",
    status,
    message: expect.stringMatching(message) as string,
  });
  closing(await connect(`ws://${server.address}`, { token: TOKEN }));
});

async function tokenFile(): Promise<string> {
  const home = await temporaryHome();
  const file = `${home.root}/token`;
  await (await import("node:fs/promises")).writeFile(file, TOKEN, { mode: 0o600 });
  return file;
}

test("says what is wrong with an address or a program", async () => {
  await expect(connect("http://localhost:1")).rejects.toThrow("use ws://, wss://, unix:///path or stdio:");
  const start = (command: string, ...args: string[]) => connect("stdio:", { program: { command, args } });
  await expect(start("/does/not/exist")).rejects.toThrow("cannot start /does/not/exist");
  await expect(start("sh", "-c", "echo no home >&2; exit 3")).rejects.toThrow(/sh ended \(3\): no home/);
  await expect(connect("ws://127.0.0.1:9")).rejects.toMatchObject({
    name: "ConnectionError",
    kind: "refused",
  });
});

/** A page with this WebSocket implementation; returns what `heddle/client` exports in it. */
async function openPage(Socket: typeof WebSocket): Promise<{ readonly connect: typeof connect }> {
  const { outputFiles } = await build({
    entryPoints: ["src/client/browser.ts"],
    bundle: true,
    platform: "browser",
    format: "iife",
    globalName: "sdk",
    write: false,
  });
  const page: Record<string, unknown> = {
    WebSocket: Socket,
    process: {},
    setTimeout,
    clearTimeout,
    performance,
    console,
    crypto,
    AbortController,
    queueMicrotask,
  };
  page["globalThis"] = page;
  page["window"] = page;
  const context = createContext(page);
  runInContext(`${outputFiles[0]?.text}; globalThis.sdk = sdk`, context);
  return page["sdk"] as { connect: typeof connect };
}

test("works in a page, also in one that has a process of its own", async () => {
  const server = await serve({ transport: "ws" });
  const page = await openPage(WebSocket);
  const client = closing(await page.connect(`ws://${server.address}`));
  expect((await (await client.startThread()).run("hello")).text).not.toBe("");
});

test("comes back with another ticket, in a page and elsewhere", async () => {
  const origin = "https://app.example";
  const server = await serveWithToken(["--ws-allow-origin", origin]);
  const sockets: WebSocket[] = [];
  class PageSocket extends WebSocket {
    constructor(url: string) {
      super(url, { headers: { origin } });
      sockets.push(this);
    }
  }
  const tickets: string[] = [];
  const address = async (): Promise<string> => {
    const answer = await fetch(`http://127.0.0.1:${server.port}/ticket`, { method: "POST", headers: bearer });
    const { ticket } = (await answer.json()) as { ticket: string };
    tickets.push(ticket);
    return `ws://127.0.0.1:${server.port}/?ticket=${ticket}`;
  };
  const page = await openPage(PageSocket as unknown as typeof WebSocket);
  const states: string[] = [];
  const client = closing(
    await page.connect(address, {
      reconnect: { firstDelayMs: 1 },
      onConnectionChange: ({ kind }) => states.push(kind),
    }),
  );
  const thread = await client.startThread();
  for (let time = 0; time < 2; time += 1) {
    sockets.at(-1)?.terminate();
    await vi.waitFor(() => expect(states.filter((kind) => kind === "reconnecting")).toHaveLength(time + 1));
    expect((await thread.run("hello")).turn.status).toBe("completed");
  }
  expect([sockets.length, new Set(tickets).size]).toEqual([3, 3]);

  const once = await address();
  closing(await connect(() => once));
  const failure: unknown = await connect(() => once).catch((error: unknown) => error);
  expect(failure).toMatchObject({ kind: "refused", status: 401 });
  expect(String(failure)).not.toContain(tickets.at(-1));
});
