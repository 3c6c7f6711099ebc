/** A server with an in-memory store: it is fully functional, and writes nothing into the home. */
import { expect, onTestFinished, test } from "vitest";
import { createTempHome } from "../support/temp-home.ts";
import { embedWith, expectUntouchedHome } from "../support/untouched-home.ts";

test("a conversation with a queue, a hook and an approval leaves the home untouched", async () => {
  await expectUntouchedHome("memory");
});

test("a thread is forked, refused by path, and gone with its server", async () => {
  const folders = await createTempHome();
  onTestFinished(() => folders.remove());
  const heddle = await embedWith("memory", folders);
  const client = await heddle.connect({ capabilities: { experimentalApi: true } });
  const thread = await client.startThread();
  for (const text of ["one", "two"]) await thread.run(text);
  const fork = await client.forkThread(thread.id);
  expect((await fork.run("three")).turn.status).toBe("completed");
  const turns: string[] = [];
  for await (const { id } of fork.turns({ direction: "asc" })) turns.push(id);
  expect(turns).toHaveLength(3);
  await expect(
    client.request("getConversationSummary", { rolloutPath: "sessions/rollout-x.jsonl" }),
  ).rejects.toThrow(
    "no thread is kept at sessions/rollout-x.jsonl: this server does not store threads in files",
  );
  await heddle.close();
  const again = await embedWith("memory", folders);
  const other = await again.connect();
  expect((await other.request("thread/list", {})).data).toEqual([]);
});
