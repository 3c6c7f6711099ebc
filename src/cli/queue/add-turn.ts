/** `heddle queue add`: queues a turn for an existing or a new thread. */
import type { TurnStartParams } from "../../protocol/generated/types.ts";
import { holdReason } from "../../runtime/queue/queue-hold.ts";
import { explainFull } from "../../runtime/queue/queue-limits.ts";
import type { NewRow, QueueLimits, QueueRow } from "../../store/queue.ts";
import type { Store } from "../../store/store.ts";
import { type ParsedArguments, UsageError } from "../command-line/command.ts";
import { withClient } from "../home/with-client.ts";
import { composeRow, parseNotBefore } from "./compose-row.ts";
import { explainHold, rowToJson } from "./render-queue.ts";
import { readThreadState } from "./thread-state.ts";

export interface AddCall {
  readonly args: ParsedArguments;
  readonly chain: readonly ParsedArguments[];
  readonly store: Store;
  readonly limits: QueueLimits;
  readonly createId: () => string;
  /** Resolves the first operand to a thread id. */
  readonly findStoredThread: (word: string) => Promise<string>;
  readonly report: (text: string, object: object) => void;
}

export async function addTurn(call: AddCall): Promise<void> {
  const { args, store, limits, report } = call;
  const isNew = args.flag("new");
  const name = args.value("name");
  if (name !== undefined && !isNew)
    throw new UsageError("the argument '--name' needs '--new'; heddle threads rename names a thread");
  const [word = "", ...others] = args.operands;
  const row = await composeFromArgs(call, isNew ? args.operands : others);
  const threadId = isNew ? await startThread(call, row, name) : await call.findStoredThread(word);
  // A new thread already has the row; adding it again under the same key returns it.
  const outcome = await store.queue.add(threadId, row, limits);
  if (outcome.kind === "full") {
    const key = outcome.limit === "maxRows" ? " (queue.max_per_thread)" : "";
    throw new Error(`cannot queue for thread ${threadId}: ${explainFull(outcome, limits)}${key}`);
  }
  if (outcome.kind === "started") {
    const { rowId, turnId } = outcome.started;
    const object = { threadId, isKnown: !isNew, startedTurnId: turnId };
    // Another server may already have started the row of a new thread.
    if (isNew) return report(`new thread: ${threadId}\nstarted as turn ${turnId}: ${rowId}`, object);
    return report(`was started before, as turn ${turnId}: ${rowId}`, object);
  }
  const isKnown = outcome.kind === "known" && !isNew;
  const { text, ...when } = await describeStart(store, outcome.row);
  const lines = [
    ...(isNew ? [`new thread: ${threadId}`] : []),
    `${isKnown ? "is queued already" : "queued"}: ${outcome.row.rowId}`,
    text,
  ];
  report(lines.join("\n"), { threadId, isKnown, queuedTurn: rowToJson(outcome.row), ...when });
}

async function composeFromArgs({ args, createId }: AddCall, text: readonly string[]): Promise<NewRow> {
  const notBefore = args.value("not-before");
  const isNew = args.flag("new");
  return composeRow(
    {
      text,
      images: args.values("image"),
      // The in-process server queues the row of a new thread; the key finds it afterwards.
      key: args.value("id") ?? (isNew ? createId() : null),
      notBeforeMs: notBefore === undefined ? null : parseNotBefore(notBefore, Date.now()),
    },
    { cwd: process.cwd(), stdin: process.stdin, createId },
  );
}

/** Starts a thread, and queues its first turn there. */
async function startThread(
  { chain }: Pick<AddCall, "chain">,
  row: NewRow,
  name: string | undefined,
): Promise<string> {
  return withClient(chain, async (client) => {
    const { thread } = await client.request("thread/start", { cwd: process.cwd() });
    const turnStartParams = { ...(row.params as unknown as TurnStartParams), threadId: thread.id };
    const notBefore = row.notBeforeMs === null ? {} : { notBefore: Math.ceil(row.notBeforeMs / 1000) };
    await client.request("thread/queue/add", { threadId: thread.id, turnStartParams, ...notBefore });
    if (name !== undefined) await client.request("thread/name/set", { threadId: thread.id, name });
    return thread.id;
  });
}

/** Whether a server will start the row, and what holds it up. */
async function describeStart(store: Store, added: QueueRow) {
  const { threadId, rowId } = added;
  const first = { offset: 0, limit: 1, maxBytes: 0, atLeast: 0, isOutline: true } as const;
  const { rows, pause } = await store.queue.list(threadId, first);
  const state = await readThreadState(store, threadId);
  const heldUpBy = holdReason({ row: rows[0], pause }, state, Date.now());
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
