import { resolve } from "node:path";
import type { StoredThread, ThreadStore } from "../../store/thread-store.ts";
import { type Command, type ParsedArguments, UsageError } from "../command-line/command.ts";
import { canPrompt, openPrompter, type Prompter } from "../command-line/confirm.ts";
import { paintFor } from "../command-line/paint.ts";
import { type ExecCall, readExecCall, type ThreadChoice } from "../exec/exec-call.ts";
import { resumeSpec } from "../exec/exec-options.ts";
import { runToEnd } from "../exec/run-to-end.ts";
import { assertNotArchived, findStoredThread } from "../home/find-stored-thread.ts";
import { withHome } from "../home/open-home.ts";
import { renderThreads, titleOf, toWireThread, USER_SOURCE_KINDS } from "../threads/list-threads.ts";

/** Interactive form of `heddle exec resume`: asks for the thread and the prompt, and never starts a new thread. */
export const resume: Command = {
  ...resumeSpec,
  details:
    "It is named by its id, the beginning of its id or its name; without one, the newest ones of this folder are shown to choose from. The prompt is asked for, too. One turn is run as `heddle exec` does; for conversations connect a client to `heddle serve`.",
  examples: [
    { command: "heddle resume", description: "Choose a thread of this folder, and say what to do" },
    { command: "heddle resume --last 'And now the docs'", description: "Go on with the newest one" },
    { command: "heddle resume 0199a213 -", description: "By the beginning of its id, prompt from stdin" },
  ],
  async run(args, chain) {
    const call = readExecCall("resume", args, chain);
    const { task } = call;
    if (task.kind !== "resume") throw new Error("resume was read as another command");
    const { thread, prompt } = await askFor(chain, task.choice, call);
    if (thread === null || prompt === "") return 1;
    const choice = { thread: thread.threadId, isLast: false, isAnyFolder: true };
    return runToEnd({ ...call, prompt, task: { ...task, choice } });
  },
};

/** Asks for what the command line leaves open, on a terminal. */
async function askFor(chain: readonly ParsedArguments[], choice: ThreadChoice, call: ExecCall) {
  const prompter = canPrompt() ? openPrompter() : null;
  try {
    const thread = await withHome(chain, ({ store }) => choose(store.threads, choice, call, prompter));
    if (thread === null) return { thread, prompt: null };
    assertNotArchived(thread);
    return { thread, prompt: call.prompt ?? (await prompter?.ask("What is to be done? ")) ?? null };
  } finally {
    prompter?.close();
  }
}

const MAX_SHOWN = 15;

/** Null where the user chose none. */
async function choose(
  threads: ThreadStore,
  { thread, isLast, isAnyFolder }: ThreadChoice,
  { folder }: ExecCall,
  prompter: Prompter | null,
): Promise<StoredThread | null> {
  if (thread !== null) return findStoredThread(threads, thread);
  if (!isLast && prompter === null) throw new UsageError("name a thread, or use --last");
  const cwd = resolve(folder ?? ".");
  const page = await threads.list({
    archived: false,
    sourceKinds: USER_SOURCE_KINDS,
    cwds: isAnyFolder ? null : [cwd],
    order: "updated_at",
    limit: isLast ? 1 : MAX_SHOWN,
  });
  if (page.kind === "refused") throw new Error(page.message);
  const [newest] = page.data;
  if (newest === undefined)
    throw new Error(`there is no thread${isAnyFolder ? "" : ` of ${cwd}; try --all`}`);
  return isLast || prompter === null ? newest : askForOne(page.data, prompter);
}

async function askForOne(found: readonly StoredThread[], prompter: Prompter): Promise<StoredThread | null> {
  const layout = { nowMs: Date.now(), columns: process.stderr.columns - 4, paint: paintFor(process.stderr) };
  const rows = found.map(toWireThread).map((thread) => ({ thread, description: titleOf(thread) }));
  for (const [at, row] of rows.entries())
    process.stderr.write(`${`${at + 1}`.padStart(2)}  ${renderThreads([row], layout)}`);
  const answer = await prompter.ask(`Which one? [1-${found.length}] `);
  if (answer === "") return null;
  const chosen = /^\d{1,3}$/.test(answer) ? found[Number(answer) - 1] : undefined;
  if (chosen === undefined)
    throw new Error(`'${answer.slice(0, 40)}' is not a number from 1 to ${found.length}`);
  return chosen;
}
