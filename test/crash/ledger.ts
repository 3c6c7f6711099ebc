/**
 * Everything that the server has confirmed to its clients, which must still hold after a kill. A request without a
 * response may have had an effect or not.
 */
import { isObject, type JsonObject } from "../support/json.ts";

/** An attempt to set a value; `answered` is null while its result is unknown. */
export type Attempt<T> = { readonly value: T; readonly sent: number; answered: number | null };

/** A value that is replaced as a whole: every attempt that may have been the last one. */
export type Register<T> = Attempt<T>[];

/** A text of a client, with the times at which it was sent and accepted. */
export type SentText = { readonly text: string; readonly sent: number; readonly accepted: number };

export type ThreadRecord = {
  readonly id: string;
  /** Whether the thread is known to be durable. */
  isKept: boolean;
  /** Whether it has a user message, from which on lists include it. */
  isListed: boolean;
  /** Texts that were accepted since the last compaction. */
  texts: SentText[];
  /** The completed items of each turn, in order of their notifications. */
  readonly items: Map<string, JsonObject[]>;
  /** The end of each turn; null if it was not reported. */
  readonly turns: Map<string, string | null>;
  readonly name: Register<string | null>;
  readonly effort: Register<string | null>;
  readonly goal: Register<string | null>;
  readonly archived: Register<boolean>;
  /** The turn that was last reported as running. */
  runningTurn: string | null;
  /** The last model input in a turn of the user; null if a compaction may have replaced it. */
  lastInput: readonly unknown[] | null;
  compaction: "none" | "asked" | "runs";
};

export type Ledger = {
  readonly threads: Map<string, ThreadRecord>;
  /** A unique text. */
  newText(): string;
  /** A logical timestamp, higher than all before it. */
  tick(): number;
  newThread(id: string): ThreadRecord;
  /** A thread that begins with the history of another. */
  newFork(id: string, source: ThreadRecord): ThreadRecord;
  record(method: string, params: JsonObject): void;
};

export function createLedger(): Ledger {
  const threads = new Map<string, ThreadRecord>();
  let texts = 0;
  let ticks = 0;

  function recordItem(record: ThreadRecord, turnId: string, item: JsonObject): void {
    const items = record.items.get(turnId) ?? [];
    items.push(item);
    record.items.set(turnId, items);
    record.isKept = true;
  }

  return {
    threads,
    newText() {
      texts += 1;
      return `w${texts}w`;
    },
    tick() {
      ticks += 1;
      return ticks;
    },
    newThread(id) {
      const record = emptyRecord(id);
      threads.set(id, record);
      return record;
    },
    newFork(id, source) {
      const record = emptyRecord(id);
      record.isKept = true;
      record.texts = [...source.texts];
      record.name.splice(0, record.name.length, ...source.name);
      for (const [turnId, items] of source.items) record.items.set(turnId, [...items]);
      for (const [turnId, status] of source.turns) record.turns.set(turnId, status);
      threads.set(id, record);
      return record;
    },
    record(method, params) {
      const record = threads.get(String(params["threadId"]));
      if (record === undefined) return;
      const turn = isObject(params["turn"]) ? params["turn"] : {};
      const turnId = String(params["turnId"] ?? turn["id"]);
      if (method === "turn/started") {
        record.runningTurn = turnId;
        if (!record.turns.has(turnId)) record.turns.set(turnId, null);
      } else if (method === "item/completed" && isObject(params["item"])) {
        recordItem(record, turnId, params["item"]);
      } else if (method === "turn/completed") {
        record.turns.set(turnId, String(turn["status"]));
        record.isKept = true;
        if (record.runningTurn === turnId) record.runningTurn = null;
        if (record.compaction === "runs") record.compaction = "none";
      }
    },
  };
}

function emptyRecord(id: string): ThreadRecord {
  return {
    id,
    isKept: false,
    isListed: false,
    texts: [],
    items: new Map(),
    turns: new Map(),
    name: [{ value: null, sent: 0, answered: 0 }],
    effort: [{ value: null, sent: 0, answered: 0 }],
    goal: [{ value: null, sent: 0, answered: 0 }],
    archived: [{ value: false, sent: 0, answered: 0 }],
    runningTurn: null,
    lastInput: null,
    compaction: "none",
  };
}

/** An attempt succeeded: attempts that were answered before it was sent are superseded. */
export function confirm<T>(register: Register<T>, attempt: Attempt<T>, time: number): void {
  attempt.answered = time;
  const left = register.filter(({ answered }) => answered === null || answered >= attempt.sent);
  register.splice(0, register.length, ...left);
}

/** Whether a register may have this value; if so, the value is fixed from now on. */
export function fixRegister<T>(register: Register<T>, found: T): boolean {
  const fits = register.some(({ value }) => value === found);
  register.splice(0, register.length, { value: found, sent: 0, answered: 0 });
  return fits;
}
