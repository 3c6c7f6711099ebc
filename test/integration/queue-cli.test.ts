/** `heddle queue` with and without a running server: what it stores in a home, and which server starts it. */
import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { PNG } from "../../src/tools/view-image/images.fixture.ts";
import { Child } from "../support/child.ts";
import type { RpcClient } from "../support/rpc-client.ts";
import { HEDDLE, serverEnvironment, startServer } from "../support/start-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";

/** The deadline for a server to notice a turn that another process has queued. */
const SOON_MS = 1000;

let home: TempHome;
beforeEach(async () => {
  home = await createTempHome({ config: "queue.max_per_thread = 3\n" });
  onTestFinished(() => home.remove());
});

async function queue(args: readonly string[], stdin = "") {
  const child = new Child({
    command: HEDDLE.command,
    args: [...HEDDLE.args, "queue", ...args],
    cwd: home.workspace,
    env: serverEnvironment(home),
  });
  child.write(stdin);
  child.endInput();
  const { code } = await child.exit;
  return { code, stdout: child.stdout, stderr: child.stderr };
}

async function runQueue(args: readonly string[], stdin?: string) {
  const [name = "", ...rest] = args;
  const { code, stdout, stderr } = await queue([name, "--json", ...rest], stdin);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout);
}

async function waiting(threadId: string): Promise<string[]> {
  const { queues } = await runQueue(["list", threadId]);
  return queues[0].queuedTurns.map(({ input }: { input: { text: string }[] }) => input.at(-1)?.text);
}

async function serve() {
  const server = await startServer({ home });
  onTestFinished(() => server.stop().then(() => {}));
  const client = await server.connect();
  await client.result("initialize", {
    clientInfo: { name: "queuer", version: "1" },
    capabilities: { experimentalApi: true },
  });
  return { server, client };
}

/** A thread with one turn, and the server that has loaded it. */
async function startThread() {
  const { server, client } = await serve();
  return { server, client, threadId: await addThread(client) };
}

async function addThread(client: RpcClient): Promise<string> {
  const started = await client.result("thread/start", { cwd: home.workspace });
  const { id: threadId } = (started as { thread: { id: string } }).thread;
  await client.result("turn/start", { threadId, input: [{ type: "text", text: "Hello" }] });
  await client.next({ method: "turn/completed", params: { threadId } });
  return threadId;
}

test("what is queued while a server has the thread is started by it, soon", async () => {
  const { client, threadId } = await startThread();
  const { code, stdout } = await queue(["add", threadId, "Say", "this"]);
  expect({ code, stdout }).toEqual({
    code: 0,
    stdout: expect.stringMatching(/^queued: [0-9a-f-]{36}\na server starts it now\n$/),
  });
  const said = { type: "userMessage", content: [{ type: "text", text: "Say this" }] };
  await client.next({ method: "item/completed", params: { threadId, item: said } }, SOON_MS);
  await client.next({ method: "turn/completed", params: { turn: { status: "completed" } } });
  expect(await waiting(threadId)).toEqual([]);
});

test("what is done to a queue by command holds for a server that runs", async () => {
  const { client, threadId } = await startThread();
  expect(await runQueue(["pause", threadId, "--reason", "lunch"])).toEqual({
    threadId,
    pauseReason: "lunch",
  });
  for (const text of ["one", "two", "three"]) await queue(["add", threadId, text]);
  await client.next({ method: "thread/queue/changed", params: { pauseReason: "lunch" } }, SOON_MS);
  const full = await queue(["add", threadId, "four"]);
  expect(full).toMatchObject({ code: 1, stdout: "" });
  expect(full.stderr).toContain("queue cannot contain more than 3 submissions (queue.max_per_thread)");
  const { queues } = await runQueue(["list"]);
  const [one, two, three] = queues[0].queuedTurns.map(({ id }: { id: string }) => id);
  expect(await runQueue(["mv", threadId, three, "1"])).toEqual({ threadId, id: three, position: 1 });
  // Ids of the same moment differ only at their end.
  expect(await runQueue(["rm", threadId, one.slice(-12)])).toEqual({ threadId, id: one });
  expect((await queue(["rm", threadId, one])).stderr).toContain(`no queued turn '${one}' waits`);
  const shown = await queue(["list", threadId]);
  expect(shown.stdout.replaceAll(/ {2,}\d+s {2}/g, "  0s  ")).toBe(
    `${threadId}  paused: lunch\n  1  ${three}  pending  0s  three\n  2  ${two}  pending  0s  two\n`,
  );
  expect(await runQueue(["resume", threadId])).toEqual({ threadId, resumed: true });
  for (const text of ["three", "two"]) {
    const said = { type: "userMessage", content: [{ type: "text", text }] };
    await client.next({ method: "item/completed", params: { threadId, item: said } });
    await client.next({ method: "turn/completed", params: { turn: { status: "completed" } } });
  }
  expect(await runQueue(["resume", threadId])).toEqual({ threadId, resumed: false });
});

