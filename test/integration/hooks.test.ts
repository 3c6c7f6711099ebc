/** Hooks end to end: files in the home, real programs, and restarted servers. */
import { chmodSync, existsSync } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { expect, onTestFinished, test } from "vitest";
import { createHeddle } from "../../src/index.ts";
import type { Turn } from "../../src/protocol/generated/types.ts";
import { modelConfig } from "../support/model-config.ts";
import { functionCallDone, messageReply, reply } from "../support/model-events.ts";
import { type ModelReply, openScriptedModel } from "../support/scripted-model.ts";
import { startServer } from "../support/start-server.ts";
import { createTempHome } from "../support/temp-home.ts";

const command = (text: string) => ({ type: "command", command: text });
const hooksFile = (hooks: object) => JSON.stringify({ hooks });

/** A home with hooks, and servers on it, one after the other. */
async function openHome(hooks: object, replies: readonly ModelReply[]) {
  const model = await openScriptedModel(replies);
  onTestFinished(() => model.close());
  const folders = await createTempHome({ config: modelConfig(model.url) });
  onTestFinished(() => folders.remove());
  await folders.write("home/hooks.json", hooksFile(hooks));
  const { home, workspace: cwd, user: HOME } = folders;
  async function start() {
    const heddle = await createHeddle({ home, cwd, env: { HOME, PATH: process.env["PATH"] } });
    onTestFinished(() => heddle.close());
    return { heddle, client: await heddle.connect() };
  }
  return { folders, model, start, cwd };
}

type Client = Awaited<ReturnType<Awaited<ReturnType<typeof openHome>>["start"]>>["client"];

/** Trusts every hook of a folder, as a user does after a review. */
async function trustAll(client: Client, cwd: string): Promise<void> {
  const { data } = await client.hooks.list({ cwds: [cwd] });
  const state = Object.fromEntries(
    data.flatMap(({ hooks }) => hooks.map(({ key, currentHash }) => [key, { trusted_hash: currentHash }])),
  );
  await client.config.batchWrite({
    edits: [{ keyPath: "hooks.state", mergeStrategy: "upsert", value: state }],
    reloadUserConfig: true,
  });
}

const say = (threadId: string, text: string) => ({ threadId, input: [{ type: "text" as const, text }] });

async function turnsOf(client: Client, threadId: string): Promise<Turn[]> {
  return (await client.thread.read({ threadId, includeTurns: true })).thread.turns;
}

test("a hook whose script may have been changed by a confined command is announced once in a thread", async () => {
  const { folders, start, cwd } = await openHome({ UserPromptSubmit: [{ hooks: [command("./x.sh")] }] }, [
    messageReply("One"),
    messageReply("Two"),
    messageReply("Three"),
  ]);
  await folders.write("workspace/x.sh", "#!/bin/sh\necho good\n");
  chmodSync(join(cwd, "x.sh"), 0o755);
  // As a server writes it before it starts a sandboxed command there.
  await folders.write(
    "home/sandbox/writable-places.jsonl",
    `${JSON.stringify({ roots: [cwd], kept: [] })}\n`,
  );
  const { client } = await start();
  const warnings: string[] = [];
  client.on("warning", ({ threadId, message }) => {
    if (message.includes("heddle hooks trust")) warnings.push(`${threadId} ${message}`);
  });
  await trustAll(client, cwd);
  const { thread } = await client.thread.start({});
  await client.runTurn(say(thread.id, "first"));
  await folders.write("workspace/x.sh", "#!/bin/sh\necho evil\n");
  await client.runTurn(say(thread.id, "second"));
  await client.runTurn(say(thread.id, "third"));

  const runs = (await turnsOf(client, thread.id)).map(({ hookRuns }) => hookRuns);
  expect(runs).toMatchObject([[{ entries: [{ text: "good" }] }], [], []]);
  expect(warnings).toEqual([
    expect.stringMatching(new RegExp(`^${thread.id} .*x\\.sh has changed since it was trusted`)),
  ]);
});

test("a hook that is not trusted is announced and does not run; trusted, it runs from the next event on", async () => {
  const { start, cwd } = await openHome({ UserPromptSubmit: [{ hooks: [command("echo remember this")] }] }, [
    messageReply("One"),
    messageReply("Two"),
  ]);
  const { client } = await start();
  const warnings: string[] = [];
  client.on("warning", ({ message }) => void warnings.push(message));
  const { thread } = await client.thread.start({});
  await client.runTurn(say(thread.id, "first"));
  expect((await turnsOf(client, thread.id)).flatMap(({ hookRuns }) => hookRuns)).toEqual([]);
  expect(warnings.filter((text) => text.includes("heddle hooks trust")).length).toBe(1);

  await trustAll(client, cwd);
  await client.runTurn(say(thread.id, "second"));
  const [, second] = await turnsOf(client, thread.id);
  expect(second?.hookRuns).toMatchObject([
    {
      eventName: "userPromptSubmit",
      status: "completed",
      entries: [{ kind: "context", text: "remember this" }],
    },
  ]);
});

