import type { Command, CommandEntry, ParsedArguments } from "../command-line/command.ts";

/** How a command of the lifecycle is declared. Whatever goes wrong is told to programs. */
export interface LifecycleCommand extends Pick<CommandEntry, "name" | "summary">, Omit<Command, "run"> {
  readonly run: (args: ParsedArguments) => number | Promise<number>;
}
