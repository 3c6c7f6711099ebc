/** Clients at work: each performs random actions, and the ledger records confirmations. */
import { isObject } from "../support/json.ts";
import type { Random } from "../support/random.ts";
import type { Answer, CrashClient } from "./crash-client.ts";
import { type Attempt, confirm, type Ledger, type Register, type ThreadRecord } from "./ledger.ts";

export type Worker = {
  readonly client: CrashClient;
  readonly ledger: Ledger;
  readonly random: Random;
  /** Threads that the server has loaded, each with the client that records it. */
  readonly loaded: Map<string, CrashClient>;
  /** Threads that were used since their last check. */
  readonly unchecked: Set<string>;
};

type Act = (worker: Worker, record: ThreadRecord) => Promise<unknown>;

const MAX_THREADS = 5;
const EFFORTS = ["low", "medium", "high"];

/** Likelier actions are listed more often. */
const ACTS: readonly Act[] = [
  say,
  say,
  say,
  say,
  say,
  steer,
  steer,
  interrupt,
  inject,
  inject,
  rename,
  setEffort,
  setGoal,
  fork,
  compact,
  archive,
];

export async function startThread({ client, ledger, loaded }: Worker): Promise<ThreadRecord | null> {
  const answer = await client.request("thread/start", { sandbox: "danger-full-access" });
  if (answer.kind !== "result") return null;
  const { thread } = answer.result;
  const record = ledger.newThread(isObject(thread) ? String(thread["id"]) : "");
  loaded.set(record.id, client);
  return record;
}

/** Runs until the server is gone. */
export async function work(worker: Worker, isOver: () => boolean): Promise<void> {
  const { random, loaded, ledger } = worker;
  while (!isOver()) {
    if (loaded.size === 0 || (loaded.size < MAX_THREADS && random.chance(0.1))) {
      const record = await startThread(worker);
      if (record === null) return;
      await say(worker, record);
      continue;
    }
    const record = ledger.threads.get(random.pick([...loaded.keys()]));
    if (record === undefined) return;
    const done = random.pick(ACTS)(worker, record);
    // Occasionally, the next request is sent before the last response.
    if (random.chance(0.7)) await done;
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A text counts as accepted once its request succeeds. */
async function accept(
  worker: Worker,
  record: ThreadRecord,
  method: string,
  { text, params }: { readonly text: string; readonly params: object },
): Promise<Answer> {
  const { ledger } = worker;
  const sent = ledger.tick();
  const answer = await worker.client.request(method, { threadId: record.id, ...params });
  if (answer.kind !== "result") return answer;
  record.isKept = true;
  record.texts.push({ text, sent, accepted: ledger.tick() });
  return answer;
}

export async function say(worker: Worker, record: ThreadRecord): Promise<void> {
  const text = worker.ledger.newText();
  const params = { input: [{ type: "text", text }] };
  const answer = await accept(worker, record, "turn/start", { text, params });
  if (answer.kind !== "result" || !isObject(answer.result["turn"])) return;
  record.isListed = true;
  const turnId = String(answer.result["turn"]["id"]);
  if (!record.turns.has(turnId)) record.turns.set(turnId, null);
}

async function steer(worker: Worker, record: ThreadRecord): Promise<void> {
  if (record.runningTurn === null) return;
  const text = worker.ledger.newText();
  const input = [{ type: "text", text }];
  const params = { expectedTurnId: record.runningTurn, input };
  await accept(worker, record, "turn/steer", { text, params });
}

async function inject(worker: Worker, record: ThreadRecord): Promise<void> {
  const text = worker.ledger.newText();
  const items = [{ type: "message", role: "user", content: [{ type: "input_text", text }] }];
  await accept(worker, record, "thread/inject_items", { text, params: { items } });
}

async function interrupt(worker: Worker, record: ThreadRecord): Promise<void> {
  if (record.runningTurn === null) return;
  await worker.client.request("turn/interrupt", { threadId: record.id, turnId: record.runningTurn });
}

async function rename(worker: Worker, record: ThreadRecord): Promise<void> {
  const name = `Name ${worker.ledger.newText()}`;
  const params = { threadId: record.id, name };
  if (await set(worker, record.name, name, () => worker.client.request("thread/name/set", params)))
    record.isKept = true;
}

/** Before its first turn, neither a thread nor its settings are durable. */
async function setEffort(worker: Worker, record: ThreadRecord): Promise<void> {
  if (!record.isKept) return;
  const effort = worker.random.pick(EFFORTS);
  const params = { threadId: record.id, effort };
  await set(worker, record.effort, effort, () => worker.client.request("thread/settings/update", params));
}

async function setGoal(worker: Worker, record: ThreadRecord): Promise<void> {
  if (!record.isKept) return;
  const objective = `Goal ${worker.ledger.newText()}`;
  const params = { threadId: record.id, objective };
  await set(worker, record.goal, objective, () => worker.client.request("thread/goal/set", params));
}

async function archive(worker: Worker, record: ThreadRecord): Promise<void> {
  if (!record.isKept || worker.random.chance(0.6)) return;
  const { loaded, unchecked } = worker;
  loaded.delete(record.id);
  unchecked.add(record.id);
  const params = { threadId: record.id };
  await set(worker, record.archived, true, () => worker.client.request("thread/archive", params));
}

async function set<T>(
  { ledger }: Worker,
  register: Register<T>,
  value: T,
  asked: () => Promise<Answer>,
): Promise<boolean> {
  const attempt: Attempt<T> = { value, sent: ledger.tick(), answered: null };
  register.push(attempt);
  const answer = await asked();
  if (answer.kind === "result") confirm(register, attempt, ledger.tick());
  return answer.kind === "result";
}

async function fork(worker: Worker, record: ThreadRecord): Promise<void> {
  if (!record.isKept || record.compaction !== "none" || worker.random.chance(0.6)) return;
  const { client, ledger, loaded } = worker;
  const source = ledger.newFork(`${record.id} now`, record);
  ledger.threads.delete(source.id);
  const params = { threadId: record.id, sandbox: "danger-full-access", excludeTurns: true };
  const answer = await worker.client.request("thread/fork", params);
  if (answer.kind !== "result" || !isObject(answer.result["thread"])) return;
  const made = ledger.newFork(String(answer.result["thread"]["id"]), source);
  // Another client may have renamed the source after this request was sent and before the server handled it.
  made.name.push(...record.name.filter((attempt) => !made.name.includes(attempt)));
  loaded.set(made.id, client);
}

/** A compaction may drop earlier texts. */
async function compact(worker: Worker, record: ThreadRecord): Promise<void> {
  if (!record.isKept || worker.random.chance(0.5)) return;
  record.compaction = "asked";
  record.texts = [];
  record.lastInput = null;
  const answer = await worker.client.request("thread/compact/start", { threadId: record.id });
  if (answer.kind === "lost") return;
  record.texts = [];
  record.lastInput = null;
  record.compaction = answer.kind === "result" ? "runs" : "none";
}
