import { printableLines } from "../../base/printable.ts";
import { holdReason } from "../../runtime/queue/queue-hold.ts";
import { BYTE_LIMITS, isReason, MAX_REASON_LENGTH } from "../../runtime/queue/queue-limits.ts";
import type { Queue, QueueLimits, QueueRow } from "../../store/queue.ts";
import type { Store } from "../../store/store.ts";
import {
  type Command,
  type CommandEntry,
  type CommandSpec,
  declareCommand,
  type OptionSpec,
  type ParsedArguments,
  UsageError,
} from "../command-line/command.ts";
import { globalOptions, jsonOption } from "../command-line/options.ts";
import { paintFor } from "../command-line/paint.ts";
import { assertNotArchived, findStoredThread } from "../home/find-stored-thread.ts";
import { withHome } from "../home/open-home.ts";
import { addTurn } from "../queue/add-turn.ts";
import { parseNotBefore } from "../queue/compose-row.ts";
import { chooseRow, moveRow } from "../queue/move-row.ts";
import { readQueue } from "../queue/read-queue.ts";
import { logToJson, renderLog } from "../queue/render-log.ts";
import { type QueueView, queueToJson, renderQueue, rowToJson, toShownRow } from "../queue/render-queue.ts";
import { readThreadState } from "../queue/thread-state.ts";

interface QueueCall {
  readonly args: ParsedArguments;
  readonly chain: readonly ParsedArguments[];
  readonly store: Store;
  readonly queue: Queue;
  readonly limits: QueueLimits;
  readonly createId: () => string;
  /** Prints the result: text, or the object with `--json`. */
  readonly report: (text: string, object: object) => void;
}

/** Declaration of a subcommand. */
interface Subcommand extends Pick<CommandEntry, "name" | "summary">, Pick<CommandSpec, "details"> {
  readonly operands: string;
  /** In addition to the options of all subcommands. */
  readonly options?: readonly OptionSpec[];
  /** Descriptions by command line. */
  readonly examples: Readonly<Record<string, string>>;
  readonly run: (call: QueueCall, threadId: string, operands: readonly string[]) => Promise<void>;
}

const PAUSED = "paused from the command line";
const LOG_LENGTH = 50;

const subcommands: readonly Subcommand[] = [
  {
    name: "add",
    operands: "<THREAD> [TEXT...]",
    summary: "Put a turn at the end of a thread's queue",
    details:
      "A server starts it when the thread is free: one that has it loaded, or any `heddle serve` on the home. It says whether there is one. With --new there is no THREAD.",
    options: [
      { name: "image", short: "i", value: "FILE", repeat: true, help: "Add an image, as it is now" },
      {
        name: "not-before",
        value: "TIME",
        help: "Start it no sooner: 23:30, 2026-11-17T09:00, or +30s, +10m, +2h, +1d from now",
        validate: (text) => (parseNotBefore(text, Date.now()) === null ? "not a time and not a span" : null),
      },
      { name: "new", help: "Queue it for a new thread in this folder" },
      {
        name: "name",
        value: "NAME",
        help: "Name the new thread",
        validate: (text) => (text.trim() === "" ? "a name must not be empty" : null),
      },
      {
        name: "id",
        value: "KEY",
        help: "Your own key: the same one again adds nothing, also when its turn has started",
      },
    ],
    examples: {
      "heddle queue add ID Run the tests again": "Say it when the thread is free",
      "git diff | heddle queue add ID -": "What comes in is the text",
      "heddle queue add 'nightly' --not-before +2h -- Tidy up": "To a thread by its name, later",
      "heddle queue add --new --name nightly --not-before 23:30 -- Run the tests": "A new thread, tonight",
    },
    run: (call) => addTurn({ ...call, findStoredThread: (word) => findQueue(call.store, word) }),
  },
  {
    name: "list",
    operands: "[THREAD]",
    summary: "Print what waits in a thread, or in all of them",
    details: "Of each turn: place, id, state, age and the first line; and what the queue waits for.",
    examples: { "heddle queue list --json": "Every queue of the home, for programs" },
    run: list,
  },
  {
    name: "rm",
    operands: "<THREAD> <ID>",
    summary: "Take a turn out of the queue",
    details: "Unblocks the queue where the deleted turn had failed.",
    examples: { "heddle queue rm ID 5f1c": "A part of the turn's id is enough" },
    run: remove,
  },
  {
    name: "mv",
    operands: "<THREAD> <ID> <POSITION>",
    summary: "Give a turn another place in its queue",
    examples: { "heddle queue mv ID 5f1c 1": "It is the next" },
    run: move,
  },
  {
    name: "pause",
    operands: "<THREAD>",
    summary: "Start nothing more of a queue until it is resumed, also after a restart",
    options: [
      {
        name: "reason",
        value: "TEXT",
        help: "The reason that clients show",
        validate: (text) => (isReason(text) ? null : `it may have ${MAX_REASON_LENGTH} characters`),
      },
    ],
    examples: { "heddle queue pause ID --reason 'wait for the release'": "With a reason" },
    run: pause,
  },
  {
    name: "resume",
    operands: "<THREAD>",
    summary: "Continue a paused queue",
    examples: { "heddle queue resume ID": "The first turn starts when the thread is free" },
    run: resume,
  },
  {
    name: "log",
    operands: "[THREAD]",
    summary: "Print queued turns that have started, the newest last",
    details:
      "Of each: when it started, how it ended, how long it took, its tokens, its thread and the first line.",
    options: [
      {
        name: "limit",
        value: "COUNT",
        help: `How many (default ${LOG_LENGTH})`,
        validate: (text) => (/^[1-9]\d{0,5}$/.test(text) ? null : "expected a number from 1 on"),
      },
    ],
    examples: {
      "heddle queue log": "What ran last night",
      "heddle queue log nightly --json": "For programs",
    },
    run: log,
  },
];

