/**
 * Rounds on one home: a server is started, the confirmations of the previous one are checked, clients work, and the
 * server is killed at a random time, including during its start and its shutdown.
 */
import { rmSync } from "node:fs";
import { join } from "node:path";
import { modelConfig } from "../support/model-config.ts";
import type { Random } from "../support/random.ts";
import { type Program, type RunningServer, startServer } from "../support/start-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";
import { Violation } from "../support/violation.ts";
import type { Wire } from "../support/wire.ts";
import { within } from "../support/within.ts";
import { type CrashClient, createCrashClient } from "./crash-client.ts";
import { type CrashModel, openCrashModel } from "./crash-model.ts";
import { createLedger, type Ledger } from "./ledger.ts";
import { createRolloutFiles, type RolloutFiles } from "./rollout-files.ts";
import { verifyList, verifyThread } from "./verify.ts";
import { type Worker, work } from "./work.ts";

const CLIENT = {
  clientInfo: { name: "crash", title: null, version: "1.0.0" },
  capabilities: { experimentalApi: true },
};
/** The prompt of a compaction, which is not part of the conversation. */
const SUMMARY_PROMPT = /about to be replaced by a summary/u;
const CLIENTS = 3;
const MAX_WORK_MS = 90;
const MAX_START_MS = 90;
const MAX_END_MS = 25;
const MAX_MESSAGES = 120;
const MAX_CHECKED = 6;
const DEADLINE_MS = 10_000;

export type Rounds = {
  readonly home: TempHome;
  run(): Promise<void>;
  close(options: { readonly keepHome: boolean }): Promise<void>;
};

export type RoundsOptions = {
  readonly random: Random;
  readonly program: Program;
  /** The parent folder of the home; by default, the system's temporary folder. */
  readonly under?: string;
};

type CrashHarness = {
  readonly random: Random;
  readonly program: Program;
  readonly home: TempHome;
  readonly model: CrashModel;
  readonly ledger: Ledger;
  readonly files: RolloutFiles;
  /** Threads that were used since their last check. */
  readonly unchecked: Set<string>;
};

export async function openRounds(options: RoundsOptions): Promise<Rounds> {
  const { random, program, under } = options;
  const ledger = createLedger();
  const model = await openCrashModel({
    random,
    onInput(threadId, input) {
      const record = ledger.threads.get(threadId);
      const isSummary = SUMMARY_PROMPT.test(JSON.stringify(input.at(-1) ?? null));
      if (record?.compaction === "none" && !isSummary) record.lastInput = input;
    },
  });
  const config = modelConfig(model.url);
  const home = await createTempHome({ config, ...(under === undefined ? {} : { under }) });
  const files = createRolloutFiles(home.home);
  const harness = { random, program, home, model, ledger, files, unchecked: new Set<string>() };
  return {
    home,
    run: () => playRound(harness),
    async close({ keepHome }) {
      await model.close();
      if (!keepHome) await home.remove();
    },
  };
}

async function playRound(harness: CrashHarness): Promise<void> {
  const { random, home, files, program } = harness;
  const isDatabaseLost = random.chance(0.1);
  if (isDatabaseLost) loseDatabase(home);
  const transport = random.chance(0.5) ? "stdio" : "unix";
  if (random.chance(0.15)) await killWhileStarting(harness);
  // A killed server leaves its socket behind, which would be mistaken for that of the next one.
  rmSync(join(home.root, "server.sock"), { force: true });
  const server = await startServer({ program, transport, home });
  const session = createSession(harness, server);
  try {
    await session.connect(transport === "stdio" ? 1 : CLIENTS);
    await check(harness, session, isDatabaseLost);
    await session.work();
  } finally {
    await server.stop();
  }
  session.finish();
  files.check();
}

function loseDatabase({ home }: TempHome): void {
  for (const end of ["", "-wal", "-shm"]) rmSync(join(home, `heddle.sqlite${end}`), { force: true });
}

