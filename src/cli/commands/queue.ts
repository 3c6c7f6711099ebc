import { printable } from "../../base/printable.ts";
import { BYTE_LIMITS, explainFull, isReason, MAX_REASON_LENGTH } from "../../queue/queue-limits.ts";
import type { Queue, QueueLimits, QueueRow } from "../../store/queue.ts";
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
import { findThread, refuseArchived, type ThreadReader } from "../home/find-thread.ts";
import { withHome } from "../home/open-home.ts";
import { composeRow, parseNotBefore } from "../queue/compose-row.ts";
import { chooseRow, moveRow } from "../queue/move-row.ts";
import { readQueue } from "../queue/read-queue.ts";
import { type QueueView, queueToJson, renderQueue, rowToJson, toShownRow } from "../queue/render-queue.ts";

interface QueueCall {
  readonly given: ParsedArguments;
  readonly queue: Queue;
  readonly limits: QueueLimits;
  readonly createId: () => string;
  /** Says what was done: words for people, or an object for programs. */
  readonly say: (text: string, object: object) => void;
}

/** A subcommand; how it is called, helped and run all come from this. */
interface Subcommand extends Pick<CommandEntry, "name" | "summary">, Pick<CommandSpec, "details"> {
  readonly operands: string;
  /** Beside those that all have. */
  readonly options?: readonly OptionSpec[];
  /** What each of these does. */
  readonly examples: Readonly<Record<string, string>>;
  readonly run: (call: QueueCall, threadId: string, words: readonly string[]) => Promise<void>;
}

const PAUSED = "paused from the command line";

const subcommands: readonly Subcommand[] = [
  {
    name: "add",
    operands: "<THREAD> [TEXT...]",
    summary: "Put a turn at the end of a thread's queue",
    details:
      "A server that has the thread loaded starts it when the thread is free; otherwise it waits until one resumes the thread.",
    options: [
      { name: "image", short: "i", value: "FILE", repeat: true, help: "Add an image, as it is now" },
      {
        name: "not-before",
        value: "TIME",
        help: "Start it no sooner: 2026-11-17T09:00, or +30s, +10m, +2h, +1d from now",
        refuse: (text) => (parseNotBefore(text, Date.now()) === null ? "not a time and not a span" : null),
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
    },
    run: add,
  },
  {
    name: "list",
    operands: "[THREAD]",
    summary: "Print what waits in a thread, or in all of them",
    details: "Of each turn: place, id, state, age and the first line.",
    examples: { "heddle queue list --json": "Every queue of the home, for programs" },
    run: list,
  },
  {
    name: "rm",
    operands: "<THREAD> <ID>",
    summary: "Take a turn out of the queue",
    details: "Where a failed one blocked it, the queue goes on.",
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
        help: "What clients are told",
        refuse: (text) => (isReason(text) ? null : `it may have ${MAX_REASON_LENGTH} characters`),
      },
    ],
    examples: { "heddle queue pause ID --reason 'wait for the release'": "With a reason" },
    run: pause,
  },
  {
    name: "resume",
    operands: "<THREAD>",
    summary: "Let a paused queue go on",
    examples: { "heddle queue resume ID": "The first turn starts when the thread is free" },
    run: resume,
  },
];

function toEntry({ options = [], examples, run, ...declared }: Subcommand): CommandEntry {
  return declareCommand({
    ...declared,
    options: [...options, jsonOption, ...globalOptions],
    examples: Object.entries(examples).map(([command, says]) => ({ command, says })),
    run: (given, places) =>
      withHome(places, async ({ store, values, createId }) => {
        const [thread, ...words] = given.operands;
        const threadId = thread === undefined ? "" : await findQueue(store.threads, thread);
        const limits = { ...BYTE_LIMITS, maxRows: values.queue.max_per_thread };
        await run({ given, queue: store.queue, limits, createId, say: sayFor(given) }, threadId, words);
        return 0;
      }),
  });
}

export const queueCommand: Command = {
  details: "It makes no difference whether a server runs.",
  options: globalOptions,
  subcommands: subcommands.map(toEntry),
  examples: [
    { command: "heddle queue add ID Run the tests again", says: "Say it when the thread is free" },
    { command: "heddle queue list", says: "What waits in all threads" },
  ],
};