function toEntry({ options = [], examples, run, ...declared }: Subcommand): CommandEntry {
  return declareCommand({
    ...declared,
    options: [...options, jsonOption, ...globalOptions],
    examples: Object.entries(examples).map(([command, description]) => ({ command, description })),
    run: (args, chain) =>
      withHome(chain, async ({ store, values, createId }) => {
        const [thread, ...operands] = args.operands;
        const needsThread = thread !== undefined && declared.name !== "add";
        const threadId = needsThread ? await findQueue(store, thread) : "";
        const limits = { ...BYTE_LIMITS, maxRows: values.queue.max_per_thread };
        const call = { args, chain, store, queue: store.queue, limits, createId, report: createReport(args) };
        await run(call, threadId, operands);
        return 0;
      }),
  });
}

export const queueCommand: Command = {
  details: "Works whether or not a server runs.",
  options: globalOptions,
  subcommands: subcommands.map(toEntry),
  examples: [
    { command: "heddle queue add ID Run the tests again", description: "Say it when the thread is free" },
    { command: "heddle queue list", description: "What waits in all threads" },
  ],
};

async function findQueue({ threads, queue }: Store, word: string): Promise<string> {
  const found = await findStoredThread(threads, word, () => queue.threads());
  assertNotArchived(found);
  return found.threadId;
}

function createReport(args: ParsedArguments): QueueCall["report"] {
  const isJson = args.flag("json");
  return (text, object) =>
    void process.stdout.write(isJson ? `${JSON.stringify(object)}\n` : `${printableLines(text)}\n`);
}

async function log({ args, queue }: QueueCall, threadId: string): Promise<void> {
  const limit = Number(args.value("limit") ?? LOG_LENGTH);
  const rows = await queue.started({ limit, ...(threadId !== "" && { threadId }) });
  if (args.flag("json")) {
    process.stdout.write(`${JSON.stringify({ turns: rows.map(logToJson) }, null, 2)}\n`);
    return;
  }
  if (rows.length === 0) process.stderr.write("no queued turn has started\n");
  process.stdout.write(renderLog(rows.toReversed(), paintFor(process.stdout)));
}

async function list({ args, queue, store }: QueueCall, threadId: string): Promise<void> {
  const threadIds = threadId === "" ? await queue.threads() : [threadId];
  const views = async <T>(toShown: (row: QueueRow) => T): Promise<QueueView<T>[]> => {
    const found: QueueView<T>[] = [];
    for (const id of threadIds) {
      const read = await readQueue(queue, id, toShown);
      const [row] = (await queue.list(id, FIRST)).rows;
      const heldUpBy = holdReason({ row, pause: read.pause }, await readThreadState(store, id), Date.now());
      const view = { threadId: id, ...read, heldUpBy };
      if (threadId !== "" || view.rows.length > 0) found.push(view);
    }
    return found;
  };
  if (args.flag("json")) {
    const queues = (await views(rowToJson)).map(queueToJson);
    process.stdout.write(`${JSON.stringify({ queues }, null, 2)}\n`);
    return;
  }
  const shown = await views(toShownRow);
  if (shown.length === 0) process.stderr.write("nothing waits\n");
  const paint = paintFor(process.stdout);
  for (const view of shown) process.stdout.write(renderQueue(view, Date.now(), paint));
}

const FIRST = { offset: 0, limit: 1, maxBytes: 0, atLeast: 0, isOutline: true } as const;

async function remove(
  { queue, report }: QueueCall,
  threadId: string,
  [word = ""]: readonly string[],
): Promise<void> {
  const rowId = chooseRow(await queue.ids(threadId), word);
  if (!(await queue.remove(threadId, rowId)))
    throw new Error(`queued turn ${rowId} does not wait any more: it was started or taken out meanwhile`);
  report(`removed: ${rowId}`, { threadId, id: rowId });
}

async function move(
  { queue, report }: QueueCall,
  threadId: string,
  operands: readonly string[],
): Promise<void> {
  const [word = "", position = ""] = operands;
  if (!/^[1-9]\d{0,8}$/.test(position))
    throw new UsageError(`invalid position '${position}': it counts from 1`);
  const moved = await moveRow(queue, threadId, word, Number(position));
  report(`moved to ${moved.position}: ${moved.rowId}`, {
    threadId,
    id: moved.rowId,
    position: moved.position,
  });
}

async function pause({ args, queue, report }: QueueCall, threadId: string): Promise<void> {
  const reason = args.value("reason") ?? PAUSED;
  await queue.pause(threadId, reason);
  report(`paused: ${threadId}`, { threadId, pauseReason: reason });
}

async function resume({ queue, report }: QueueCall, threadId: string): Promise<void> {
  const resumed = await queue.resume(threadId);
  report(resumed ? `resumed: ${threadId}` : `was not paused: ${threadId}`, { threadId, resumed });
}
