/**
 * Rounds with work that waits on one home: events wake threads, schedules queue turns, the model reports usage limits,
 * webhooks are delivered, and the server is killed at random times. In the end every accepted event and every schedule
 * has started exactly one turn, no waiting turn was lost, and every completed turn was announced.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { databaseOf } from "../../src/store/files/sqlite/database-file.ts";
import { openDatabase } from "../../src/store/files/sqlite/driver.ts";
import { openSqliteTables } from "../../src/store/files/sqlite/sqlite-tables.ts";
import type { JsonObject } from "../support/json.ts";
import { modelConfig } from "../support/model-config.ts";
import { messageReply } from "../support/model-events.ts";
import type { Random } from "../support/random.ts";
import { createRpcClient, type RpcClient } from "../support/rpc-client.ts";
import { type Program, startServer } from "../support/start-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";
import { Violation } from "../support/violation.ts";

export interface WaitingRoundsOptions {
  readonly random: Random;
  readonly program: Program;
  readonly isEnough: (rounds: number) => boolean;
  readonly onRound?: (rounds: number) => void;
}

export interface WaitingReport {
  /** Each round ends with a kill. */
  readonly rounds: number;
  /** Events that were confirmed, and runs of schedules. */
  readonly woken: number;
  readonly scheduled: number;
  /** Turns that were waiting for a usage limit when their server was killed. */
  readonly suspended: number;
  /** Ends of turns that the receiver has got. */
  readonly announced: number;
}

interface WaitingHarness {
  readonly home: TempHome;
  readonly program: Program;
  readonly random: Random;
  readonly model: LimitedModel;
  /** The ids of the events that the receiver has got. */
  readonly received: Set<string>;
  readonly threads: string[];
  /** The keys of the events that each thread has accepted. */
  readonly accepted: Map<string, Set<string>>;
  readonly schedules: Set<string>;
  suspended: number;
}

const CLIENT = {
  clientInfo: { name: "crash", title: null, version: "1.0.0" },
  capabilities: { experimentalApi: true },
};
const THREADS = 8;
const REQUESTS_EACH = 10;
const MAX_WORK_MS = 900;
const DEADLINE_MS = 90_000;
const LIMIT_CHANCE = 0.25;

const tablesOf = (receiver: string): string => `
[queue]
after_crash = "retry"
[[webhooks]]
name = "receiver"
url = "${receiver}"
secret = "whsec_${Buffer.alloc(32, 7).toString("base64")}"
allow_private = true
`;

export async function playWaitingRounds(options: WaitingRoundsOptions): Promise<WaitingReport> {
  const { random, program, isEnough, onRound } = options;
  const model = await openLimitedModel(random);
  const received = new Set<string>();
  const receiver = await listen(
    createServer((request, response) => {
      request.resume();
      request.on("end", () => {
        received.add(String(request.headers["webhook-id"]));
        response.writeHead(204).end();
      });
    }),
  );
  const tables = tablesOf(urlOf(receiver));
  const home = await createTempHome({ config: modelConfig(urlOf(model.server), { tables }) });
  const harness: WaitingHarness = {
    home,
    program,
    random,
    model,
    received,
    threads: [],
    accepted: new Map(),
    schedules: new Set(),
    suspended: 0,
  };
  try {
    await withServer(harness, (client) => makeThreads(harness, client));
    model.isLimited = true;
    let rounds = 0;
    for (; !isEnough(rounds); onRound?.(rounds)) {
      await withServer(harness, (client) => playRound(harness, client));
      rounds += 1;
    }
    model.isLimited = false;
    freeClaims(home);
    const report = await withServer(harness, (client) => verify(harness, client));
    return { rounds, suspended: harness.suspended, ...report };
  } finally {
    await Promise.all([close(model.server), close(receiver)]);
    await home.remove();
  }
}

async function makeThreads({ threads, accepted }: WaitingHarness, client: RpcClient): Promise<void> {
  for (let made = 0; made < THREADS; made += 1) {
    const { thread } = (await client.result("thread/start", {})) as { thread: { id: string } };
    await client.result("turn/start", { threadId: thread.id, input: [{ type: "text", text: "Hello" }] });
    await client.next({ method: "turn/completed", params: { threadId: thread.id } });
    threads.push(thread.id);
    accepted.set(thread.id, new Set());
  }
}

