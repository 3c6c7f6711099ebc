/**
 * A disk that fills up while a server is working: what cannot be written is neither done nor shown as done.
 */
import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { mountSmallDisk, NO_SMALL_DISK } from "../../src/base/small-disk.fixture.ts";
import { readDecisions } from "../../src/store/open/home-maintenance.ts";
import { listRollouts } from "../crash/rollout-files.ts";
import { ASKED } from "../support/approval-harness.ts";
import { modelConfig } from "../support/model-config.ts";
import { functionCallDone, messageDone, messageReply, reply } from "../support/model-events.ts";
import type { RpcClient } from "../support/rpc-client.ts";
import { type ModelReply, openScriptedModel } from "../support/scripted-model.ts";
import { startServer } from "../support/start-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";

const CLIENT = {
  clientInfo: { name: "editor", title: null, version: "1.0.0" },
  capabilities: { experimentalApi: true },
};

/** A home whose database and rollouts are on separate disks; null if mounting is not allowed. */
async function openFullDiskHarness(replies: readonly ModelReply[]) {
  const model = await openScriptedModel(replies);
  onTestFinished(() => model.close());
  const home = await createTempHome({ config: modelConfig(model.url) });
  onTestFinished(() => home.remove());
  const database = mountSmallDisk(onTestFinished, 1024, home.home);
  if (database === null) return null;
  mkdirSync(join(home.home, "sessions"));
  const rollouts = mountSmallDisk(onTestFinished, 1024, join(home.home, "sessions"));
  return rollouts === null ? null : { home, model, database, rollouts };
}

async function start(home: TempHome) {
  const server = await startServer({ home });
  onTestFinished(async () => void (await server.stop()));
  const client = await server.connect();
  await client.result("initialize", CLIENT);
  return { server, client };
}

async function startThread(client: RpcClient, params: object): Promise<string> {
  const { thread } = (await client.result("thread/start", params)) as { thread: { id: string } };
  return thread.id;
}

async function say(client: RpcClient, threadId: string, text = "Go"): Promise<void> {
  await client.result("turn/start", { threadId, input: [{ type: "text", text }] });
}

function warningsOf(client: RpcClient): string[] {
  const warnings = client.received.filter(({ method }) => method === "warning");
  return warnings.map(({ message }) => (message["params"] as { message: string }).message);
}

const made = (home: TempHome) => readdirSync(home.workspace).filter((name) => name.startsWith("made"));
const makes = (at: number) =>
  functionCallDone(`call_${at}`, "exec_command", { cmd: `touch made-${at}`, login: false });
const FREE = { approvalPolicy: "never", sandbox: "danger-full-access" };

/** The decisions in the database, once the remaining process has closed open ones. */
async function decisionsOf(home: TempHome) {
  const entries = await readDecisions(home.home, { limit: 100 });
  return entries.map(({ itemId, verdict }) => `${itemId} ${verdict?.outcome} ${verdict?.by.kind}`);
}

test("no command runs whose decision is not on record", async ({ skip }) => {
  const calls = Array.from({ length: 13 }, (_, at) => makes(at));
  const harness = await openFullDiskHarness([
    messageReply("Hi"),
    reply("2", ...calls),
    messageReply("Done", { id: "9" }),
  ]);
  if (harness === null) return skip(NO_SMALL_DISK);
  const { home, database } = harness;
  const { client, server } = await start(home);
  const threadId = await startThread(client, FREE);
  await say(client, threadId);
  await client.next({ method: "turn/completed" });
  database.fill();
  await say(client, threadId);
  await client.next({ method: "turn/completed" });
  server.child.signal("SIGKILL");
  await server.child.exit;
  database.makeRoom();
  const approved = (await decisionsOf(home)).filter((each) => each.includes("approved"));
  expect(made(home).length).toBe(approved.length);
  expect(made(home).length).toBeLessThan(calls.length);
});

test("a yes that cannot be recorded is a no, and the log says so after a restart", async ({ skip }) => {
  const harness = await openFullDiskHarness([reply("1", makes(1)), messageReply("Done", { id: "9" })]);
  if (harness === null) return skip(NO_SMALL_DISK);
  const { home, database, model } = harness;
  const { client, server } = await start(home);
  const threadId = await startThread(client, { approvalPolicy: "untrusted", sandbox: "danger-full-access" });
  await say(client, threadId);
  const asked = await client.next({ method: ASKED });
  database.fill();
  client.answer(asked["id"] as number, { decision: "accept" });
  await client.next({
    method: "item/completed",
    params: { item: { type: "commandExecution", status: "failed" } },
  });
  await client.next({ method: "turn/completed" });
  expect(warningsOf(client).at(-1)).toMatch(
    /the decision could not be recorded: .*heddle\.sqlite: database or disk is full/u,
  );
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("the decision could not be recorded");
  server.child.signal("SIGKILL");
  await server.child.exit;
  database.makeRoom();
  const again = await start(home);
  await again.client.result("thread/resume", { threadId });
  expect([made(home), await decisionsOf(home)]).toEqual([[], ["call_1 denied failure"]]);
});

