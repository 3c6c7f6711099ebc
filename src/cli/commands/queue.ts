import { homedir } from "node:os";
import { printable } from "../../base/printable.ts";
import {
  type Command,
  type CommandSpec,
  type ParsedArguments,
  parseArguments,
  renderHelp,
  UsageError,
} from "../command-line/arguments.ts";
import { globalOptions, readGlobalSettings } from "../command-line/options.ts";
import { paintFor } from "../command-line/paint.ts";
import { composeRow, parseNotBefore } from "../queue/compose-row.ts";
import { chooseRow, listAll, moveRow } from "../queue/move-row.ts";
import { findThread, type OpenQueue, openQueue } from "../queue/open-queue.ts";
import { type QueueView, queueToJson, renderQueue, rowToJson } from "../queue/render-queue.ts";

interface QueueCall {
  readonly given: ParsedArguments;
  readonly home: OpenQueue;
  /** Says what was done: words for people, or an object for programs. */
  readonly say: (text: string, object: object) => void;
}

type Subcommand = Omit<CommandSpec, "name"> & {
  /** How many words it takes, at least and at most. */
  readonly words: readonly [number, number];
  readonly run: (call: QueueCall, threadId: string, words: readonly string[]) => Promise<void>;
};

const shared = [{ name: "json", help: "Print JSON, for programs" }, ...globalOptions];
const PAUSED = "paused from the command line";

const subcommands: Readonly<Record<string, Subcommand>> = {
  add: {
    summary:
      "Put a turn at the end of a thread's queue. A server that has the thread loaded starts it when the thread is free; otherwise it waits until one resumes the thread.",
    operands: "<THREAD> <TEXT...>",
    options: [
      { name: "image", short: "i", value: "FILE", repeat: true, help: "Add an image, as it is now" },
      {
        name: "not-before",
        value: "TIME",
        help: "Start it no sooner: 2026-11-17T09:00, or +30s, +10m, +2h, +1d from now",
        refuse: (text) => (parseNotBefore(text, Date.now()) === null ? "not a time and not a span" : null),
      },
      { name: "id", value: "KEY", help: "Your own key: the same one again adds nothing while it waits" },
      ...shared,
    ],
    examples: [
      { command: "heddle queue add ID Run the tests again", says: "Say it when the thread is free" },
      { command: "git diff | heddle queue add ID -", says: "What comes in is the text" },
      {
        command: "heddle queue add 'nightly' --not-before +2h -- Tidy up",
        says: "To a thread by its name, later",
      },
    ],
    words: [1, Number.POSITIVE_INFINITY],
    run: add,
  },
  list: {
    summary: "Print what waits: place, id, state, age and the first line. Without a thread: of all threads.",
    operands: "[THREAD]",
    options: shared,
    examples: [{ command: "heddle queue list --json", says: "Every queue of the home, for programs" }],
    words: [0, 1],
    run: list,
  },
  rm: {
    summary: "Take a turn out of the queue; where a failed one blocked it, the queue goes on.",
    operands: "<THREAD> <ID>",
    options: shared,
    examples: [{ command: "heddle queue rm ID 5f1c", says: "A part of the turn's id is enough" }],
    words: [2, 2],
    run: remove,
  },
  mv: {
    summary: "Give a turn another place in its queue.",
    operands: "<THREAD> <ID> <POSITION>",
    options: shared,
    examples: [{ command: "heddle queue mv ID 5f1c 1", says: "It is the next" }],
    words: [3, 3],
    run: move,
  },
  pause: {
    summary: "Start nothing more of a queue, also after a restart, until it is resumed.",
    operands: "<THREAD>",
    options: [{ name: "reason", value: "TEXT", help: "What clients are told" }, ...shared],
    examples: [{ command: "heddle queue pause ID --reason 'wait for the release'", says: "With a reason" }],
    words: [1, 1],
    run: pause,
  },
  resume: {
    summary: "Let a paused queue go on.",
    operands: "<THREAD>",
    options: shared,
    examples: [{ command: "heddle queue resume ID", says: "The first turn starts when the thread is free" }],
    words: [1, 1],
    run: resume,
  },
};

