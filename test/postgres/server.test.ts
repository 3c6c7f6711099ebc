/** A server with its threads in PostgreSQL. */
import { expect, onTestFinished } from "vitest";
import { testUnless } from "../support/needs-program.ts";
import { lackOfPostgres } from "../support/postgres-server.ts";
import { createTempHome } from "../support/temp-home.ts";
import { embedWith, expectUntouchedHome } from "../support/untouched-home.ts";
import { createTestSchema } from "./real-stores.ts";

const lack = lackOfPostgres();

testUnless(
  lack,
  "a conversation leaves the home untouched, and continues on another server",
  async () => {
    const { url } = await createTestSchema();
    const threadId = await expectUntouchedHome(url);
    const folders = await createTempHome();
    onTestFinished(() => folders.remove());
    const client = await (await embedWith(url, folders)).connect({ capabilities: { experimentalApi: true } });
    const { data } = await client.request("thread/list", {});
    expect(data.map(({ id, path }) => [id, path])).toEqual([[threadId, null]]);
    const thread = await client.resumeThread(threadId);
    expect((await thread.run("once more")).turn.status).toBe("completed");
    const turns = await client.request("thread/turns/list", { threadId });
    expect(turns.data).toHaveLength(4);
    const fork = await client.forkThread(threadId);
    expect((await fork.run("and here")).turn.status).toBe("completed");
  },
  { timeout: 60_000 },
);
