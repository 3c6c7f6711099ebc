/** Attacks on durability: full disks, removed files, lost databases. */
import { existsSync, mkdirSync, readdirSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { mountSmallDisk } from "../../../src/base/small-disk.fixture.ts";
import { readDecisions } from "../../../src/store/open/home-maintenance.ts";
import { listRollouts } from "../../crash/rollout-files.ts";
import { modelConfig } from "../../support/model-config.ts";
import { functionCallDone, messageReply, reply } from "../../support/model-events.ts";
import type { RpcClient } from "../../support/rpc-client.ts";
import { openScriptedModel } from "../../support/scripted-model.ts";
import { startServer } from "../../support/start-server.ts";
import type { TempHome } from "../../support/temp-home.ts";
import type { Attack } from "../attack.ts";
import type { AttackHarness } from "../attack-harness.ts";
import { command } from "../attacked-server.ts";

const FREE = { sandbox: "danger-full-access", approvalPolicy: "never" };

/** A home with small disks for its database and its rollouts; null if mounting is not permitted. */
export async function smallHome(harness: AttackHarness, sizeKb = 1024) {
  const home = await harness.home();
  const database = mountSmallDisk(harness.onEnd, sizeKb, home.home);
  if (database === null) return null;
  mkdirSync(join(home.home, "sessions"));
  const rollouts = mountSmallDisk(harness.onEnd, sizeKb, join(home.home, "sessions"));
  return rollouts === null ? null : { home, database, rollouts };
}

/** A server whose model wants to create a file, and a client that answers automatically. */
async function openAsker(harness: AttackHarness, home: TempHome) {
  const call = functionCallDone("call_1", "exec_command", { cmd: "touch made", login: false });
  const model = await openScriptedModel([reply("1", call), messageReply("Done", { id: "2" })]);
  harness.onEnd(() => model.close());
  await home.write("home/config.toml", modelConfig(model.url));
  const server = await startServer({ program: harness.program, home });
  harness.onEnd(() => server.stop());
  const client = await server.connect();
  await client.result("initialize", {
    clientInfo: { name: "attacker", title: null, version: "1" },
    capabilities: { experimentalApi: true },
  });
  return { client, server };
}

async function approvedOf({ home }: TempHome): Promise<number> {
  const decisions = await readDecisions(home, { limit: 1000 });
  return decisions.filter(({ verdict }) => verdict?.outcome === "approved").length;
}

interface StoredTurn {
  readonly id: string;
  readonly status: string;
  readonly items: readonly { readonly id: string }[];
}

async function turnsOf(client: RpcClient, threadId: string): Promise<readonly StoredTurn[]> {
  const { thread } = (await client.result("thread/read", { threadId, includeTurns: true })) as {
    thread: { turns: readonly StoredTurn[] };
  };
  return thread.turns;
}

/** The completed items and the end of each turn, as the client received them. */
function shownTo(client: RpcClient) {
  const items = new Map<string, string[]>();
  const ends = new Map<string, string>();
  for (const { method, message } of client.received) {
    const params = message["params"] as { turnId: string; item: { id: string }; turn: StoredTurn };
    if (method === "item/completed")
      items.set(params.turnId, [...(items.get(params.turnId) ?? []), params.item.id]);
    if (method === "turn/completed") ends.set(params.turn.id, params.turn.status);
  }
  return { items, ends };
}

/**
 * After a kill, the history must contain everything that the client received, and no turn may be completed that was
 * not.
 */
async function expectSameStory(
  harness: AttackHarness,
  before: RpcClient,
  after: RpcClient,
  threadId: string,
) {
  const { items, ends } = shownTo(before);
  const turns = await turnsOf(after, threadId);
  for (const [turnId, ids] of items) {
    const stored = turns.find(({ id }) => id === turnId);
    const kept = stored?.items.map(({ id }) => id) ?? [];
    const missing = ids.filter((id) => !kept.includes(id));
    if (missing.length > 0)
      harness.breach("items that were shown as completed are gone", { turnId, missing, kept });
    if (stored?.status === "inProgress") harness.breach("a turn of a dead server is in progress", { turnId });
    const isTrue = ends.get(turnId) !== "completed" || stored?.status === "completed";
    if (!isTrue) harness.breach("a turn that was shown as completed is not", { turnId, stored });
  }
}

export const durabilityAttacks: readonly Attack[] = [
  {
    name: "durability/unrecorded decisions",
    promise: "no command runs whose decision is not on record, also on a full disk",
    async run(harness) {
      const place = await smallHome(harness);
      if (place === null) return;
      const { home, database } = place;
      const attacked = await harness.open({ home });
      const { threadId } = await attacked.play([], { thread: FREE });
      database.fillUpTo(harness.random.pick([0, 4, 16, 64]));
      const calls = Array.from({ length: 15 }, (_, at) => command(`touch made-${at}; : ${"x".repeat(3000)}`));
      await attacked.play(calls, { threadId });
      attacked.server.child.signal("SIGKILL");
      await attacked.server.child.exit;
      database.makeRoom();
      const made = readdirSync(home.workspace).filter((name) => name.startsWith("made"));
      const approved = await approvedOf(home);
      if (made.length > approved) harness.breach("commands ran without a decision", { made, approved });
    },
  },
  {
    name: "durability/yes without a record",
    promise: "a yes that cannot be recorded, or whose question is gone, is a no",
    async run(harness) {
      const place = await smallHome(harness);
      if (place === null) return;
      const { home, database } = place;
      const { client, server } = await openAsker(harness, home);
      const { thread } = (await client.result("thread/start", {
        sandbox: "danger-full-access",
        approvalPolicy: "untrusted",
      })) as { thread: { id: string } };
      await client.result("turn/start", { threadId: thread.id, input: [{ type: "text", text: "Go" }] });
      const asked = await client.next({ method: "item/commandExecution/requestApproval" });
      const what = harness.random.pick(["full", "removed", "moved"]);
      const file = join(home.home, "heddle.sqlite");
      if (what === "full") database.fill();
      else
        for (const end of ["", "-wal", "-shm"]) {
          if (what === "removed") rmSync(file + end, { force: true });
          else if (existsSync(file + end)) renameSync(file + end, `${file}${end}.moved`);
        }
      const decision = harness.random.pick(["accept", "acceptForSession"]);
      client.answer(asked["id"] as number, { decision });
      await client.next({ method: "turn/completed" });
      const made = readdirSync(home.workspace);
      server.child.signal("SIGKILL");
      await server.child.exit;
      database.makeRoom();
      const approved = await approvedOf(home);
      if (made.length > approved)
        harness.breach("a command ran without a decision", { what, decision, made, approved });
    },
  },
  {
    name: "durability/disk that fills in a turn",
    promise: "what cannot be written is not shown as completed, and the turn fails in words",
    async run(harness) {
      const place = await smallHome(harness);
      if (place === null) return;
      const { home, rollouts } = place;
      const attacked = await harness.open({ home });
      const { client, server } = attacked;
      const { threadId } = await attacked.play([], { thread: FREE });
      rollouts.fillUpTo(harness.random.pick([4, 8, 16, 32, 64]));
      const output = (bytes: number) => command(`head -c ${bytes} /dev/zero | tr '\\0' x`);
      const calls = Array.from({ length: 12 }, () => output(harness.random.pick([10, 500, 4000, 40_000])));
      const refusalOrTurn = await attacked.play(calls, { threadId }).catch((error: unknown) => String(error));
      if (harness.random.pick([true, false])) {
        rollouts.makeRoom();
        await attacked.play([command("true")], { threadId });
      }
      server.child.signal("SIGKILL");
      await server.child.exit;
      rollouts.makeRoom();
      const later = await harness.open({ home });
      await expectSameStory(harness, client, later.client, threadId);
      const next = await later.client
        .result("thread/resume", { threadId })
        .then(() => later.play([command("true")], { threadId }));
      if (next.status !== "completed")
        harness.breach("a thread whose disk was full cannot be used", { refusalOrTurn, next });
    },
  },
  {
    name: "durability/vanishing files",
    promise: "a turn goes on when the files of its thread vanish, and nothing of it is lost",
    async run(harness) {
      const home = await harness.home();
      const attacked = await harness.open({ home });
      const { client, server } = attacked;
      const { threadId } = await attacked.play([command("echo one")], { thread: FREE });
      const lose = harness.random.pick<[string, () => void]>([
        ["file", () => listRollouts(home.home).forEach((path) => rmSync(path))],
        ["sessions", () => rmSync(join(home.home, "sessions"), { recursive: true })],
        ["home", () => renameSync(home.home, `${home.home}-moved`)],
      ]);
      const [what, vanish] = lose;
      const during = harness.random.pick([true, false]);
      if (!during) vanish();
      const playing = attacked.play([command("sleep 0.3"), command("echo two")], { threadId });
      if (during) {
        await client.next({ method: "item/started", params: { item: { type: "commandExecution" } } });
        vanish();
      }
      const played = await playing;
      const again = await attacked.play([command("echo three")], { threadId });
      if (played.status !== "completed" || again.status !== "completed")
        harness.breach("files that vanished ended a turn", { what, during, played, again });
      const warned = client.received.some(({ message }) => JSON.stringify(message).includes("was missing"));
      if (!warned) harness.breach("no client was warned of a removed file", { what, during });
      server.child.signal("SIGKILL");
      await server.child.exit;
      const later = await harness.open({ home });
      await expectSameStory(harness, client, later.client, threadId);
    },
  },
];