test("a turn that could not be started is shown with its reason, and no longer in the way when it is removed", async () => {
  const { client, threadId } = await startThread();
  const input = [{ type: "text", text: "never" }];
  await client.result("thread/queue/add", {
    threadId,
    turnStartParams: { threadId, input, permissions: "nobody-has-this-profile" },
  });
  await queue(["add", threadId, "next"]);
  const { stdout } = await queue(["list", threadId]);
  expect(stdout).toMatch(/1 {2}[0-9a-f-]{36} {2}failed .* never\n +could not be started: .*permissions/);
  expect(stdout).toMatch(/2 {2}[0-9a-f-]{36} {2}pending .* next\n/);
  const { queues } = await runQueue(["list", threadId]);
  await runQueue(["rm", threadId, queues[0].queuedTurns[0].id]);
  const said = { type: "userMessage", content: [{ type: "text", text: "next" }] };
  await client.next({ method: "item/completed", params: { threadId, item: said } }, SOON_MS);
  await client.next({ method: "turn/completed", params: { turn: { status: "completed" } } });
  expect(await waiting(threadId)).toEqual([]);
});

test("what is queued while no server runs is there for the next", async () => {
  const { server, client, threadId } = await startThread();
  await client.result("thread/name/set", { threadId, name: "nightly" });
  await server.stop();
  const image = join(home.workspace, "dot.png");
  expect((await queue(["add", "nightly", "-i", "dot.png", "Look"])).stderr).toContain(
    `cannot take the image ${image}`,
  );
  writeFileSync(image, Buffer.from(PNG, "base64"));
  const first = await runQueue(["add", "nightly", "--id", "key", "-i", "dot.png", "-"], "From a pipe\n");
  rmSync(image);
  expect(first).toMatchObject({ threadId, isKnown: false, queuedTurn: { clientUserMessageId: "key" } });
  const again = await runQueue(["add", threadId, "--id", "key", "Something", "else"]);
  expect(again).toMatchObject({ isKnown: true, queuedTurn: { id: first.queuedTurn.id } });
  const later = await runQueue(["add", threadId, "--not-before", "+1h", "--", "--later"]);
  expect(later.queuedTurn.notBefore * 1000).toBeGreaterThan(Date.now());
  expect(await waiting(threadId)).toEqual(["From a pipe", "--later"]);

  const next = await serve();
  await next.client.result("thread/resume", { threadId });
  const shown = { type: "image", url: `data:image/png;base64,${PNG}` };
  const content = [shown, { type: "text", text: "From a pipe" }];
  const said = { type: "userMessage", clientId: "key", content };
  await next.client.next({ method: "item/completed", params: { threadId, item: said } });
  await next.client.next({ method: "turn/completed", params: { turn: { status: "completed" } } });
  expect(await waiting(threadId)).toEqual(["--later"]);
});

test("threads that cannot be told or cannot have a queue are refused in words", async () => {
  const { client, threadId } = await startThread();
  const otherId = await addThread(client);
  for (const id of [threadId, otherId])
    await client.result("thread/name/set", { threadId: id, name: "twin" });
  const refusals = async (...words: readonly string[]) => (await queue(["add", ...words])).stderr;
  expect(await refusals("twin", "x")).toMatch(/^Error: 2 threads are called 'twin': use the id of one, /);
  await client.result("thread/archive", { threadId });
  expect(await refusals(threadId, "x")).toContain(`thread ${threadId} is archived: unarchive it first`);
  expect(await refusals("twin", " ")).toContain("there is nothing to queue: the text is empty");
  await client.result("thread/archive", { threadId: otherId });
  expect(await refusals("twin", "x")).toMatch(/^Error: 2 threads are called 'twin': use the id of one, /);
  expect(await refusals("nobody", "x")).toContain("there is no thread with the id or the name 'nobody'");
  const unknown = "00000000-0000-7000-8000-000000000000";
  expect(await refusals(unknown, "x")).toContain(`there is no thread ${unknown}`);
  expect(await queue(["list"])).toEqual({ code: 0, stdout: "", stderr: "nothing waits\n" });
});

test.each([
  { args: [], code: 2, stderr: "Usage: heddle queue [OPTIONS] [COMMAND]" },
  { args: ["add"], code: 2, stderr: "required arguments were not provided: <THREAD>" },
  { args: ["rm", "thread"], code: 2, stderr: "required arguments were not provided: <ID>" },
  { args: ["list", "a", "b"], code: 2, stderr: "unexpected argument 'b' found" },
  { args: ["add", "t", "x", "--not-before", "soon"], code: 2, stderr: "not a time and not a span" },
])("a wrong command line is refused: $args", async ({ args, code, stderr }) => {
  const refused = await queue(args);
  expect(refused).toMatchObject({ code, stdout: "" });
  expect(refused.stderr).toContain(stderr);
});

test.each(["add", "list", "rm", "mv", "pause", "resume"])("%s has a page of help", async (name) => {
  const { code, stdout, stderr } = await queue([name, "--help"]);
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(stdout).toContain(`Usage: heddle queue ${name} [OPTIONS]`);
  expect(stdout).toContain("Examples:");
});
