import type { Command, CommandEntry, ParsedArguments } from "../command-line/command.ts";

/** The declaration of a lifecycle command. Errors are reported as JSON, because programs read them. */
export interface LifecycleCommand extends Pick<CommandEntry, "name" | "summary">, Omit<Command, "run"> {
  readonly run: (args: ParsedArguments) => number | Promise<number>;
}

/** The exit code for an invalid command line or input. */
export const INVALID = 2;
/** The exit code for valid input that the harness cannot express. */
export const UNSUPPORTED = 3;

/** An error of a lifecycle command, which is reported as one line of JSON on stderr with an exit code. */
export class LifecycleFault extends Error {
  readonly kind: string;
  readonly detail: unknown;
  readonly exitCode: number;

  constructor(exitCode: number, kind: string, detail: unknown) {
    super(kind);
    this.exitCode = exitCode;
    this.kind = kind;
    this.detail = detail;
  }
}

export function writeReport(kind: string, detail: unknown): void {
  process.stderr.write(`${JSON.stringify({ kind, detail })}\n`);
}
