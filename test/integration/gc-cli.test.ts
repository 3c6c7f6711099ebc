/** `heddle gc` on a home, with and without a running server. */
import { appendFileSync, readdirSync, utimesSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, onTestFinished, test } from "vitest";
import { type Called, callHeddle, callOnTerminal } from "../support/call-heddle.ts";
import { testWith } from "../support/needs-program.ts";
import { startServer } from "../support/start-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";

const DAY = 86_400;

let home: TempHome;
beforeEach(async () => {
  home = await createTempHome();
  onTestFinished(() => home.remove());
});

const gc = (...args: string[]): Promise<Called> => callHeddle(home, ["gc", ...args]);

async function runGc(...args: string[]) {
  const { code, stdout, stderr } = await gc(...args, "--json");
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  return JSON.parse(stdout) as { threads: { threadId: string; action: string; reason: string }[] };
}

const actions = ({ threads }: Awaited<ReturnType<typeof runGc>>): Record<string, string> =>
  Object.fromEntries(threads.map(({ threadId, action }) => [threadId, action]));

function configure(text: string): void {
  appendFileSync(join(home.home, "config.toml"), text);
}

async function serve() {
  const server = await startServer({ home });
  onTestFinished(() => server.stop().then(() => {}));
  const client = await server.connect();
  const capabilities = { experimentalApi: true };
  await client.result("initialize", { clientInfo: { name: "gc", version: "1" }, capabilities });
  return client;
}

/** A thread that the client's server has loaded. */
async function addThread(client: Awaited<ReturnType<typeof serve>>): Promise<string> {
  const { thread } = (await client.result("thread/start", { cwd: home.workspace })) as {
    thread: { id: string };
  };
  await client.result("turn/start", { threadId: thread.id, input: [{ type: "text", text: "Hello there" }] });
  await client.next({ method: "turn/completed", params: { threadId: thread.id } });
  return thread.id;
}

async function unload(client: Awaited<ReturnType<typeof serve>>, threadId: string): Promise<void> {
  await client.result("thread/unsubscribe", { threadId });
  await client.next({ method: "thread/closed", params: { threadId } });
}

function filesOf(threadId: string): string[] {
  return ["sessions", "archived_sessions"].flatMap((folder) =>
    readdirSync(join(home.home, folder), { recursive: true, encoding: "utf8" })
      .filter((name) => name.includes(threadId))
      .map((name) => join(folder, name)),
  );
}

function age(threadId: string, days: number): void {
  const at = Date.now() / 1000 - days * DAY;
  for (const path of filesOf(threadId)) utimesSync(join(home.home, path), at, at);
}

test("without a limit it is said how to set one", async () => {
  expect((await gc()).stderr).toMatch(/^no limit is set.*--max-age-days.*\nnothing was changed/u);
});

test("old threads are archived and packed, beside a server that goes on with them when it is asked to", async () => {
  configure("thread_unload_delay_secs = 0\n[retention]\nmax_age_days = 30\n");
  const client = await serve();
  const [old, loaded] = [await addThread(client), await addThread(client)];
  await unload(client, old);
  await client.result("thread/archive", { threadId: await addThread(client) });
  for (const id of [old, loaded]) age(id, 40);
  const { code, stdout, stderr } = await gc();
  expect({ code, stderr }).toEqual({ code: 0, stderr: "nothing was changed: use --yes to do it\n" });
  expect(stdout).toMatch(
    new RegExp(`^archive +${old} +40d .*nothing has happened in it for 30 days +Hello there$`, "m"),
  );
  expect(stdout).toMatch(new RegExp(`^keep +${loaded} .*a server has it loaded`, "m"));
  expect(stdout).toContain(
    "threads: 0 would be deleted, 1 would be archived, 1 would be packed, 1 stay as they are",
  );
  expect(actions(await runGc())).toMatchObject({ [old]: "archive", [loaded]: "keep" });
  expect(filesOf(old)).toEqual([expect.stringMatching(/^sessions\//)]);
  expect(actions(await runGc("--yes"))).toMatchObject({ [old]: "archive", [loaded]: "keep" });
  expect(filesOf(old)).toEqual([expect.stringMatching(/^archived_sessions\/.*\.jsonl\.zst$/)]);
  expect(filesOf(loaded)).toEqual([expect.stringMatching(/^sessions\/.*\.jsonl$/)]);

  const { data } = (await client.result("thread/list", { archived: true })) as { data: { id: string }[] };
  expect(data.map(({ id }) => id)).toContain(old);
  const texts = JSON.stringify(await client.result("thread/turns/list", { threadId: old }));
  expect(texts).toContain("Hello there");
  const exported = await callHeddle(home, ["threads", "export", old]);
  expect([exported.code, exported.stdout.includes("Hello there")]).toEqual([0, true]);
  await client.result("thread/unarchive", { threadId: old });
  await client.result("thread/resume", { threadId: old });
  expect(filesOf(old)).toEqual([expect.stringMatching(/^sessions\/.*\.jsonl$/)]);
  expect(actions(await runGc())).toMatchObject({ [old]: "keep" });
});

test("options stand in place of the configuration, and what is no limit is refused", async () => {
  const client = await serve();
  const id = await addThread(client);
  expect(actions(await runGc("--max-age-days", "1"))).toEqual({ [id]: "keep" });
  expect(await gc("--max-age-days", "0")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("not a number of days"),
  });
  expect(await gc("--max-bytes", "lots")).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("not a size"),
  });
  configure("[retention]\nmax_age_days = 0\n");
  expect(await gc()).toMatchObject({
    code: 1,
    stderr: expect.stringMatching(/config\.toml:\d+:16: invalid value/),
  });
});

testWith("script", "on a terminal there is a table that no name controls", async () => {
  const client = await serve();
  const id = await addThread(client);
  await client.result("thread/name/set", { threadId: id, name: "\u001b[2J\u0007name" });
  const { stdout } = await callOnTerminal(home, ["gc"]);
  expect(stdout).toContain("keep");
  expect(stdout).not.toContain("\u001b[2J");
});
