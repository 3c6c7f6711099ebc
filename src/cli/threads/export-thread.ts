/** `heddle threads export` writes a whole thread for programs, for people, or as a page. */
import { createWriteStream } from "node:fs";
import { homedir } from "node:os";
import { finished } from "node:stream/promises";
import { osErrorText } from "../../base/errors.ts";
import type { Turn } from "../../protocol/generated/types.ts";
import type { StoredThread } from "../../store/thread-store.ts";
import { type OptionSpec, UsageError } from "../command-line/command.ts";
import { createOutputWriter, type OutputWriter } from "../command-line/output-writer.ts";
import { toTerminalText } from "../command-line/terminal-text.ts";
import { findStoredThread } from "../home/find-stored-thread.ts";
import type { ExportFormat } from "./export-format.ts";
import { knownSecrets } from "./known-secrets.ts";
import { toWireThread } from "./list-threads.ts";
import { readTurns } from "./read-turns.ts";
import type { ThreadCall, ThreadCommand } from "./thread-command.ts";
import { storedHeadToMarkdown, turnToMarkdown } from "./thread-markdown.ts";
import { readNotes } from "./turn-notes.ts";

const FORMATS = ["jsonl", "markdown", "html"] as const;
type FormatName = (typeof FORMATS)[number];

const options: readonly OptionSpec[] = [
  { name: "format", value: "FORMAT", help: "How it is written (default jsonl)", choices: FORMATS },
  { name: "html", help: "Short for --format html" },
  { name: "output", short: "o", value: "FILE", help: "Write to a new file instead of stdout" },
];

export const exportThreadCommand: ThreadCommand = {
  name: "export",
  summary: "Write a whole thread as lines of JSON, as Markdown or as an HTML file",
  details: `The first line of JSON has the thread, and each line behind it a turn with all its items.

The HTML file contains no script and loads nothing; very long outputs are cut, and say so. Redacted in it are texts that look like secrets (tokens, keys, passwords in commands, headers and JSON), the secrets of your environment and configuration, and the path of your home folder. Names, paths, code and secrets without a known form are not: read it before you share it. JSON and Markdown have everything as it is stored.`,
  operands: "<THREAD>",
  options,
  examples: [
    { command: "heddle threads export ID > thread.jsonl", description: "For programs" },
    { command: "heddle threads export ID --format markdown -o thread.md", description: "For people" },
    { command: "heddle threads export ID --html -o thread.html", description: "For a browser" },
  ],
  run: runExport,
};

async function runExport(call: ThreadCall): Promise<number> {
  const { args, threads } = call;
  const format = formatOf(call);
  const stored = await findStoredThread(threads, args.operands[0] ?? "");
  const turns = readTurns(threads, stored.threadId, "asc");
  const form = await FORMS[format](stored, call);
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

function formatOf({ args }: ThreadCall): FormatName {
  const named = FORMATS.find((format) => format === args.value("format"));
  if (!args.flag("html")) return named ?? "jsonl";
  if (named !== undefined && named !== "html")
    throw new UsageError(`'--html' cannot be used with '--format ${named}'`);
  return "html";
}

const FORMS: Readonly<
  Record<FormatName, (stored: StoredThread, call: ThreadCall) => ExportFormat | Promise<ExportFormat>>
> = {
  jsonl: (stored) => ({
    head: `${JSON.stringify({ thread: toWireThread(stored) })}\n`,
    toText: (turn) => `${JSON.stringify({ turn })}\n`,
    end: () => "",
  }),
  async markdown(stored, { threads, decisions }) {
    const notes = await readNotes({ threads, decisions }, stored.threadId, null);
    return {
      head: storedHeadToMarkdown(stored),
      toText: (turn) => turnToMarkdown(turn, notes),
      end: () => "",
    };
  },
  async html(stored, { threads, decisions, config }) {
    const [{ createThreadHtml }, { createRedaction }] = await Promise.all([
      import("./thread-html.ts"),
      import("./redact-thread.ts"),
    ]);
    const secrets = knownSecrets({ env: process.env, config });
    return createThreadHtml(toWireThread(stored), stored.facts.tokenUsage?.total ?? null, {
      decisions,
      notes: await readNotes({ threads, decisions }, stored.threadId, null),
      redaction: createRedaction({ secrets, userHome: homedir() }),
    });
  },
};

/** Stops when the reader has closed the stream. */
async function writeAll(
  writer: OutputWriter,
  { head, toText, end }: ExportFormat,
  turns: AsyncIterable<Turn>,
): Promise<void> {
  if (!(await writer.write(head))) return;
  for await (const turn of turns) if (!(await writer.write(await toText(turn)))) return;
  await writer.write(end());
}
