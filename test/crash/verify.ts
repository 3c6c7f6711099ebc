/** Compares a restarted server with the confirmations of the previous one. */
import { isDeepStrictEqual } from "node:util";
import { isObject, type JsonObject } from "../support/json.ts";
import { Violation } from "../support/violation.ts";
import { within } from "../support/within.ts";
import type { Answer } from "./crash-client.ts";
import type { CrashModel } from "./crash-model.ts";
import { fixRegister, type ThreadRecord } from "./ledger.ts";
import { say, type Worker } from "./work.ts";

const DEADLINE_MS = 10_000;

/** Every wait has a deadline, so that a hanging server is detected. */
async function ask({ client }: Worker, method: string, params: object): Promise<Answer> {
  return within(client.request(method, params), DEADLINE_MS, `the answer to ${method}`);
}

export type VerifyOptions = {
  readonly worker: Worker;
  readonly model: CrashModel;
  /** Whether to start another turn, which shows the model's input. */
  readonly startsTurn: boolean;
};

export async function verifyThread(record: ThreadRecord, options: VerifyOptions): Promise<void> {
  const { worker } = options;
  record.runningTurn = null;
  record.compaction = "none";
  const resumed = await resume(record, worker);
  if (resumed === null) return;
  worker.loaded.set(record.id, worker.client);
  const thread = isObject(resumed["thread"]) ? resumed["thread"] : {};
  const turns = objectsOf(thread["turns"]);
  checkTurns(record, turns);
  checkRegister("reasoning effort", record, "effort", resumed["reasoningEffort"] ?? null);
  checkRegister("name", record, "name", await readName(record, worker));
  await checkGoal(record, worker);
  if (options.startsTurn) await checkModel(record, turns, options);
}

/** Null if the thread is legitimately absent or archived. */
async function resume(record: ThreadRecord, worker: Worker): Promise<JsonObject | null> {
  const { ledger } = worker;
  const answer = await ask(worker, "thread/resume", {
    threadId: record.id,
    sandbox: "danger-full-access",
  });
  if (answer.kind === "lost") throw new Violation("the server died without a kill", { threadId: record.id });
  if (answer.kind === "result") {
    if (fixRegister(record.archived, false)) return answer.result;
    throw new Violation("an archived thread can be resumed", { record });
  }
  if (/is archived/u.test(answer.message)) {
    if (!fixRegister(record.archived, true)) throw new Violation("a thread is archived", { record });
    const back = await ask(worker, "thread/unarchive", { threadId: record.id });
    if (back.kind !== "result") throw new Violation("an archived thread stays so", { record, back });
    fixRegister(record.archived, false);
    return resume(record, worker);
  }
  if (record.isKept) throw new Violation("a thread cannot be resumed", { record, answer });
  ledger.threads.delete(record.id);
  return null;
}

function checkTurns(record: ThreadRecord, turns: readonly JsonObject[]): void {
  const fail = (what: string, more: object): never => {
    throw new Violation(what, { ...more, threadId: record.id, turns });
  };
  const ids = turns.map(({ id }) => String(id));
  if (new Set(ids).size !== ids.length) fail("a turn is there twice", { ids });
  for (const turn of turns) {
    if (turn["status"] === "inProgress") fail("a turn still runs after its server is gone", { turn });
    const itemIds = objectsOf(turn["items"]).map(({ id }) => id);
    if (new Set(itemIds).size !== itemIds.length) fail("an item is there twice", { turn });
  }
  for (const [turnId, status] of record.turns) {
    const found = turns.find(({ id }) => id === turnId);
    if (found === undefined) return fail("a turn is gone", { turnId, status });
    if (status !== null && found["status"] !== status) fail(`a turn had ended as ${status}`, { found });
    record.turns.set(turnId, String(found["status"]));
  }
  for (const [turnId, completed] of record.items) {
    const found = turns.find(({ id }) => id === turnId);
    const items = objectsOf(found?.["items"]);
    const stored = items.filter(({ id }) => completed.some((item) => item["id"] === id));
    if (!isDeepStrictEqual(stored, completed))
      fail("completed items are read otherwise", { completed, stored, items });
  }
  const order = [...record.turns.keys()];
  const placed = ids.filter((id) => record.turns.has(id));
  if (!isDeepStrictEqual(placed, order)) fail("turns are in another order", { order, placed });
}

