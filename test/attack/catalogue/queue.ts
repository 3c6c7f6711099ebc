/**
 * Attacks on queued turns: forged rows, disks that fill during the start of a turn, rows that are too large to be read.
 */
import { readFileSync } from "node:fs";
import { databaseOf } from "../../../src/store/files/sqlite/database-file.ts";
import { openDatabase } from "../../../src/store/files/sqlite/driver.ts";
import { openSqliteTables } from "../../../src/store/files/sqlite/sqlite-tables.ts";
import { newRow, ROOMY } from "../../../src/store/queue-row.fixture.ts";
import { messageReply } from "../../support/model-events.ts";
import { startedKeys, waitingTurns } from "../../support/queue-view.ts";
import type { RpcClient } from "../../support/rpc-client.ts";
import type { TempHome } from "../../support/temp-home.ts";
import type { Attack } from "../attack.ts";
import type { AttackHarness } from "../attack-harness.ts";
import type { AttackedServer } from "../attacked-server.ts";
import { smallHome } from "./durability.ts";

const DEADLINE_MS = 20_000;
/** The WAL grows to some megabytes before it is checkpointed. */
const ROOM_KB = 16 * 1024;

/** A server with a thread that has had a turn, and whose queue is paused. */
async function openPaused(harness: AttackHarness, home: TempHome) {
  const attacked = await harness.open({ home });
  const { threadId } = await attacked.play([]);
  attacked.model.extend([messageReply("Done")]);
  await attacked.client.result("thread/queue/pause", { threadId });
  return { ...attacked, threadId };
}

const add = (client: RpcClient, threadId: string, key: string) =>
  client.request("thread/queue/add", {
    threadId,
    input: [{ type: "text", text: key }],
    clientUserMessageId: key,
  });

/** Waits for the message with this key; the deadline shows that the queue is stuck. */
const begins = ({ client }: Pick<AttackedServer, "client">, key: string) =>
  client.next(
    { method: "item/completed", params: { item: { type: "userMessage", clientId: key } } },
    DEADLINE_MS,
  );

const ODD = [
  "",
  "{",
  "null",
  "[]",
  '{"input":[null]}',
  '{"input":[{"type":"text"}],"cwd":5}',
  '{"__proto__":[]}',
];

