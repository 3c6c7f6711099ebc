/** `heddle threads show` and `export`: what was said and done in a thread. */
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { osErrorText } from "../../base/errors.ts";
import type { Thread, Turn } from "../../protocol/generated/types.ts";
import type { OptionSpec } from "../command-line/command.ts";
import { jsonOption, limitOption } from "../command-line/options.ts";
import { createOutlet, type Outlet } from "../command-line/outlet.ts";
import { toReadable } from "../command-line/readable.ts";
import { findThread } from "../home/find-thread.ts";
import { toShown } from "./list-threads.ts";
import { readTurns } from "./read-turns.ts";
import type { ThreadCall, ThreadCommand } from "./thread-command.ts";
import { headToMarkdown, turnToMarkdown } from "./thread-markdown.ts";

const DEFAULT_TURNS = 5;
const MOST_TURNS = 1000;

export const showThread: ThreadCommand = {
  name: "show",
  summary: "Print a thread with its newest turns",
  details: "Text on a terminal, JSON elsewhere.",
  operands: "<THREAD>",
  options: [limitOption(DEFAULT_TURNS, MOST_TURNS), jsonOption],
  examples: [
    { command: "heddle threads show 0199a213", says: "A thread by the beginning of its id" },
    { command: "heddle threads show nightly --limit 1", says: "What was done last, by its name" },
  ],
  async run({ given, threads, isJson }) {
    const stored = await findThread(threads, given.operands[0] ?? "");
    const limit = Number(given.value("limit") ?? DEFAULT_TURNS);
    const turns: Turn[] = [];
    for await (const turn of readTurns(threads, stored.threadId, "desc")) {
      turns.unshift(turn);
      if (turns.length === limit) break;
    }
    const thread = toShown(stored);
    const text = isJson
      ? `${JSON.stringify({ thread, archived: stored.archived, turns }, null, 2)}\n`
      : toReadable(headToMarkdown(thread) + turns.map(turnToMarkdown).join(""));
    await createOutlet(process.stdout).write(text);
    return 0;
  },
};

const FORMATS = ["jsonl", "markdown"] as const;

const exportOptions: readonly OptionSpec[] = [
  { name: "format", value: "FORMAT", help: "How it is written (default jsonl)", choices: FORMATS },
  { name: "output", short: "o", value: "FILE", help: "Write to a new file instead of stdout" },
];

export const exportThread: ThreadCommand = {
  name: "export",
  summary: "Write a whole thread as lines of JSON or as Markdown",
  details: "The first line of JSON has the thread, and each line behind it a turn with all its items.",
  operands: "<THREAD>",
  options: exportOptions,
  examples: [
    { command: "heddle threads export ID > thread.jsonl", says: "For programs" },
    { command: "heddle threads export ID --format markdown -o thread.md", says: "For people" },
  ],
  run: runExport,
};

async function runExport({ given, threads }: ThreadCall): Promise<number> {
  const stored = await findThread(threads, given.operands[0] ?? "");
  const turns = readTurns(threads, stored.threadId, "asc");
  const write = given.value("format") === "markdown" ? writeMarkdown : writeLines;
  const file = given.value("output");
  if (file === undefined) {
    const isScreen = process.stdout.isTTY;
    const outlet = createOutlet(process.stdout);
    const readable: Outlet = { write: (text) => outlet.write(toReadable(text)) };
    await write(isScreen ? readable : outlet, toShown(stored), turns);
    return 0;
  }
  const stream = createWriteStream(file, { flags: "wx" });
  // Whatever goes wrong is told when the file is complete.
  const done = finished(stream).catch((error: unknown) => {
    throw new Error(`cannot write ${file}: ${osErrorText(error)}`, { cause: error });
  });
  done.catch(() => {});
  await write(createOutlet(stream), toShown(stored), turns);
  stream.end();
  await done;
  return 0;
}

type WriteThread = (outlet: Outlet, thread: Thread, turns: AsyncIterable<Turn>) => Promise<void>;

const writeLines: WriteThread = (outlet, thread, turns) =>
  writeAll(outlet, `${JSON.stringify({ thread })}\n`, turns, (turn) => `${JSON.stringify({ turn })}\n`);

const writeMarkdown: WriteThread = (outlet, thread, turns) =>
  writeAll(outlet, headToMarkdown(thread), turns, turnToMarkdown);

/** Ends where nobody reads on. */
async function writeAll(
  outlet: Outlet,
  head: string,
  turns: AsyncIterable<Turn>,
  toText: (turn: Turn) => string,
): Promise<void> {
  if (!(await outlet.write(head))) return;
  for await (const turn of turns) if (!(await outlet.write(toText(turn)))) return;
}