function checkRegister(
  what: string,
  record: ThreadRecord,
  member: "name" | "effort" | "goal",
  found: unknown,
): void {
  const possible = [...record[member]];
  // A thread without a setting has that of the configuration.
  const value = typeof found === "string" ? found : null;
  const isOpen = member === "effort" && possible.some((attempt) => attempt.value === null);
  if (!fixRegister(record[member], value) && !isOpen)
    throw new Violation(`the ${what} is ${String(found)}`, { threadId: record.id, possible });
}

async function readName(record: ThreadRecord, worker: Worker): Promise<unknown> {
  const answer = await ask(worker, "thread/read", { threadId: record.id, includeTurns: false });
  if (answer.kind !== "result") throw new Violation("a thread cannot be read", { record, answer });
  return isObject(answer.result["thread"]) ? answer.result["thread"]["name"] : null;
}

async function checkGoal(record: ThreadRecord, worker: Worker): Promise<void> {
  const answer = await ask(worker, "thread/goal/get", { threadId: record.id });
  if (answer.kind !== "result") throw new Violation("a goal cannot be read", { record, answer });
  const { goal } = answer.result;
  checkRegister("goal", record, "goal", isObject(goal) ? goal["objective"] : null);
}

/** The model must receive every accepted text once and in order, and everything that it received before. */
async function checkModel(
  record: ThreadRecord,
  turns: readonly JsonObject[],
  { worker, model }: VerifyOptions,
): Promise<void> {
  const { lastInput } = record;
  const accepted = [...record.texts];
  const asked = model.nextInput(record.id);
  await say(worker, record);
  const input = await within(asked, DEADLINE_MS, `a request for thread ${record.id}`);
  const fail = (what: string, more: object): never => {
    throw new Violation(what, { ...more, threadId: record.id, input, turns });
  };
  const received = clientTexts(input);
  if (new Set(received).size !== received.length) fail("the model receives a text twice", { received });
  const missing = accepted.filter(({ text }) => !received.includes(text));
  if (missing.length > 0) fail("the model does not receive accepted texts", { missing, received });
  for (const later of accepted) {
    const early = accepted.filter((each) => each.accepted < later.sent);
    const wrong = early.find(({ text }) => received.indexOf(text) > received.indexOf(later.text));
    if (wrong !== undefined) fail("the model receives texts in another order", { wrong, later, received });
  }
  // A text that arrived during a response is positioned where it was accepted, not where the model first received it.
  const current = new Set(input.map((item) => JSON.stringify(item)));
  const forgotten = (lastInput ?? []).filter((item) => !current.has(JSON.stringify(item)));
  if (forgotten.length > 0) fail("the model does not receive its previous input", { forgotten, lastInput });
}

/** The client texts in the model's input. */
export function clientTexts(input: readonly unknown[]): string[] {
  return input.flatMap((item) => {
    const isMessage = isObject(item) && item["type"] === "message" && item["role"] === "user";
    return isMessage ? (JSON.stringify(item["content"]).match(/w\d+w/gu) ?? []) : [];
  });
}

/** Every durable thread is listed exactly once. */
export async function verifyList(records: readonly ThreadRecord[], worker: Worker): Promise<void> {
  const listed: string[] = [];
  for (const archived of [false, true]) {
    for (let cursor: unknown = null; cursor !== undefined; ) {
      const answer = await ask(worker, "thread/list", { archived, cursor, limit: 40 });
      if (answer.kind !== "result") throw new Violation("threads cannot be listed", { answer });
      for (const thread of objectsOf(answer.result["data"])) listed.push(String(thread["id"]));
      cursor = answer.result["nextCursor"] ?? undefined;
    }
  }
  const absent = records.filter(({ id, isListed }) => isListed && !listed.includes(id));
  if (absent.length > 0) throw new Violation("threads are missing in the list", { absent, listed });
  if (new Set(listed).size !== listed.length) throw new Violation("a thread is listed twice", { listed });
}

function objectsOf(value: unknown): JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
