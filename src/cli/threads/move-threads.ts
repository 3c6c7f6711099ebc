/** `heddle threads archive`, `unarchive`, `rename` and `delete`. A thread that a server has loaded cannot be moved. */
import type { StoreRefusal } from "../../store/refusal.ts";
import type { MoveOutcome, StoredThread, ThreadStore } from "../../store/thread-store.ts";
import { UsageError } from "../command-line/command.ts";
import { confirm } from "../command-line/confirm.ts";
import { jsonOption, yesOption } from "../command-line/options.ts";
import { paintFor } from "../command-line/paint.ts";
import { assertNotArchived, findStoredThread } from "../home/find-stored-thread.ts";
import { renderThreads, titleOf, toWireThread } from "./list-threads.ts";
import type { ThreadCall, ThreadCommand } from "./thread-command.ts";

export const archiveThreadsCommand: ThreadCommand = {
  name: "archive",
  summary: "Put threads away, with those that they have spawned",
  details: "Lists leave them out, and nothing of them is lost.",
  operands: "<THREAD...>",
  options: [jsonOption],
  examples: [{ command: "heddle threads archive ID", description: "Hidden from lists" }],
  run: (call) => moveAll(call, "archived", (threads, id) => threads.archive(id)),
};

export const unarchiveThreadsCommand: ThreadCommand = {
  name: "unarchive",
  summary: "Bring archived threads back",
  operands: "<THREAD...>",
  options: [jsonOption],
  examples: [{ command: "heddle threads unarchive ID", description: "It can be continued again" }],
  run: (call) => moveAll(call, "unarchived", (threads, id) => threads.unarchive(id)),
};

export const renameThreadCommand: ThreadCommand = {
  name: "rename",
  summary: "Give a thread a name",
  details: "Commands find it by that; a thread that a server has loaded can be renamed as well.",
  operands: "<THREAD> <NAME...>",
  options: [jsonOption],
  examples: [
    { command: "heddle threads rename ID nightly", description: "heddle queue add nightly finds it" },
  ],
  async run({ args, threads, queued, isJson }) {
    const [word = "", ...words] = args.operands;
    const name = words.join(" ").trim();
    if (name === "") throw new UsageError("a name must not be empty");
    const found = await findStoredThread(threads, word, queued);
    assertNotArchived(found);
    const { threadId } = found;
    const outcome = await threads.rename(threadId, name);
    if (outcome.kind === "refused")
      throw new Error(`thread ${threadId} was not renamed: ${explain(outcome)}`);
    process.stdout.write(isJson ? `${JSON.stringify({ threadId, name })}\n` : `renamed: ${threadId}\n`);
    return 0;
  },
};

export const deleteThreadsCommand: ThreadCommand = {
  name: "delete",
  summary: "Delete threads for good, with those that they have spawned",
  details: "It asks first. What waits in their queues is deleted as well.",
  operands: "<THREAD...>",
  options: [yesOption, jsonOption],
  examples: [
    { command: "heddle threads delete ID", description: "After a question" },
    { command: "heddle threads delete --yes ID", description: "Without one, as in scripts" },
  ],
  async run(call) {
    const found = await findAll(call);
    showAll(found);
    const question = `Delete ${found.length === 1 ? "this thread" : `these ${found.length} threads`} for good?`;
    if (!(await confirm(call.args, question, "nothing was deleted"))) return 1;
    return move(call, found, "deleted", (threads, id) => threads.delete(id));
  },
};

type Move = (threads: ThreadStore, threadId: string) => Promise<MoveOutcome>;

async function moveAll(call: ThreadCall, done: string, act: Move): Promise<number> {
  return move(call, await findAll(call), done, act);
}

/** Resolves all references before any thread is changed. */
async function findAll({ args, threads, queued }: ThreadCall): Promise<StoredThread[]> {
  const found = new Map<string, StoredThread>();
  for (const word of args.operands) {
    const thread = await findStoredThread(threads, word, queued);
    found.set(thread.threadId, thread);
  }
  return [...found.values()];
}

/** Written to stderr, so that stdout contains only the output for programs. */
function showAll(found: readonly StoredThread[]): void {
  const { columns } = process.stderr;
  const rows = found.map(toWireThread).map((thread) => ({ thread, description: titleOf(thread) }));
  process.stderr.write(renderThreads(rows, { nowMs: Date.now(), columns, paint: paintFor(process.stderr) }));
}

async function move(
  { threads, isJson }: ThreadCall,
  found: readonly StoredThread[],
  done: string,
  act: Move,
): Promise<number> {
  const threadIds: string[] = [];
  let code = 0;
  for (const { threadId } of found) {
    // A spawned thread was moved together with its parent.
    if (threadIds.includes(threadId)) continue;
    const outcome = await act(threads, threadId);
    if (outcome.kind === "done") threadIds.push(...outcome.threadIds);
    else {
      process.stderr.write(`Error: thread ${threadId} was not ${done}: ${explain(outcome)}\n`);
      code = 1;
    }
  }
  if (isJson) process.stdout.write(`${JSON.stringify({ threadIds })}\n`);
  else for (const id of threadIds) process.stdout.write(`${done}: ${id}\n`);
  return code;
}

function explain({ reason, message }: StoreRefusal): string {
  switch (reason) {
    case "activeWriter":
      return "a server has it loaded; let a client of that server do it, or end the server first";
    case "missing":
      return "it is archived, or gone";
    case "notArchived":
      return "it is not archived";
    case "referenced":
      return "a fork of it still needs its beginning; delete the fork first";
    default:
      return message;
  }
}