async function playRound(harness: WaitingHarness, client: RpcClient): Promise<void> {
  const { random, threads } = harness;
  await checkSuspended(harness, client);
  const over = pause(random.below(MAX_WORK_MS));
  for (let count = 0; count < REQUESTS_EACH; count += 1) {
    const threadId = random.pick(threads);
    if (random.chance(0.7)) wake(harness, client, threadId);
    else schedule(harness, client, threadId);
    if (random.chance(0.3)) await pause(random.below(60));
  }
  await over;
}

/** Sends an event, sometimes one that was sent before. */
function wake({ random, accepted }: WaitingHarness, client: RpcClient, threadId: string): void {
  const known = accepted.get(threadId) ?? new Set();
  const isKnown = known.size > 0 && random.chance(0.2);
  const key = isKnown ? random.pick([...known]) : `${random.below(1e9)}`;
  const input = [{ type: "text", text: key }];
  confirmed(client, "thread/wake", { threadId, key, input }, () => known.add(key));
}

function schedule({ random, schedules }: WaitingHarness, client: RpcClient, threadId: string): void {
  const at = Math.ceil(Date.now() / 1000) + 1 + random.below(2);
  const target = random.chance(0.5)
    ? { type: "thread", threadId }
    : { type: "newThread", threadStartParams: {} };
  const params = { schedule: { type: "once", at }, target, input: [{ type: "text", text: "scheduled" }] };
  confirmed(client, "schedule/create", params, (result) => {
    schedules.add((result["schedule"] as { id: string }).id);
  });
}

/** The round tests both cases: a response before the kill, and none. */
function confirmed(
  client: RpcClient,
  method: string,
  params: object,
  onResult: (result: JsonObject) => void,
): void {
  void client.response(client.send(method, params), DEADLINE_MS).then(
    (answer) => {
      if ("result" in answer) onResult(answer["result"] as JsonObject);
    },
    () => {},
  );
}

/** A turn that was waiting when its server was killed waits, continues or has ended by itself. */
async function checkSuspended(harness: WaitingHarness, client: RpcClient): Promise<void> {
  const { waits, close: closeTables } = openSqliteTables(databaseOf(harness.home.home));
  const waiting = await waits.list(100);
  await closeTables();
  harness.suspended += waiting.length;
  for (const { threadId, turn } of waiting) {
    const found = (await turnsOf(client, threadId)).find(({ id }) => id === turn.turnId);
    if (found === undefined || found.status === "interrupted" || found.status === "failed")
      throw new Violation("a waiting turn is lost", { threadId, turnId: turn.turnId, found });
  }
}

/** The claim of a killed server ends after a minute; the test does not wait for it. */
function freeClaims(home: TempHome): void {
  const database = openDatabase(databaseOf(home.home));
  database.exec("UPDATE outbox SET due_at_ms = 0 WHERE state = 'claimed'");
  database.close();
}

interface FoundTurn {
  readonly id: string;
  readonly status: string;
  readonly items: readonly { readonly type: string; readonly clientId?: string | null }[];
}

async function turnsOf(client: RpcClient, threadId: string): Promise<readonly FoundTurn[]> {
  const params = { threadId, includeTurns: true };
  return ((await client.result("thread/read", params)) as { thread: { turns: readonly FoundTurn[] } }).thread
    .turns;
}

const keysOf = (turns: readonly FoundTurn[]): string[] =>
  turns.flatMap(({ items }) => items.flatMap(({ clientId }) => (clientId == null ? [] : [clientId])));

interface FoundSchedule {
  readonly id: string;
  readonly target: { readonly type: "thread" | "newThread" };
  readonly status: { readonly type: string };
  readonly lastRun: { readonly threadId: string; readonly clientUserMessageId: string } | null;
}

async function all<T>(client: RpcClient, method: "schedule/list" | "thread/list"): Promise<readonly T[]> {
  const found: T[] = [];
  for (let cursor: string | null = null; ; ) {
    const page = (await client.result(method, { cursor, limit: 100 })) as {
      data: T[];
      nextCursor: string | null;
    };
    found.push(...page.data);
    cursor = page.nextCursor;
    if (cursor === null) return found;
  }
}

