/** Configuration keys whose effect is only visible in the behaviour of the server. */
import { expect, onTestFinished, test } from "vitest";
import { openEmbedded } from "../support/embedded.ts";
import { modelConfig } from "../support/model-config.ts";
import { messageReply } from "../support/model-events.ts";
import { openScriptedModel } from "../support/scripted-model.ts";

test("model_verbosity reaches the provider of a model that has such a setting", async () => {
  const model = await openScriptedModel([messageReply("Done")]);
  onTestFinished(() => model.close());
  const { heddle } = await openEmbedded(modelConfig(model.url, { root: 'model_verbosity = "high"' }));
  const client = await heddle.connect();
  const { thread } = await client.thread.start({ model: "gpt-5.5" });
  await client.runTurn({ threadId: thread.id, input: [{ type: "text", text: "Hello" }] });
  expect(model.requests.at(-1)?.body).toMatchObject({ text: { verbosity: "high" } });
});

test("thread_unload_delay_secs says when a thread that nobody hears of is unloaded", async () => {
  const { heddle } = await openEmbedded("thread_unload_delay_secs = 0");
  const client = await heddle.connect();
  const unloaded = new Promise<string>((resolve) => {
    client.on("thread/closed", ({ threadId }) => resolve(threadId));
  });
  const { thread } = await client.thread.start({});
  await client.runTurn({ threadId: thread.id, input: [{ type: "text", text: "Hello" }] });
  await client.thread.unsubscribe({ threadId: thread.id });
  expect(await unloaded).toBe(thread.id);
  expect((await client.thread.loaded.list({})).data).toEqual([]);
});

test("clients.<name>.notice_delay_ms sets the first notice of a turn apart from the answer to turn/start", async () => {
  const { heddle } = await openEmbedded("[clients.late]\nnotice_delay_ms = 150");
  const client = await heddle.connect({ clientInfo: { name: "late", version: "1", title: null } });
  const { thread } = await client.thread.start({});
  const begun = new Promise<number>((resolve) => {
    client.on("turn/started", () => resolve(performance.now()));
  });
  await client.turn.start({ threadId: thread.id, input: [{ type: "text", text: "Hello" }] });
  const answered = performance.now();
  // A Node timer may fire a millisecond early.
  expect((await begun) - answered).toBeGreaterThan(145);
});
