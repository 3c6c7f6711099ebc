import { findWaitingThreads } from "../../runtime/waits/limited-threads.ts";
import { type Command, type CommandEntry, declareCommand } from "../command-line/command.ts";
import { globalOptions } from "../command-line/options.ts";
import { withHome } from "../home/open-home.ts";
import { exportThreadCommand } from "../threads/export-thread.ts";
import { listThreadsCommand, searchThreadsCommand } from "../threads/list-threads.ts";
import {
  archiveThreadsCommand,
  deleteThreadsCommand,
  renameThreadCommand,
  unarchiveThreadsCommand,
} from "../threads/move-threads.ts";
import { showThreadCommand } from "../threads/show-thread.ts";
import type { ThreadCommand } from "../threads/thread-command.ts";
import { wakeTokenCommand } from "../threads/wake-tokens.ts";

function toEntry({ run, options, ...declared }: ThreadCommand): CommandEntry {
  return declareCommand({
    ...declared,
    options: [...options, ...globalOptions],
    run: (args, chain) =>
      withHome(chain, ({ store, values }) => {
        const isJson = args.flag("json") || !process.stdout.isTTY;
        const { threads, decisions, queue, waits } = store;
        const waiting = () => findWaitingThreads({ decisions, waits }, values.approvals.timeout_sec * 1000);
        const queued = () => queue.threads();
        return run({ args, threads, decisions, config: values, waiting, queued, isJson });
      }),
  });
}

export const threads: Command = {
  details: "A thread is named by its id, the beginning of its id, or its name.",
  options: globalOptions,
  subcommands: [
    ...[
      listThreadsCommand,
      searchThreadsCommand,
      showThreadCommand,
      exportThreadCommand,
      archiveThreadsCommand,
      unarchiveThreadsCommand,
      renameThreadCommand,
      deleteThreadsCommand,
    ].map(toEntry),
    wakeTokenCommand,
  ],
  examples: [
    { command: "heddle threads list", description: "The newest ones" },
    { command: "heddle threads export ID --format markdown", description: "A whole thread, to read" },
  ],
};
