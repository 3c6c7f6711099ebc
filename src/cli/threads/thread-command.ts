/** How a command about threads is declared, and what it is given. */
import type { Decisions } from "../../store/decisions.ts";
import type { ThreadStore } from "../../store/thread-store.ts";
import type { Command, CommandEntry, ParsedArguments } from "../command-line/command.ts";

export interface ThreadCommand extends Pick<CommandEntry, "name" | "summary">, Omit<Command, "run"> {
  readonly run: (call: ThreadCall) => Promise<number>;
}

export interface ThreadCall {
  readonly args: ParsedArguments;
  readonly threads: ThreadStore;
  /** Threads in which turns wait. */
  readonly queued: () => Promise<readonly string[]>;
  readonly decisions: Decisions;
  /** Whether programs read what is printed. */
  readonly isJson: boolean;
}