async function verify(harness: WaitingHarness, client: RpcClient) {
  const { accepted, schedules, received } = harness;
  let last = {};
  for (const end = Date.now() + DEADLINE_MS; Date.now() < end; await pause(100)) {
    const found = await all<FoundSchedule>(client, "schedule/list");
    const lost = [...schedules].filter((id) => found.every((each) => each.id !== id));
    if (lost.length > 0) throw new Violation("schedules are lost", { lost });
    const runs = found.flatMap(({ lastRun }) => lastRun ?? []);
    const ids = new Set([...harness.threads, ...runs.map(({ threadId }) => threadId)]);
    const turns = new Map<string, readonly FoundTurn[]>();
    for (const id of ids) turns.set(id, await turnsOf(client, id));
    const missing = [
      ...[...accepted].flatMap(([id, keys]) => [...keys].map((key) => ({ id, key: `wake:${key}` }))),
      ...runs.map(({ threadId, clientUserMessageId }) => ({ id: threadId, key: clientUserMessageId })),
    ].filter(({ id, key }) => !keysOf(turns.get(id) ?? []).includes(key));
    const ever = [...turns.values()].flat();
    const running = ever.filter(({ status }) => status === "inProgress");
    const unannounced = ever.filter(
      ({ id, status }) => status === "completed" && !received.has(`evt_${id}_end`),
    );
    const unrun = found.filter(({ status }) => status.type !== "finished");
    for (const [id, each] of turns) refuseDoubles(id, keysOf(each));
    last = { missing, running, unannounced, unrun };
    if ([missing, running, unannounced, unrun].every((each) => each.length === 0)) {
      const wanted = THREADS + found.filter(({ target }) => target.type === "newThread").length;
      const threads = (await all(client, "thread/list")).length;
      if (threads !== wanted)
        throw new Violation("a schedule has made another number of threads", { threads, wanted });
      return {
        woken: [...accepted.values()].reduce((sum, keys) => sum + keys.size, 0),
        scheduled: runs.length,
        announced: [...received].filter((id) => id.endsWith("_end")).length,
      };
    }
  }
  const stuck = await Promise.all(harness.threads.map((threadId) => queueOf(client, threadId)));
  throw new Violation("work that waits is lost", { ...last, stuck });
}

const queueOf = (client: RpcClient, threadId: string): Promise<unknown> =>
  client.result("thread/queue/list", { threadId, limit: 1 });

function refuseDoubles(threadId: string, keys: readonly string[]): void {
  const twice = keys.filter((key, at) => keys.indexOf(key) !== at);
  if (twice.length > 0) throw new Violation("turns have started twice", { threadId, twice });
}

async function withServer<T>(
  { program, home }: WaitingHarness,
  work: (client: RpcClient) => Promise<T>,
): Promise<T> {
  const server = await startServer({ program, home, subcommand: "serve", transport: "ws" });
  try {
    const client = createRpcClient(await server.openWire());
    await client.result("initialize", CLIENT);
    return await work(client);
  } finally {
    // Kills the server and its children with SIGKILL.
    await server.stop();
  }
}

interface LimitedModel {
  readonly server: Server;
  isLimited: boolean;
}

/** Reports a usage limit of about a second now and then, and otherwise answers with a message. */
async function openLimitedModel(random: Random): Promise<LimitedModel> {
  const server = await listen(
    createServer((request, response) => {
      request.resume();
      request.on("end", () => {
        if (model.isLimited && random.chance(LIMIT_CHANCE)) {
          const resetsAt = Math.ceil(Date.now() / 1000) + 1;
          const error = { type: "usage_limit_reached", message: "used up", resets_at: resetsAt };
          response.writeHead(429, { "content-type": "application/json" }).end(JSON.stringify({ error }));
          return;
        }
        const given = messageReply("Done");
        response.writeHead(200, { "content-type": "text/event-stream" });
        for (const event of "events" in given ? given.events : [])
          response.write(`event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`);
        response.end();
      });
    }),
  );
  const model = { server, isLimited: false };
  return model;
}

async function listen(server: Server): Promise<Server> {
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  return server;
}

const urlOf = (server: Server): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

async function close(server: Server): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void setTimeout(resolve, milliseconds));
}