async function findQueue(threads: ThreadReader, word: string): Promise<string> {
  const found = await findThread(threads, word);
  refuseArchived(found);
  return found.threadId;
}

function sayFor(given: ParsedArguments): QueueCall["say"] {
  const isJson = given.flag("json");
  return (text, object) =>
    void process.stdout.write(isJson ? `${JSON.stringify(object)}\n` : `${printable(text)}\n`);
}

async function add(
  { given, queue, limits, createId, say }: QueueCall,
  threadId: string,
  text: readonly string[],
): Promise<void> {
  const notBefore = given.value("not-before");
  const row = await composeRow(
    {
      text,
      images: given.values("image"),
      key: given.value("id") ?? null,
      notBeforeMs: notBefore === undefined ? null : parseNotBefore(notBefore, Date.now()),
    },
    { cwd: process.cwd(), stdin: process.stdin, createId },
  );
  const outcome = await queue.add(threadId, row, limits);
  if (outcome.kind === "full") {
    const key = outcome.limit === "maxRows" ? " (queue.max_per_thread)" : "";
    throw new Error(`cannot queue for thread ${threadId}: ${explainFull(outcome, limits)}${key}`);
  }
  if (outcome.kind === "started") {
    const { rowId, turnId } = outcome.started;
    return say(`was started before, as turn ${turnId}: ${rowId}`, {
      threadId,
      isKnown: true,
      startedTurnId: turnId,
    });
  }
  const isKnown = outcome.kind === "known";
  say(`${isKnown ? "is queued already" : "queued"}: ${outcome.row.rowId}`, {
    threadId,
    isKnown,
    queuedTurn: rowToJson(outcome.row),
  });
}

async function list({ given, queue }: QueueCall, threadId: string): Promise<void> {
  const threadIds = threadId === "" ? await queue.threads() : [threadId];
  const views = async <T>(toShown: (row: QueueRow) => T): Promise<QueueView<T>[]> => {
    const found: QueueView<T>[] = [];
    for (const id of threadIds) {
      const view = { threadId: id, ...(await readQueue(queue, id, toShown)) };
      if (threadId !== "" || view.rows.length > 0) found.push(view);
    }
    return found;
  };
  if (given.flag("json")) {
    const queues = (await views(rowToJson)).map(queueToJson);
    process.stdout.write(`${JSON.stringify({ queues }, null, 2)}\n`);
    return;
  }
  const shown = await views(toShownRow);
  if (shown.length === 0) process.stderr.write("nothing waits\n");
  const paint = paintFor(process.stdout);
  for (const view of shown) process.stdout.write(renderQueue(view, Date.now(), paint));
}

async function remove(
  { queue, say }: QueueCall,
  threadId: string,
  [word = ""]: readonly string[],
): Promise<void> {
  const rowId = chooseRow(await queue.ids(threadId), word);
  if (!(await queue.remove(threadId, rowId)))
    throw new Error(`queued turn ${rowId} does not wait any more: it was started or taken out meanwhile`);
  say(`removed: ${rowId}`, { threadId, id: rowId });
}

async function move({ queue, say }: QueueCall, threadId: string, words: readonly string[]): Promise<void> {
  const [word = "", place = ""] = words;
  if (!/^[1-9]\d{0,8}$/.test(place)) throw new UsageError(`invalid position '${place}': it counts from 1`);
  const moved = await moveRow(queue, threadId, word, Number(place));
  say(`moved to ${moved.position}: ${moved.rowId}`, { threadId, id: moved.rowId, position: moved.position });
}

async function pause({ given, queue, say }: QueueCall, threadId: string): Promise<void> {
  const reason = given.value("reason") ?? PAUSED;
  await queue.pause(threadId, reason);
  say(`paused: ${threadId}`, { threadId, pauseReason: reason });
}

async function resume({ queue, say }: QueueCall, threadId: string): Promise<void> {
  const resumed = await queue.resume(threadId);
  say(resumed ? `resumed: ${threadId}` : `was not paused: ${threadId}`, { threadId, resumed });
}