test("a changed file reaches a loaded thread at its next event, and is not trusted", async () => {
  const { start, cwd, folders } = await openHome({ UserPromptSubmit: [{ hooks: [command("echo one")] }] }, [
    messageReply("One"),
    messageReply("Two"),
  ]);
  const { client } = await start();
  await trustAll(client, cwd);
  const { thread } = await client.thread.start({});
  await client.runTurn(say(thread.id, "first"));
  await folders.write("home/hooks.json", hooksFile({ UserPromptSubmit: [{ hooks: [command("echo two")] }] }));
  await client.runTurn(say(thread.id, "second"));
  expect((await turnsOf(client, thread.id)).map(({ hookRuns }) => hookRuns.length)).toEqual([1, 0]);
  const { data } = await client.hooks.list({ threadId: thread.id });
  expect(data[0]?.hooks).toMatchObject([{ trustStatus: "modified" }]);
});

test("the runs of hooks are there when another server reads the thread, also without its database", async () => {
  const exec = reply("1", functionCallDone("call_1", "exec_command", { cmd: "echo hi" }));
  const { start, cwd, folders } = await openHome(
    {
      SessionStart: [{ hooks: [command("echo begun")] }],
      PreToolUse: [{ matcher: "Bash", hooks: [command("true")] }],
      Stop: [{ hooks: [command('echo \'{"systemMessage":"bye"}\'')] }],
    },
    [exec, messageReply("Done")],
  );
  const first = await start();
  await trustAll(first.client, cwd);
  const { thread } = await first.client.thread.start({});
  await first.client.runTurn(say(thread.id, "Go"));
  const before = await turnsOf(first.client, thread.id);
  expect(before[0]?.hookRuns.map(({ eventName, status, scope }) => [eventName, status, scope])).toEqual([
    ["sessionStart", "completed", "thread"],
    ["preToolUse", "completed", "turn"],
    ["stop", "completed", "turn"],
  ]);
  const ids = before[0]?.hookRuns.map(({ runId }) => runId) ?? [];
  expect(new Set(ids).size).toBe(3);
  await first.heddle.close();
  const databases = (await readdir(folders.home)).filter((name) => name.includes("sqlite"));
  expect(databases).not.toEqual([]);
  for (const name of databases) await rm(join(folders.home, name));
  const second = await start();
  expect((await turnsOf(second.client, thread.id))[0]?.hookRuns).toEqual(before[0]?.hookRuns);
  await second.client.thread.resume({ threadId: thread.id });
  expect((await turnsOf(second.client, thread.id))[0]?.hookRuns).toEqual(before[0]?.hookRuns);
});

test("a prompt that was blocked is gone for good", async () => {
  const { start, cwd, model } = await openHome(
    { UserPromptSubmit: [{ hooks: [command("grep -q secret && { echo no >&2; exit 2; } || true")] }] },
    [messageReply("Fine")],
  );
  const first = await start();
  await trustAll(first.client, cwd);
  const { thread } = await first.client.thread.start({});
  await first.client.runTurn(say(thread.id, "a secret"));
  await first.heddle.close();
  const second = await start();
  await second.client.thread.resume({ threadId: thread.id });
  await second.client.runTurn(say(thread.id, "hello"));
  expect(JSON.stringify(model.requests.map(({ body }) => body))).not.toContain("a secret");
  expect(JSON.stringify(await turnsOf(second.client, thread.id))).not.toContain("a secret");
});

test("a background process that a hook leaves holds neither the turn nor the server", async () => {
  const { start, cwd } = await openHome({ UserPromptSubmit: [{ hooks: [command("sleep 30 & echo $!")] }] }, [
    messageReply("Done"),
  ]);
  const { client, heddle } = await start();
  await trustAll(client, cwd);
  const { thread } = await client.thread.start({});
  await client.runTurn(say(thread.id, "Go"));
  const [turn] = await turnsOf(client, thread.id);
  const daemon = Number(turn?.hookRuns[0]?.entries[0]?.text);
  onTestFinished(() => void process.kill(daemon, "SIGKILL"));
  await Promise.race([heddle.close(), delay(10_000).then(() => Promise.reject(new Error("still open")))]);
  expect(process.kill(daemon, 0)).toBe(true);
});

test("a prompt that a server was judging when it was killed is judged by the next one", async () => {
  const model = await openScriptedModel([messageReply("Fine")]);
  onTestFinished(() => model.close());
  const home = await createTempHome({ config: modelConfig(model.url) });
  onTestFinished(() => home.remove());
  const judge =
    "[ -e judged ] || { touch judged; sleep 60; }; grep -q secret && { echo no >&2; exit 2; } || true";
  const config = { bypass_hook_trust: true, hooks: { UserPromptSubmit: [{ hooks: [command(judge)] }] } };

  async function start() {
    const server = await startServer({ home });
    onTestFinished(() => server.stop().then(() => {}));
    const client = await server.connect();
    await client.result("initialize", { clientInfo: { name: "test", version: "1" } });
    return { server, client };
  }
  const first = await start();
  const { thread } = (await first.client.result("thread/start", { config })) as { thread: { id: string } };
  await first.client.result("turn/start", say(thread.id, "a secret"));
  await first.client.next({ method: "hook/started" });
  await expect.poll(() => existsSync(join(home.workspace, "judged")), { timeout: 10_000 }).toBe(true);
  await first.server.stop();

  const { client } = await start();
  await client.result("thread/resume", { threadId: thread.id, config });
  await client.result("turn/start", say(thread.id, "hello"));
  await client.next({ method: "turn/completed" });
  const judged = client.received.filter(({ method }) => method === "hook/completed");
  expect(judged.map(({ message }) => message)).toMatchObject([
    { params: { run: { status: "blocked" } } },
    { params: { run: { status: "completed" } } },
  ]);
  expect(JSON.stringify(model.requests.map(({ body }) => body))).not.toContain("a secret");
});