test("a name that cannot be kept is refused in words, and the next one is whole", async ({ skip }) => {
  const harness = await openFullDiskHarness([messageReply("Hi")]);
  if (harness === null) return skip(NO_SMALL_DISK);
  const { home, database } = harness;
  const { client } = await start(home);
  const threadId = await startThread(client, {});
  await say(client, threadId);
  await client.next({ method: "turn/completed" });
  database.fill();
  const long = (at: number) => `${at} ${"x".repeat(3000)}`;
  const answers = [];
  for (let at = 0; at < 5; at += 1)
    answers.push(await client.request("thread/name/set", { threadId, name: long(at) }));
  const refused = answers.flatMap(({ error }) => (error === undefined ? [] : [JSON.stringify(error)]));
  expect(refused.at(-1)).toMatch(/name of thread .* could not be written: No space left/u);
  const nameOf = async () => {
    const { thread } = (await client.result("thread/read", { threadId })) as {
      thread: { name: string | null };
    };
    return thread.name;
  };
  database.makeRoom();
  const kept = answers.length - refused.length;
  expect(await nameOf()).toBe(kept === 0 ? null : long(kept - 1));
  await client.result("thread/name/set", { threadId, name: "Whole" });
  expect(await nameOf()).toBe("Whole");
  const lines = readFileSync(join(home.home, "session_index.jsonl"), "utf8").split("\n");
  expect(
    lines.filter((line) => line.includes("Whole")).map((line) => JSON.parse(line) as object),
  ).toHaveLength(1);
});

interface StoredTurn {
  readonly id: string;
  readonly status: string;
  readonly error: { readonly message: string } | null;
  readonly items: readonly { readonly id: string; readonly type: string }[];
}

async function turnsOf(client: RpcClient, threadId: string): Promise<readonly StoredTurn[]> {
  const { thread } = (await client.result("thread/read", { threadId, includeTurns: true })) as {
    thread: { turns: readonly StoredTurn[] };
  };
  return thread.turns;
}

/** The items of a turn that a client received as completed. */
function shownItems(client: RpcClient, turnId: string): string[] {
  return client.received.flatMap(({ method, message }) => {
    const params = message["params"] as { turnId: string; item: { id: string } };
    return method === "item/completed" && params.turnId === turnId ? [params.item.id] : [];
  });
}

test("a disk that fills in the middle of a turn fails the turn, and the file tells the same story", async ({
  skip,
}) => {
  const long = (at: number) =>
    functionCallDone(`call_${at}`, "exec_command", {
      cmd: `head -c 60000 /dev/zero | tr '\\0' x`,
      login: false,
    });
  const endless = functionCallDone("call_99", "exec_command", {
    cmd: "echo $$ > pid; exec sleep 1000",
    login: false,
  });
  const work = Array.from({ length: 13 }, (_, at) => long(at));
  const harness = await openFullDiskHarness([
    messageReply("Hi"),
    reply("1", messageDone("msg_1", "I shall do it"), endless, ...work),
    messageReply("Done", { id: "9" }),
  ]);
  if (harness === null) return skip(NO_SMALL_DISK);
  const { home, rollouts, model } = harness;
  const { client, server } = await start(home);
  const threadId = await startThread(client, FREE);
  await say(client, threadId);
  await client.next({ method: "turn/completed" });
  rollouts.fillUpTo(40);
  await say(client, threadId);
  const ended = (await client.next({ method: "turn/completed" }, 30_000)) as { params: { turn: StoredTurn } };
  const { turn } = ended.params;
  expect(turn.status).toBe("failed");
  expect(turn.error?.message).toMatch(
    /history of this turn could not be written: .*\.jsonl: No space left on device.*free space and try again/u,
  );
  const pid = Number(readFileSync(join(home.workspace, "pid"), "utf8"));
  await expect.poll(() => isAlive(pid)).toBe(false);
  const live = (await turnsOf(client, threadId)).at(-1);
  expect([live?.status, live?.error?.message]).toEqual(["failed", turn.error?.message]);
  // The completion of the killed command may be notified after that of the turn.
  await expect.poll(() => shownItems(client, turn.id)).toEqual(live?.items.map(({ id }) => id));

  rollouts.makeRoom();
  await say(client, threadId, "There is room");
  await client.next({ method: "turn/completed", params: { turn: { status: "completed" } } });
  expect(JSON.stringify(model.requests.at(-1)?.body)).toContain("There is room");
  server.child.signal("SIGKILL");
  await server.child.exit;
  const again = await start(home);
  const after = (await turnsOf(again.client, threadId)).find(({ id }) => id === turn.id);
  expect([after?.status, after?.error?.message]).toEqual(["failed", turn.error?.message]);
  expect(after?.items.map(({ id }) => id)).toEqual(shownItems(client, turn.id));
  const [path = ""] = listRollouts(home.home);
  const lines = readFileSync(path, "utf8").trimEnd().split("\n");
  const ordinals = lines.map((line) => (JSON.parse(line) as { ordinal: number }).ordinal);
  expect(ordinals).toEqual(ordinals.map((_, at) => at));
});

test("a server that is killed while its disk is full leaves no more than it has shown", async ({ skip }) => {
  const harness = await openFullDiskHarness([
    messageReply("Hi"),
    messageReply("x".repeat(90_000), { id: "2" }),
  ]);
  if (harness === null) return skip(NO_SMALL_DISK);
  const { home, rollouts } = harness;
  const { client, server } = await start(home);
  const threadId = await startThread(client, FREE);
  await say(client, threadId);
  await client.next({ method: "turn/completed" });
  rollouts.fillUpTo(8);
  await say(client, threadId);
  const ended = (await client.next({ method: "turn/completed" })) as { params: { turn: StoredTurn } };
  const { turn } = ended.params;
  server.child.signal("SIGKILL");
  await server.child.exit;
  const again = await start(home);
  const after = (await turnsOf(again.client, threadId)).at(-1);
  expect([after?.id, turn.status]).toEqual([turn.id, "failed"]);
  expect(["failed", "interrupted"]).toContain(after?.status);
  expect(after?.items.map(({ id }) => id)).toEqual(shownItems(client, turn.id));
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