export const queueAttacks: readonly Attack[] = [
  {
    name: "queue/rows of nobody",
    promise: "a row that makes no sense is seen, is not started, and can be taken out",
    async run(harness) {
      const home = await harness.home();
      const attacked = await openPaused(harness, home);
      const { client, threadId } = attacked;
      await add(client, threadId, "good");
      const database = openDatabase(databaseOf(home.home));
      harness.onEnd(() => database.close());
      const params = harness.random.pick(ODD);
      database
        .prepare(
          `INSERT INTO queue_rows
            (number, thread_id, row_id, bytes, position, state, failure, created_at_ms, updated_at_ms)
          VALUES (1000, ?, 'odd', ?, -5, ?, '{', 0, 0)`,
        )
        .run(threadId, harness.random.pick([-1, 0, 2 ** 50]), harness.random.pick(["pending", "failed"]));
      database.prepare("INSERT INTO queue_params VALUES (1000, ?)").run(params);
      await client.result("thread/queue/resume", { threadId });
      const [first, second] = await waitingTurns(client, threadId);
      if (first?.id !== "odd" || second?.clientUserMessageId !== "good")
        harness.breach("a row that makes no sense is passed over or hides others", { params, first, second });
      await client.result("thread/queue/delete", { threadId, queuedTurnId: "odd" });
      await begins(attacked, "good");
    },
  },
  {
    name: "queue/lost answers",
    promise: "a turn whose answer was lost runs once, however often and wherever it is sent again",
    async run(harness) {
      const home = await harness.home();
      const attacked = await openPaused(harness, home);
      const { client, threadId } = attacked;
      const keys = ["a", "b", "c"].map((key) => `${key}.${"x".repeat(harness.random.pick([0, 20, 2000]))}`);
      for (const key of keys) await add(client, threadId, key);
      await client.result("thread/queue/resume", { threadId });
      await begins(attacked, keys.at(-1) ?? "");
      const other = await harness.open({ home });
      const again = harness.random.pick(keys);
      for (const { client: sender } of harness.random.pick([
        [attacked, other],
        [other, other],
      ]))
        for (const method of ["thread/queue/add", "thread/submit"]) {
          const said = { threadId, input: [{ type: "text", text: again }], clientUserMessageId: again };
          const answer = (await sender.request(method, said)) as { readonly result?: object };
          const { outcome = answer.result } = (answer.result ?? {}) as { readonly outcome?: object };
          if (!Object.hasOwn(Object(outcome), "startedTurnId"))
            harness.breach("a turn that has started is taken again", { method, answer });
        }
      const started = await startedKeys(client, threadId);
      const left = await waitingTurns(client, threadId);
      if (started.filter((key) => key === again).length !== 1 || left.length > 0)
        harness.breach("a queued turn runs twice", { started, left });
    },
  },
  {
    name: "queue/full disk",
    promise:
      "a queue whose disk fills up loses nothing, starts nothing twice, and goes on when there is room",
    async run(harness) {
      const place = await smallHome(harness, ROOM_KB);
      if (place === null) return;
      const { home } = place;
      const attacked = await openPaused(harness, home);
      const { client, threadId } = attacked;
      const disk = harness.random.pick([place.database, place.rollouts]);
      const keys: string[] = [];
      const fillsAt = harness.random.below(10);
      for (let at = 0; at < 10; at += 1) {
        if (at === fillsAt) disk.fillUpTo(harness.random.pick([0, 4, 8, 16]));
        const key = `key-${at}.`;
        if ("result" in (await add(client, threadId, key))) keys.push(key);
      }
      await client.request("thread/queue/resume", { threadId });
      await client.request("turn/interrupt", { threadId, turnId: "" });
      disk.makeRoom();
      // A row that could not be started waits for the user; starting one by hand works.
      for (const { id } of await waitingTurns(client, threadId))
        await client.request("thread/queue/update", {
          threadId,
          queuedSubmissionId: id,
          input: [{ type: "text", text: "again" }],
        });
      await client.request("thread/queue/resume", { threadId });
      const last = await add(client, threadId, "last");
      if (!("result" in last)) harness.breach("a queue does not go on when there is room", { last, keys });
      await begins(attacked, "last").catch((error: unknown) =>
        harness.breach("a queue stands still when there is room", { error: String(error), keys }),
      );
      const places = [
        ...(await startedKeys(client, threadId)),
        ...(await waitingTurns(client, threadId)).map((entry) => entry.clientUserMessageId),
      ].filter((key) => key.startsWith("key-"));
      if (new Set(places).size !== places.length)
        harness.breach("a queued turn has started twice", { places });
      const lost = keys.filter((key) => !places.includes(key));
      if (lost.length > 0) harness.breach("queued turns are lost", { lost, places });
    },
  },
  {
    name: "queue/large rows",
    promise: "what a server tells of a queue costs no more memory than it tells",
    async run(harness) {
      const home = await harness.home();
      const first = await openPaused(harness, home);
      const { threadId } = first;
      await first.server.stop();
      const { queue, close } = openSqliteTables(databaseOf(home.home));
      const url = `data:image/png;base64,${"A".repeat(10_000_000)}`;
      for (let at = 0; at < 25; at += 1)
        await queue.add(
          threadId,
          newRow(`row-${at}`, { params: { input: [{ type: "image", url }] } }),
          ROOMY,
        );
      await close();
      const { client, server } = await harness.open({ home });
      await client.result("thread/resume", { threadId });
      for (let at = 0; at < 10; at += 1)
        await client.result("thread/queue/pause", { threadId, reason: `${at}` });
      const status = readFileSync(`/proc/${server.child.pid}/status`, "utf8");
      const peakMiB = Number(/^VmHWM:\s+(\d+)/mu.exec(status)?.[1] ?? 0) / 1024;
      if (peakMiB > MAX_PEAK_MIB)
        harness.breach("changes of a queue read what they do not tell", { peakMiB });
    },
  },
];

/** A server needs 100; each row that is read by mistake adds 20 or more. */
const MAX_PEAK_MIB = 160;
