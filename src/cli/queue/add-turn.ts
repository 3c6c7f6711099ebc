/** `heddle queue add`: a turn for a thread that is there, or for a new one. */
import { silentLogger } from "../../base/logger.ts";
import { openClient } from "../../client/client.ts";
import type { TurnStartParams } from "../../protocol/generated/types.ts";
import { whatHolds } from "../../runtime/queue/queue-hold.ts";
import { explainFull } from "../../runtime/queue/queue-limits.ts";
import { openHeddle } from "../../server/heddle.ts";
import type { NewRow, QueueLimits, QueueRow } from "../../store/queue.ts";
import type { Store } from "../../store/store.ts";
import { createMemoryTransports } from "../../transport/memory.ts";
import { type ParsedArguments, UsageError } from "../command-line/command.ts";
import { readGlobalSettings } from "../command-line/options.ts";
import { composeRow, parseNotBefore } from "./compose-row.ts";
import { explainHold, rowToJson } from "./render-queue.ts";
import { stateOf } from "./thread-state.ts";

export interface AddCall {
  readonly args: ParsedArguments;
  readonly chain: readonly ParsedArguments[];
  readonly store: Store;
  readonly limits: QueueLimits;
  readonly createId: () => string;
  /** The thread that is there under the first word. */
  readonly findStoredThread: (word: string) => Promise<string>;
  readonly say: (text: string, object: object) => void;
}

export async function addTurn(call: AddCall): Promise<void> {
  const { args, store, limits, say } = call;
  const isNew = args.flag("new");
  const name = args.value("name");
  if (name !== undefined && !isNew)
    throw new UsageError("the argument '--name' needs '--new'; heddle threads rename names a thread");
  const [word = "", ...others] = args.operands;
  const row = await composeGiven(call, isNew ? args.operands : others);
  const threadId = isNew ? await startThread(call, row, name) : await call.findStoredThread(word);
  // A new thread has it already, under the same key.
  const outcome = await store.queue.add(threadId, row, limits);
  if (outcome.kind === "full") {
    const key = outcome.limit === "maxRows" ? " (queue.max_per_thread)" : "";
    throw new Error(`cannot queue for thread ${threadId}: ${explainFull(outcome, limits)}${key}`);
  }
  if (outcome.kind === "started") {
    const { rowId, turnId } = outcome.started;
    const object = { threadId, isKnown: !isNew, startedTurnId: turnId };
    // A server may have been faster with a new thread.
    if (isNew) return say(`new thread: ${threadId}\nstarted as turn ${turnId}: ${rowId}`, object);
    return say(`was started before, as turn ${turnId}: ${rowId}`, object);
  }
  const isKnown = outcome.kind === "known" && !isNew;
  const { text, ...when } = await whenItStarts(store, outcome.row);
  const lines = [
    ...(isNew ? [`new thread: ${threadId}`] : []),
    `${isKnown ? "is queued already" : "queued"}: ${outcome.row.rowId}`,
    text,
  ];
  say(lines.join("\n"), { threadId, isKnown, queuedTurn: rowToJson(outcome.row), ...when });
}

async function composeGiven({ args, createId }: AddCall, text: readonly string[]): Promise<NewRow> {
  const notBefore = args.value("not-before");
  const isNew = args.flag("new");
  return composeRow(
    {
      text,
      images: args.values("image"),
      // A new thread is given its turn by a server of our own, and the same key finds it there.
      key: args.value("id") ?? (isNew ? createId() : null),
      notBeforeMs: notBefore === undefined ? null : parseNotBefore(notBefore, Date.now()),
    },
    { cwd: process.cwd(), stdin: process.stdin, createId },
  );
}

/** A thread in this folder, as a client of a server would start it, with its first turn queued: nothing starts here. */
async function startThread(
  { chain }: Pick<AddCall, "chain">,
  row: NewRow,
  name: string | undefined,
): Promise<string> {
  const { env } = process;
  const cwd = process.cwd();
  const heddle = await openHeddle({ ...readGlobalSettings(...chain), env, cwd, log: silentLogger });
  try {
    await heddle.drain();
    const [theirs, ours] = createMemoryTransports();
    heddle.connect(theirs);
    const client = await openClient(ours, { capabilities: { experimentalApi: true } });
    const { thread } = await client.request("thread/start", { cwd });
    const turnStartParams = { ...(row.params as unknown as TurnStartParams), threadId: thread.id };
    const notBefore = row.notBeforeMs === null ? {} : { notBefore: Math.ceil(row.notBeforeMs / 1000) };
    await client.request("thread/queue/add", { threadId: thread.id, turnStartParams, ...notBefore });
    if (name !== undefined) await client.request("thread/name/set", { threadId: thread.id, name });
    return thread.id;
  } finally {
    await heddle.close();
  }
}

/** Whether anybody will start it, in words and for programs. */
async function whenItStarts(store: Store, added: QueueRow) {
  const { threadId, rowId } = added;
  const first = { offset: 0, limit: 1, maxBytes: 0, atLeast: 0, isOutline: true } as const;
  const { rows, pause } = await store.queue.list(threadId, first);
  const state = await stateOf(store, threadId);
  const heldUpBy = whatHolds({ row: rows[0], pause }, state, Date.now());
  const willStart = state.kind !== "unattended";
  if (!willStart)
    return {
      willStart,
      heldUpBy,
      text: "no server on this home will start it by itself: run heddle serve, or resume the thread in a client",
    };
  if (heldUpBy !== null)
    return {
      willStart,
      heldUpBy,
      text: `a server starts it; for now the queue waits: ${explainHold(heldUpBy)}`,
    };
  const isFirst = rows[0] === undefined || rows[0].rowId === rowId;
  return {
    willStart,
    heldUpBy,
    text: isFirst ? "a server starts it now" : "a server starts it behind the others",
  };
}
