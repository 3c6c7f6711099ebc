/**
 * Files that vanish while a server is working on them: the turn continues, users are notified, and nothing is
 * lost.
 */
import { existsSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { listRollouts } from "../crash/rollout-files.ts";
import { modelConfig } from "../support/model-config.ts";
import { functionCallDone, messageReply, reply } from "../support/model-events.ts";
import type { RpcClient } from "../support/rpc-client.ts";
import { openScriptedModel } from "../support/scripted-model.ts";
import { startServer } from "../support/start-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";

const CLIENT = {
  clientInfo: { name: "editor", title: null, version: "1.0.0" },
  capabilities: { experimentalApi: true },
};

async function start(home: TempHome) {
  const server = await startServer({ home });
  onTestFinished(async () => void (await server.stop()));
  const client = await server.connect();
  await client.result("initialize", CLIENT);
  return { server, client };
}

function say(client: RpcClient, threadId: string, text: string) {
  return client.result("turn/start", { threadId, input: [{ type: "text", text }] });
}

async function itemsOf(client: RpcClient, threadId: string): Promise<string[]> {
  const { thread } = (await client.result("thread/read", { threadId, includeTurns: true })) as {
    thread: { turns: { status: string; items: { type: string }[] }[] };
  };
  return thread.turns.map(({ status, items }) => [status, ...items.map(({ type }) => type)].join(" "));
}

const vanishings: readonly [string, (home: TempHome) => void][] = [
  ["the file of its thread", ({ home }) => listRollouts(home).forEach((path) => rmSync(path))],
  ["the folder of all rollouts", ({ home }) => rmSync(join(home, "sessions"), { recursive: true })],
  ["the whole home, moved", ({ home }) => renameSync(home, `${home}-moved`)],
];

test.each(vanishings)("a turn goes on without %s", async (_name, lose) => {
  const model = await openScriptedModel([
    reply("1", functionCallDone("call_1", "exec_command", { cmd: "echo worked", login: false })),
    messageReply("Done", { id: "2", held: true }),
    messageReply("Again", { id: "3" }),
  ]);
  onTestFinished(() => model.close());
  const home = await createTempHome({ config: modelConfig(model.url) });
  onTestFinished(() => home.remove());
  const { client, server } = await start(home);
  const free = { approvalPolicy: "never", sandbox: "danger-full-access" };
  const { thread } = (await client.result("thread/start", free)) as { thread: { id: string } };
  await say(client, thread.id, "Go");
  await model.arrived(2);
  lose(home);
  model.release();
  await client.next({ method: "turn/completed", params: { turn: { status: "completed" } } });
  await say(client, thread.id, "More");
  await client.next({ method: "turn/completed", params: { turn: { status: "completed" } } });
  const warnings = client.received.filter(
    ({ method, message }) => method === "warning" && JSON.stringify(message).includes("was missing"),
  );
  expect(warnings.map(({ message }) => (message["params"] as { message: string }).message)).toEqual([
    expect.stringMatching(/restored, with all of its history: .*\.jsonl/u),
  ]);
  const kept = ["completed userMessage commandExecution agentMessage", "completed userMessage agentMessage"];
  expect(await itemsOf(client, thread.id)).toEqual(kept);
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("worked");
  server.child.signal("SIGKILL");
  await server.child.exit;
  if (!existsSync(join(home.home, "config.toml")))
    await home.write("home/config.toml", modelConfig(model.url));
  const again = await start(home);
  expect(await itemsOf(again.client, thread.id)).toEqual(kept);
  const [path = ""] = listRollouts(home.home);
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { ordinal: number }).ordinal)).toEqual([...lines.keys()]);
});
