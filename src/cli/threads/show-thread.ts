/** `heddle threads show` and `export` print the content of a thread. */
import { createWriteStream } from "node:fs";
import { finished } from "node:stream/promises";
import { osErrorText } from "../../base/errors.ts";
import type { SortDirection, Turn } from "../../protocol/generated/types.ts";
import type { StoredThread, ThreadStore } from "../../store/thread-store.ts";
import type { OptionSpec } from "../command-line/command.ts";
import { jsonOption, limitOption } from "../command-line/options.ts";
import { createOutputWriter, type OutputWriter } from "../command-line/output-writer.ts";
import { toTerminalText } from "../command-line/terminal-text.ts";
import { findStoredThread } from "../home/find-stored-thread.ts";
import { toWireThread } from "./list-threads.ts";
import type { ThreadCall, ThreadCommand } from "./thread-command.ts";
import { headToMarkdown, turnToMarkdown } from "./thread-markdown.ts";
import { readNotes, type TurnNotes } from "./turn-notes.ts";

const DEFAULT_TURNS = 5;
const MAX_TURNS = 1000;

export const showThreadCommand: ThreadCommand = {
  name: "show",
  summary: "Print a thread with its newest turns",
  details:
    "Text on a terminal, JSON elsewhere: what was said and done, what hooks said, what is asked and not answered, when, and how many tokens it took.",
  operands: "<THREAD>",
  options: [limitOption(DEFAULT_TURNS, MAX_TURNS), jsonOption],
  examples: [
    { command: "heddle threads show 0199a213", description: "A thread by the beginning of its id" },
    { command: "heddle threads show nightly --limit 1", description: "What was done last, by its name" },
  ],
  async run({ args, threads, decisions, isJson }) {
    const stored = await findStoredThread(threads, args.operands[0] ?? "");
    const limit = Number(args.value("limit") ?? DEFAULT_TURNS);
    const turns: Turn[] = [];
    for await (const turn of readTurns(threads, stored.threadId, "desc")) {
      turns.unshift(turn);
      if (turns.length === limit) break;
    }
    const thread = toWireThread(stored);
    const notes = await readNotes({ threads, decisions }, stored.threadId, turns[0]?.id ?? null);
    const text = isJson
      ? `${JSON.stringify({ thread, archived: stored.archived, turns, ...toJson(notes) }, null, 2)}\n`
      : toTerminalText(headOf(stored) + turns.map((turn) => turnToMarkdown(turn, notes)).join(""));
    await createOutputWriter(process.stdout).write(text);
    return 0;
  },
};

function toJson({ tokens, openQuestions }: TurnNotes) {
  return { tokenUsageByTurn: Object.fromEntries(tokens), openQuestions };
}

function headOf(stored: StoredThread): string {
  return headToMarkdown(toWireThread(stored), stored.facts.tokenUsage?.total ?? null);
}

const FORMATS = ["jsonl", "markdown"] as const;

const exportOptions: readonly OptionSpec[] = [
  { name: "format", value: "FORMAT", help: "How it is written (default jsonl)", choices: FORMATS },
  { name: "output", short: "o", value: "FILE", help: "Write to a new file instead of stdout" },
];

export const exportThreadCommand: ThreadCommand = {
  name: "export",
  summary: "Write a whole thread as lines of JSON or as Markdown",
  details: "The first line of JSON has the thread, and each line behind it a turn with all its items.",
  operands: "<THREAD>",
  options: exportOptions,
  examples: [
    { command: "heddle threads export ID > thread.jsonl", description: "For programs" },
    { command: "heddle threads export ID --format markdown -o thread.md", description: "For people" },
  ],
  run: runExport,
};

async function runExport({ args, threads, decisions }: ThreadCall): Promise<number> {
  const stored = await findStoredThread(threads, args.operands[0] ?? "");
  const turns = readTurns(threads, stored.threadId, "asc");
  const isMarkdown = args.value("format") === "markdown";
  const form = isMarkdown
    ? toMarkdown(stored, await readNotes({ threads, decisions }, stored.threadId, null))
    : toLines(stored);
  const file = args.value("output");
  if (file === undefined) {
    const isScreen = process.stdout.isTTY;
    const writer = createOutputWriter(process.stdout);
    const readable: OutputWriter = { write: (text) => writer.write(toTerminalText(text)) };
    await writeAll(isScreen ? readable : writer, form, turns);
    return 0;
  }
  const stream = createWriteStream(file, { flags: "wx" });
  // The error is reported after the last write.
  const done = finished(stream).catch((error: unknown) => {
    throw new Error(`cannot write ${file}: ${osErrorText(error)}`, { cause: error });
  });
  done.catch(() => {});
  await writeAll(createOutputWriter(stream), form, turns);
  stream.end();
  await done;
  return 0;
}

/** An export format: the text of the head and of each turn. */
interface ExportFormat {
  readonly head: string;
  toText(turn: Turn): string;
}

function toLines(stored: StoredThread): ExportFormat {
  return {
    head: `${JSON.stringify({ thread: toWireThread(stored) })}\n`,
    toText: (turn) => `${JSON.stringify({ turn })}\n`,
  };
}

function toMarkdown(stored: StoredThread, notes: TurnNotes): ExportFormat {
  return { head: headOf(stored), toText: (turn) => turnToMarkdown(turn, notes) };
}

/** Stops when the reader has closed the stream. */
async function writeAll(
  writer: OutputWriter,
  { head, toText }: ExportFormat,
  turns: AsyncIterable<Turn>,
): Promise<void> {
  if (!(await writer.write(head))) return;
  for await (const turn of turns) if (!(await writer.write(toText(turn)))) return;
}

/** The page size: turns may be large, so few are held at once. */
const TURNS_PER_PAGE = 10;

/** Reads the turns of a thread with all their items; throws where they cannot be read. */
async function* readTurns(
  threads: Pick<ThreadStore, "turns">,
  threadId: string,
  direction: SortDirection,
): AsyncGenerator<Turn> {
  let cursor: string | null = null;
  do {
    const page = await threads.turns(threadId, {
      direction,
      itemsView: "full",
      limit: TURNS_PER_PAGE,
      cursor,
    });
    if (page.kind === "refused") throw new Error(page.message);
    yield* page.data;
    cursor = page.nextCursor;
  } while (cursor !== null);
}
