/** A client that subscribes while a hook is running. */
import { execFileSync } from "node:child_process";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { createHeddle } from "../../src/index.ts";
import { modelConfig } from "../support/model-config.ts";
import { messageReply } from "../support/model-events.ts";
import { openScriptedModel } from "../support/scripted-model.ts";
import { createTempHome } from "../support/temp-home.ts";

test("a client that joins a thread while a hook runs sees it as running", async () => {
  const model = await openScriptedModel([messageReply("Done")]);
  onTestFinished(() => model.close());
  const folders = await createTempHome({ config: modelConfig(model.url) });
  onTestFinished(() => folders.remove());
  const pipe = join(folders.user, "pipe");
  execFileSync("mkfifo", [pipe]);
  // The hook runs until the test writes into the pipe.
  const hooks = { UserPromptSubmit: [{ hooks: [{ type: "command", command: `cat ${pipe}` }] }] };
  await folders.write("home/hooks.json", JSON.stringify({ hooks }));
  const { home, workspace: cwd, user: HOME } = folders;
  const heddle = await createHeddle({ home, cwd, env: { HOME, PATH: process.env["PATH"] } });
  onTestFinished(() => heddle.close());
  const client = await heddle.connect();
  const { data } = await client.hooks.list({ cwds: [cwd] });
  const value = Object.fromEntries(
    data.flatMap((entry) => entry.hooks.map(({ key, currentHash }) => [key, { trusted_hash: currentHash }])),
  );
  await client.config.batchWrite({
    edits: [{ keyPath: "hooks.state", mergeStrategy: "upsert", value }],
    reloadUserConfig: true,
  });
  const thread = await client.startThread();
  const started = new Promise((resolve) => void client.on("hook/started", resolve));
  const turn = thread.run("go");
  await started;
  const late = await heddle.connect({ capabilities: { experimentalApi: true } });
  const { thread: joined, initialTurnsPage } = await late.thread.resume({
    threadId: thread.id,
    initialTurnsPage: {},
  });
  const listed = await late.thread.turns.list({ threadId: thread.id });
  const read = await late.thread.read({ threadId: thread.id, includeTurns: true });
  for (const turns of [joined.turns, initialTurnsPage?.data, listed.data, read.thread.turns])
    expect(turns?.map(({ hookRuns }) => hookRuns.map(({ status }) => status))).toEqual([["running"]]);
  await writeFile(pipe, "context\n");
  expect((await turn).turn.hookRuns.map(({ status }) => status)).toEqual(["completed"]);
  const after = await late.thread.turns.list({ threadId: thread.id });
  expect(after.data.map(({ hookRuns }) => hookRuns.map(({ status }) => status))).toEqual([["completed"]]);
});
