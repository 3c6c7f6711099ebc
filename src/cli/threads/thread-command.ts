/** The declaration of a thread subcommand, and its arguments. */
import type { ConfigValues } from "../../config/schema/config-schema.ts";
import type { ThreadWaiting } from "../../protocol/generated/types.ts";
import type { Decisions } from "../../store/decisions.ts";
import type { ThreadStore } from "../../store/thread-store.ts";
import type { Command, CommandEntry, ParsedArguments } from "../command-line/command.ts";

export interface ThreadCommand extends Pick<CommandEntry, "name" | "summary">, Omit<Command, "run"> {
  readonly run: (call: ThreadCall) => Promise<number>;
}

export interface ThreadCall {
  readonly args: ParsedArguments;
  readonly threads: ThreadStore;
  /** Returns the ids of threads with queued turns. */
  readonly queued: () => Promise<readonly string[]>;
  readonly decisions: Decisions;
  /** The values of the configuration. */
  readonly config: ConfigValues;
  /** The threads whose turns wait for an answer, or for the end of a usage limit. */
  readonly waiting: () => Promise<ReadonlyMap<string, ThreadWaiting>>;
  /** Whether to print JSON. */
  readonly isJson: boolean;
}
