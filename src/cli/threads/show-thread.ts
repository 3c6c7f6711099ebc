/** `heddle threads show` prints the newest turns of a thread. */
import type { Turn } from "../../protocol/generated/types.ts";
import { jsonOption, limitOption } from "../command-line/options.ts";
import { createOutputWriter } from "../command-line/output-writer.ts";
import { toTerminalText } from "../command-line/terminal-text.ts";
import { findStoredThread } from "../home/find-stored-thread.ts";
import { toWireThread } from "./list-threads.ts";
import { readTurns } from "./read-turns.ts";
import type { ThreadCommand } from "./thread-command.ts";
import { storedHeadToMarkdown, turnToMarkdown } from "./thread-markdown.ts";
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
      : toTerminalText(
          storedHeadToMarkdown(stored) + turns.map((turn) => turnToMarkdown(turn, notes)).join(""),
        );
    await createOutputWriter(process.stdout).write(text);
    return 0;
  },
};

function toJson({ tokens, openQuestions }: TurnNotes) {
  return { tokenUsageByTurn: Object.fromEntries(tokens), openQuestions };
}
