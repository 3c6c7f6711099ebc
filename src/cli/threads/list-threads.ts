/** `heddle threads list` and `search`: a page of threads, as a table or in the wire format. */
import { resolve } from "node:path";
import type { Thread, ThreadSourceKind } from "../../protocol/generated/types.ts";
import { showStored, withWaiting } from "../../server/handlers/stored-threads.ts";
import type { StoredThread, ThreadListQuery } from "../../store/thread-store.ts";
import type { OptionSpec, ParsedArguments } from "../command-line/command.ts";
import { jsonOption, limitOption } from "../command-line/options.ts";
import { type Paint, paintFor } from "../command-line/paint.ts";
import { clip, formatAge } from "../command-line/terminal-text.ts";
import type { ThreadCommand } from "./thread-command.ts";

const DEFAULT_LIMIT = 25;
const MAX_LIMIT = 1000;

/** The sources of threads that users have started. */
export const USER_SOURCE_KINDS: readonly ThreadSourceKind[] = [
  "cli",
  "vscode",
  "exec",
  "appServer",
  "unknown",
];

const pageOptions: readonly OptionSpec[] = [
  limitOption(DEFAULT_LIMIT, MAX_LIMIT),
  { name: "cursor", value: "CURSOR", help: "Continue after an earlier page: its nextCursor" },
  { name: "archived", help: "List archived threads" },
  { name: "all", help: "Include threads that agents have started" },
  jsonOption,
];

export const listThreadsCommand: ThreadCommand = {
  name: "list",
  summary: "Print the threads of the home, the newest first",
  details: "A table on a terminal, JSON elsewhere.",
  options: [{ name: "cwd", value: "DIR", help: "Only threads of this folder" }, ...pageOptions],
  examples: [
    { command: "heddle threads list --cwd .", description: "The newest threads of this folder" },
    { command: "heddle threads list --limit 100 | jq -r '.data[].id'", description: "For programs" },
  ],
  async run({ args, threads, waiting, isJson }) {
    const folder = args.value("cwd");
    const query = { ...toQuery(args), cwds: folder === undefined ? null : [resolve(folder)] };
    const page = await threads.list(query);
    if (page.kind === "refused") throw new Error(page.message);
    const waits = await waiting();
    const data = page.data.map((thread) => withWaiting(toWireThread(thread), waits));
    print(args, isJson, { data, nextCursor: page.nextCursor }, (thread) => waitOf(thread) + titleOf(thread));
    return 0;
  },
};

export const searchThreadsCommand: ThreadCommand = {
  name: "search",
  summary: "Print the threads that contain a text",
  details: "A table on a terminal, JSON elsewhere.",
  operands: "<TERM>",
  options: pageOptions,
  examples: [
    { command: "heddle threads search 'race condition'", description: "The threads that mention it" },
  ],
  async run({ args, threads, isJson }) {
    const page = await threads.search(args.operands[0] ?? "", toQuery(args));
    if (page.kind === "refused") throw new Error(page.message);
    const data = page.data.map(({ thread, snippet }) => ({ ...toWireThread(thread), snippet }));
    print(args, isJson, { data, nextCursor: page.nextCursor }, ({ snippet }) => snippet);
    return 0;
  },
};

function toQuery(args: ParsedArguments): ThreadListQuery {
  return {
    archived: args.flag("archived"),
    sourceKinds: args.flag("all") ? null : USER_SOURCE_KINDS,
    order: "updated_at",
    cursor: args.value("cursor") ?? null,
    limit: Number(args.value("limit") ?? DEFAULT_LIMIT),
  };
}

/** The wire format; the thread counts as not loaded, because this process cannot know. */
export function toWireThread(thread: StoredThread): Thread {
  return showStored({ find: () => undefined }, thread);
}

function print<T extends Thread>(
  args: ParsedArguments,
  isJson: boolean,
  page: { readonly data: readonly T[]; readonly nextCursor: string | null },
  description: (thread: T) => string,
): void {
  if (isJson) {
    process.stdout.write(`${JSON.stringify(page, null, 2)}\n`);
    return;
  }
  const { data, nextCursor } = page;
  if (data.length === 0)
    process.stderr.write(args.flag("archived") ? "no thread is archived\n" : "no threads\n");
  const layout = { nowMs: Date.now(), columns: process.stdout.columns, paint: paintFor(process.stdout) };
  process.stdout.write(
    renderThreads(
      data.map((thread) => ({ thread, description: description(thread) })),
      layout,
    ),
  );
  if (nextCursor !== null) process.stderr.write("there are more: use --limit or --cursor\n");
}

export interface ThreadListLayout {
  readonly nowMs: number;
  readonly columns: number | undefined;
  readonly paint: Paint;
}

const MAX_FOLDER_WIDTH = 24;
const MIN_TEXT_WIDTH = 20;

/** One line per thread: id, age, folder and description. All but the id are untrusted text and are clipped. */
export function renderThreads(
  rows: readonly { readonly thread: Thread; readonly description: string }[],
  { nowMs, columns = 120, paint }: ThreadListLayout,
): string {
  const folders = rows.map(({ thread }) => shorten(thread.cwd));
  const width = Math.max(0, ...folders.map(({ length }) => length));
  return rows
    .map(({ thread, description }, at) => {
      const age = formatAge(nowMs - thread.updatedAt * 1000).padStart(4);
      const used = thread.id.length + age.length + width + 7;
      const text = clip(description.replaceAll(/\s+/g, " ").trim(), Math.max(MIN_TEXT_WIDTH, columns - used));
      return `${clip(thread.id, 36)}  ${paint.faint(age)}  ${(folders[at] ?? "").padEnd(width)}  ${text}\n`;
    })
    .join("");
}

/** Keeps the end of a long path, which is more specific than its beginning. */
function shorten(folder: string): string {
  return folder.length <= MAX_FOLDER_WIDTH
    ? clip(folder, MAX_FOLDER_WIDTH)
    : `…${clip(folder.slice(1 - MAX_FOLDER_WIDTH), MAX_FOLDER_WIDTH)}`;
}

/** The reason why the turn of a thread waits, in front of its title. */
export function waitOf({ waiting }: Thread): string {
  if (waiting == null) return "";
  const reason = waiting.reason === "question" ? "waits for an answer" : "waits for the end of a usage limit";
  return `[${reason} until ${new Date(waiting.until * 1000).toISOString()}] `;
}

export function titleOf({ name, preview }: Thread): string {
  return name ?? preview;
}