/** Requests a thread as soon as the server is available, and kills it about then. */
async function killWhileStarting({ random, home, program, ledger }: CrashHarness): Promise<void> {
  const server = await startServer({ program, home });
  const wire = await server.openWire();
  const [threadId = ""] = ledger.threads.keys();
  wire.send(JSON.stringify({ id: 1, method: "initialize", params: CLIENT }));
  wire.send(JSON.stringify({ id: 2, method: "thread/resume", params: { threadId } }));
  await pause(random.below(MAX_START_MS));
  await server.stop();
}

async function check(harness: CrashHarness, { worker }: Session, isDatabaseLost: boolean): Promise<void> {
  const { ledger, unchecked, random, model } = harness;
  const ids = [...unchecked];
  if (ledger.threads.size > 0) ids.push(random.pick([...ledger.threads.keys()]));
  const records = [...new Set(ids.slice(-MAX_CHECKED))].flatMap((id) => ledger.threads.get(id) ?? []);
  await Promise.all(
    records.map((record) => verifyThread(record, { worker, model, startsTurn: random.chance(0.5) })),
  );
  for (const { id } of records) unchecked.delete(id);
  if (isDatabaseLost || random.chance(0.2)) await verifyList([...ledger.threads.values()], worker);
}

type Session = {
  readonly worker: Worker;
  connect(clients: number): Promise<void>;
  /** Clients work until the server is killed. */
  work(): Promise<void>;
  /** Throws if the server did anything forbidden. */
  finish(): void;
};

function createSession(harness: CrashHarness, server: RunningServer): Session {
  const { random, ledger, unchecked } = harness;
  const clients: CrashClient[] = [];
  const loaded = new Map<string, CrashClient>();
  const bad: Violation[] = [];
  let isOver = false;
  let onMessage: () => void = () => {};

  function createClient(wire: Wire): CrashClient {
    const client = createCrashClient(wire, {
      onNotification(method, params) {
        if (loaded.get(String(params["threadId"])) === client) ledger.record(method, params);
      },
      onMessage: () => onMessage(),
      onBadAnswer: (method, params, error) =>
        bad.push(new Violation(`${method} gets an answer that it never may`, { params, error })),
    });
    return client;
  }

  const workerOf = (client: CrashClient): Worker => ({ client, ledger, random, loaded, unchecked });

  return {
    get worker() {
      return workerOf(clients[0]!);
    },
    async connect(count) {
      for (let index = 0; index < count; index += 1) {
        const client = createClient(await server.openWire());
        clients.push(client);
        const answer = await within(client.request("initialize", CLIENT), DEADLINE_MS, "initialize");
        if (answer.kind !== "result") throw new Violation("initialize fails", { answer });
      }
    },
    async work() {
      const { child } = server;
      const ended = child.exit.then(() => {
        isOver = true;
      });
      const working = clients.map((client) => work(workerOf(client), () => isOver));
      await momentToKill(random, (listener) => {
        onMessage = listener;
      });
      if (child.exited) throw new Violation("the server ended by itself", { stderr: child.stderr });
      if (random.chance(0.15)) {
        if (random.chance(0.5)) child.endInput();
        else child.signal("SIGTERM");
        await pause(random.below(MAX_END_MS));
      }
      await server.child.stop();
      await ended;
      await within(Promise.all(working), DEADLINE_MS, "the end of all clients");
    },
    finish() {
      for (const id of loaded.keys()) unchecked.add(id);
      const [first] = bad;
      if (first !== undefined) throw first;
    },
  };
}

/** After a random time, or right after a random message. */
function momentToKill(random: Random, onMessage: (listener: () => void) => void): Promise<void> {
  if (random.chance(0.5)) return pause(random.below(MAX_WORK_MS));
  let left = random.below(MAX_MESSAGES);
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, MAX_WORK_MS);
    onMessage(() => {
      left -= 1;
      if (left > 0) return;
      clearTimeout(timer);
      resolve();
    });
  });
}

function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