export const queue: Command = {
  spec: {
    name: "heddle queue",
    summary: "Queue turns for threads, whether a server runs or not, and look at what waits.",
    options: [...globalOptions],
    subcommands: Object.entries(subcommands).map(([name, { summary }]) => ({ name, summary })),
    examples: [
      ...(subcommands["add"]?.examples ?? []),
      { command: "heddle queue list", says: "What waits in all threads" },
    ],
  },
  async run(own, program) {
    const name = own.subcommand;
    const chosen = name === null ? undefined : subcommands[name];
    if (chosen === undefined) {
      process.stderr.write(renderHelp(queue.spec));
      return 2;
    }
    const spec = { ...chosen, name: `heddle queue ${name}` };
    const given = parseArguments(spec, own.rest);
    if (given.wantsHelp) {
      process.stdout.write(renderHelp(spec));
      return 0;
    }
    const [least, most] = chosen.words;
    const { length } = given.operands;
    if (length < least || length > most) throw new UsageError(`${spec.name} takes ${spec.operands}`);
    const settings = readGlobalSettings(program, own, given);
    const home = await openQueue({ ...settings, env: process.env, cwd: process.cwd(), userHome: homedir() });
    try {
      const [thread, ...words] = given.operands;
      const threadId = thread === undefined ? "" : await findThread(home.threads, thread);
      await chosen.run({ given, home, say: sayFor(given) }, threadId, words);
    } finally {
      await home.close();
    }
    return 0;
  },
};

function sayFor(given: ParsedArguments): QueueCall["say"] {
  const isJson = given.flag("json");
  return (text, object) =>
    void process.stdout.write(isJson ? `${JSON.stringify(object)}\n` : `${printable(text)}\n`);
}

async function add(
  { given, home, say }: QueueCall,
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
    { cwd: process.cwd(), stdin: process.stdin, createId: home.createId },
  );
  const outcome = await home.queue.add(threadId, row, home.maxRows);
  if (outcome.kind === "full")
    throw new Error(
      `the queue of thread ${threadId} is full: ${home.maxRows} turns may wait (queue.max_per_thread)`,
    );
  const isKnown = outcome.kind === "known";
  say(`${isKnown ? "is queued already" : "queued"}: ${outcome.row.rowId}`, {
    threadId,
    isKnown,
    queuedTurn: rowToJson(outcome.row),
  });
}

async function list({ given, home }: QueueCall, threadId: string): Promise<void> {
  const ids = threadId === "" ? await home.queue.threads() : [threadId];
  const views: QueueView[] = [];
  for (const id of ids) {
    const { rows, pause: reason } = await listAll(home.queue, id);
    if (threadId !== "" || rows.length > 0) views.push({ threadId: id, rows, pause: reason });
  }
  if (given.flag("json")) {
    process.stdout.write(`${JSON.stringify({ queues: views.map(queueToJson) }, null, 2)}\n`);
    return;
  }
  if (views.length === 0) process.stderr.write("nothing waits\n");
  const paint = paintFor(process.stdout);
  for (const view of views) process.stdout.write(renderQueue(view, Date.now(), paint));
}

async function remove(
  { home, say }: QueueCall,
  threadId: string,
  [word = ""]: readonly string[],
): Promise<void> {
  const { rowId } = chooseRow((await listAll(home.queue, threadId)).rows, word);
  if (!(await home.queue.remove(threadId, rowId)))
    throw new Error(`queued turn ${rowId} does not wait any more: it was started or taken out meanwhile`);
  say(`removed: ${rowId}`, { threadId, id: rowId });
}

async function move({ home, say }: QueueCall, threadId: string, words: readonly string[]): Promise<void> {
  const [word = "", place = ""] = words;
  if (!/^[1-9]\d{0,8}$/.test(place)) throw new UsageError(`invalid position '${place}': it counts from 1`);
  const moved = await moveRow(home.queue, threadId, word, Number(place));
  say(`moved to ${moved.position}: ${moved.rowId}`, { threadId, id: moved.rowId, position: moved.position });
}

async function pause({ given, home, say }: QueueCall, threadId: string): Promise<void> {
  const reason = given.value("reason") ?? PAUSED;
  await home.queue.pause(threadId, reason);
  say(`paused: ${threadId}`, { threadId, pauseReason: reason });
}

async function resume({ home, say }: QueueCall, threadId: string): Promise<void> {
  const resumed = await home.queue.resume(threadId);
  say(resumed ? `resumed: ${threadId}` : `was not paused: ${threadId}`, { threadId, resumed });
}
