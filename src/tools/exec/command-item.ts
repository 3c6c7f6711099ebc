/** The item under which a command shows, at its start and at its end; secrets in its words do not. */
import { redactCommand, redactWords } from "../../base/redact-secrets.ts";
import { joinWords } from "../../base/shlex.ts";
import type { CommandItem } from "../permission.ts";
import { commandActions } from "./actions/command-actions.ts";

interface CommandIdentity {
  readonly id: string;
  /** What the model or the user asked for, before any wrapping. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly source: CommandItem["source"];
  readonly processId: number | null;
}

export function beginCommandItem({ id, argv, cwd, source, processId }: CommandIdentity): CommandItem {
  return {
    type: "commandExecution",
    id,
    pluginId: null,
    scriptPath: null,
    command: joinWords(redactWords(argv)),
    cwd,
    processId: processId === null ? null : String(processId),
    source,
    status: "inProgress",
    commandActions: commandActions(argv, cwd).map(redactCommand),
    aggregatedOutput: null,
    exitCode: null,
    durationMs: null,
  };
}

interface CommandEnd {
  readonly output: string;
  readonly exitCode: number;
  readonly durationMs: number;
}

export function endCommandItem(item: CommandItem, { output, exitCode, durationMs }: CommandEnd): CommandItem {
  return {
    ...item,
    status: exitCode === 0 ? "completed" : "failed",
    aggregatedOutput: output === "" ? null : output,
    exitCode,
    durationMs: Math.round(durationMs),
  };
}
