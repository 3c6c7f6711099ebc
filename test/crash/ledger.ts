/**
 * What the clients of a server have been told, which must be true after the server was killed. Whatever was asked for
 * and not answered may have happened or not.
 */
import { isObject, type JsonObject } from "../support/json.ts";

/** An attempt to set a value; `answered` is null as long as nobody knows what became of it. */
export type Attempt<T> = { readonly value: T; readonly sent: number; answered: number | null };

/** A value that is set as a whole: every attempt that may have been the last one. */
export type Register<T> = Attempt<T>[];

/** Words of a client, with the moments when they were sent and when they were accepted. */
export type Said = { readonly text: string; readonly sent: number; readonly accepted: number };

export type ThreadRecord = {
  readonly id: string;
  /** Whether the thread was said to have something that lasts. */
  isKept: boolean;
  /** Whether somebody has said something in it, which is when lists begin to show it. */
  isListed: boolean;
  /** Words that were accepted since the last compaction. */
  said: Said[];
  /** By turn, what was told as completed, in the order of telling. */
  readonly items: Map<string, JsonObject[]>;
  /** How turns were told to have ended; null for those whose end was not told. */
  readonly turns: Map<string, string | null>;
  readonly name: Register<string | null>;
  readonly effort: Register<string | null>;
  readonly goal: Register<string | null>;
  readonly archived: Register<boolean>;
  /** The turn that was last told to run. */
  runningTurn: string | null;
  /** What the model was last asked with in a turn of the user; null when a compaction may have replaced it. */
  lastInput: readonly unknown[] | null;
  compaction: "none" | "asked" | "runs";
};

export type Ledger = {
  readonly threads: Map<string, ThreadRecord>;
  /** Words that nobody has said before. */
  newText(): string;
  /** A number for a moment, higher than all before it. */
  moment(): number;
  newThread(id: string): ThreadRecord;
  /** A thread that begins with what another one has. */
  newFork(id: string, source: ThreadRecord): ThreadRecord;
  hear(method: string, params: JsonObject): void;
};

export function createLedger(): Ledger {
  const threads = new Map<string, ThreadRecord>();
  let words = 0;
  let moments = 0;

  function hearItem(record: ThreadRecord, turnId: string, item: JsonObject): void {
    const items = record.items.get(turnId) ?? [];
    items.push(item);
    record.items.set(turnId, items);
    record.isKept = true;
  }

  return {
    threads,
    newText() {
      words += 1;
      return `w${words}w`;
    },
    moment() {
      moments += 1;
      return moments;
    },
    newThread(id) {
      const record = emptyRecord(id);
      threads.set(id, record);
      return record;
    },
    newFork(id, source) {
      const record = emptyRecord(id);
      record.isKept = true;
      record.said = [...source.said];
      record.name.splice(0, record.name.length, ...source.name);
      for (const [turnId, items] of source.items) record.items.set(turnId, [...items]);
      for (const [turnId, status] of source.turns) record.turns.set(turnId, status);
      threads.set(id, record);
      return record;
    },
    hear(method, params) {
      const record = threads.get(String(params["threadId"]));
      if (record === undefined) return;
      const turn = isObject(params["turn"]) ? params["turn"] : {};
      const turnId = String(params["turnId"] ?? turn["id"]);
      if (method === "turn/started") {
        record.runningTurn = turnId;
        if (!record.turns.has(turnId)) record.turns.set(turnId, null);
      } else if (method === "item/completed" && isObject(params["item"])) {
        hearItem(record, turnId, params["item"]);
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
    said: [],
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

/** An attempt was answered with success: those that had been answered before it was sent are over. */
export function confirm<T>(register: Register<T>, attempt: Attempt<T>, moment: number): void {
  attempt.answered = moment;
  const left = register.filter(({ answered }) => answered === null || answered >= attempt.sent);
  register.splice(0, register.length, ...left);
}

/** Whether a register may have this value; if so, it is the one that it has from now on. */
export function ack<T>(register: Register<T>, found: T): boolean {
  const fits = register.some(({ value }) => value === found);
  register.splice(0, register.length, { value: found, sent: 0, answered: 0 });
  return fits;
}
