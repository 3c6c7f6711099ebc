/** Failures of a home while a server is working on it: clients get a message, and nothing is lost. */
import { spawnSync } from "node:child_process";
import { appendFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from "vitest";
import { listRollouts } from "../crash/rollout-files.ts";
import { modelConfig } from "../support/model-config.ts";
import { messageReply } from "../support/model-events.ts";
import type { RpcClient } from "../support/rpc-client.ts";
import { openScriptedModel, type ScriptedModel } from "../support/scripted-model.ts";
import { HEDDLE, type Program, startServer } from "../support/start-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";

const CLIENT = {
  clientInfo: { name: "durability", title: null, version: "1.0.0" },
  capabilities: { experimentalApi: true },
};

let model: ScriptedModel;

beforeAll(async () => {
  model = await openScriptedModel([messageReply("Done")]);
});

afterAll(() => model.close());

async function makeHome(): Promise<TempHome> {
  const home = await createTempHome({ config: modelConfig(model.url) });
  onTestFinished(() => home.remove());
  return home;
}

async function start(home: TempHome, program: Program = HEDDLE) {
  const server = await startServer({ home, program });
  onTestFinished(async () => void (await server.stop()));
  const client = await server.connect();
  await client.result("initialize", CLIENT);
  return { server, client };
}

async function startThread(client: RpcClient): Promise<string> {
  const { thread } = (await client.result("thread/start", {})) as { thread: { id: string } };
  return thread.id;
}

function say(client: RpcClient, threadId: string, text: string) {
  return client.request("turn/start", { threadId, input: [{ type: "text", text }] });
}

async function runTurn(client: RpcClient, threadId: string, text = "Hello"): Promise<void> {
  const answer = await say(client, threadId, text);
  if ("error" in answer) throw new Error(JSON.stringify(answer["error"]));
  await client.next({ method: "turn/completed", params: { threadId } });
}

async function listed(client: RpcClient): Promise<string[]> {
  const { data } = (await client.result("thread/list", {})) as { data: { id: string }[] };
  return data.map(({ id }) => id).sort();
}

async function messagesOf(client: RpcClient, threadId: string): Promise<string[]> {
  const { thread } = (await client.result("thread/resume", { threadId })) as {
    thread: { turns: { items: { type: string; content?: { text: string }[] }[] }[] };
  };
  const items = thread.turns.flatMap((turn) => turn.items);
  return items.flatMap(({ type, content = [] }) =>
    type === "userMessage" ? content.map(({ text }) => text) : [],
  );
}

function ordinals(path: string): number[] {
  const lines = readFileSync(path, "utf8")
    .split("\n")
    .filter((line) => line !== "");
  return lines.map((line) => (JSON.parse(line) as { ordinal: number }).ordinal);
}

const counted = (length: number) => Array.from({ length }, (_, index) => index);

/** Heddle with its own file system for rollouts, which no other process sees and which ends with it. */
function onOwnDisk(options: string): Program {
  const script = `mount -t tmpfs -o ${options} none "$CODEX_HOME/sessions" && exec "$@"`;
  return {
    command: "unshare",
    args: ["--map-root-user", "--mount", "sh", "-c", script, "sh", HEDDLE.command, ...HEDDLE.args],
  };
}

const CAN_MOUNT =
  spawnSync("unshare", ["--map-root-user", "--mount", "mount", "-t", "tmpfs", "none", "/mnt"]).status === 0;
const reason = CAN_MOUNT ? "" : " [needs a system on which unshare may mount]";

describe.skipIf(!CAN_MOUNT)(`a disk${reason}`, () => {
  test("that cannot be written to keeps turns from being accepted, and the server answers on", async () => {
    const home = await makeHome();
    mkdirSync(join(home.home, "sessions"));
    const { client } = await start(home, onOwnDisk("ro"));
    const threadId = await startThread(client);
    const refusals = [await say(client, threadId, "One"), await say(client, threadId, "Two")];
    for (const { error } of refusals) expect(JSON.stringify(error)).toMatch(/read-only/i);
    expect(await listed(client)).toEqual([]);
  });

  test("that is full refuses what it cannot keep, keeps the rest, and goes on once there is room", async () => {
    const home = await makeHome();
    mkdirSync(join(home.home, "sessions"));
    const { client } = await start(home, onOwnDisk("size=256k"));
    const ballast = await startThread(client);
    await runTurn(client, ballast, "x".repeat(30_000));
    const threadId = await startThread(client);
    const accepted: string[] = [];
    let refusal: unknown;
    while (refusal === undefined && accepted.length < 100) {
      const text = `${accepted.length} ${"y".repeat(8000)}`;
      const answer = await say(client, threadId, text);
      refusal = answer["error"];
      if (refusal !== undefined) break;
      accepted.push(text);
      await client.next({ method: "turn/completed", params: { threadId } });
    }
    expect(JSON.stringify(refusal)).toMatch(/no space left/i);
    await client.result("thread/delete", { threadId: ballast });
    await runTurn(client, threadId, "There is room");
    const lastRequest = JSON.stringify(model.requests.at(-1)?.body);
    expect([...accepted, "There is room"].filter((text) => !lastRequest.includes(text))).toEqual([]);
  });
});

describe("something in the way", () => {
  test("a file where the folder of the rollouts belongs is named in the refusal", async () => {
    const home = await makeHome();
    await home.write("home/sessions", "in the way");
    const { client } = await start(home);
    const answer = await say(client, await startThread(client), "Hello");
    expect(JSON.stringify(answer["error"])).toContain(join(home.home, "sessions"));
    expect(await listed(client)).toEqual([]);
  });

  test("a folder with the name of a rollout hides no other thread", async () => {
    const home = await makeHome();
    const day = join(home.home, "sessions", "2026", "01", "02");
    const name = "rollout-2026-01-02T03-04-05-019b0000-0000-7000-8000-000000000001.jsonl";
    mkdirSync(join(day, name), { recursive: true });
    const { client } = await start(home);
    const threadId = await startThread(client);
    await runTurn(client, threadId);
    expect(await listed(client)).toEqual([threadId]);
  });
});

describe("the database", () => {
  const lose = (home: TempHome) => {
    for (const end of ["", "-wal", "-shm"]) rmSync(join(home.home, `heddle.sqlite${end}`), { force: true });
  };

  test("can be deleted while the server works, and again before the next start", async () => {
    const home = await makeHome();
    const first = await start(home);
    const before = await startThread(first.client);
    await runTurn(first.client, before);
    expect(await listed(first.client)).toEqual([before]);
    lose(home);
    const after = await startThread(first.client);
    await runTurn(first.client, after);
    await runTurn(first.client, before, "Again");
    const both = [before, after].sort();
    expect(await listed(first.client)).toEqual(both);
    await first.server.stop();
    lose(home);
    const second = await start(home);
    expect(await listed(second.client)).toEqual(both);
    expect(await messagesOf(second.client, before)).toEqual(["Hello", "Again"]);
  });

  test("that is no database is put aside, and made anew", async () => {
    const home = await makeHome();
    const first = await start(home);
    const threadId = await startThread(first.client);
    await runTurn(first.client, threadId);
    await first.server.stop();
    lose(home);
    writeFileSync(join(home.home, "heddle.sqlite"), "this is no database".repeat(100));
    const second = await start(home);
    expect(await listed(second.client)).toEqual([threadId]);
  });
});

describe("a torn last line", () => {
  test("is left out, and the thread goes on behind what was whole", async () => {
    const home = await makeHome();
    const first = await start(home);
    const threadId = await startThread(first.client);
    await runTurn(first.client, threadId);
    await first.server.stop();
    const [path = ""] = listRollouts(home.home);
    appendFileSync(path, '{"timestamp":"2026-01-01T00:00:00.000Z","ordinal":99,"type":"event_m');
    const second = await start(home);
    expect(await listed(second.client)).toEqual([threadId]);
    expect(await messagesOf(second.client, threadId)).toEqual(["Hello"]);
    await runTurn(second.client, threadId, "Again");
    const found = ordinals(path);
    expect(found).toEqual(counted(found.length));
    expect(await messagesOf(second.client, threadId)).toEqual(["Hello", "Again"]);
  });
});

describe("several servers on one home", () => {
  test("one writes to a thread; another may take it over, and the first one stops", async () => {
    const home = await makeHome();
    const [one, other] = [await start(home), await start(home)];
    const threadId = await startThread(one.client);
    await runTurn(one.client, threadId, "From the first");
    const refused = await other.client.request("thread/resume", { threadId });
    expect(JSON.stringify(refused["error"])).toContain("already has an active writer");
    await other.client.result("thread/resume", { threadId, takeOver: true });
    expect(await say(one.client, threadId, "Too late")).toHaveProperty("error");
    await runTurn(other.client, threadId, "From the other");
    await runTurn(other.client, threadId, "And again");
    expect(await messagesOf(other.client, threadId)).toEqual([
      "From the first",
      "From the other",
      "And again",
    ]);
    const [path = ""] = listRollouts(home.home);
    const found = ordinals(path);
    expect(found).toEqual(counted(found.length));
  });

  test("ten of them work at once, and each shows the threads of all", { timeout: 60_000 }, async () => {
    const home = await makeHome();
    const servers = await Promise.all(counted(10).map(() => start(home)));
    const made = await Promise.all(
      servers.map(async ({ client }) => {
        const threadId = await startThread(client);
        await runTurn(client, threadId);
        await runTurn(client, threadId, "Again");
        return threadId;
      }),
    );
    const lists = await Promise.all(servers.map(({ client }) => listed(client)));
    expect(lists).toEqual(servers.map(() => made.toSorted()));
  });
});
