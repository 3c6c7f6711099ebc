/** How a command shows: its item at its start and its end, its output as it comes, and runs that do not count. */
import { StringDecoder } from "node:string_decoder";
import { redactCommand, redactWords } from "../../base/redact-secrets.ts";
import { joinWords } from "../../base/shlex.ts";
import type { CommandItem } from "../permission.ts";
import type { ItemLog } from "../tool.ts";
import { commandActions } from "./actions/command-actions.ts";

interface CommandIdentity {
  readonly id: string;
  /** What the model or the user asked for, before any wrapping. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly source: CommandItem["source"];
  readonly processId: number | null;
}

/** Secrets in the words of a command do not show. */
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

/** What one delta may hold, and how many of them one command may cause. */
const MAX_DELTA_BYTES = 8192;
const MAX_DELTAS = 10_000;

/** Cuts output into texts of bounded size, never within a character; after so many it is silent. */
export function createDeltaWriter(emit: (delta: string) => void) {
  const decoder = new StringDecoder("utf8");
  let left = MAX_DELTAS;

  function send(delta: string): void {
    if (delta === "" || left === 0) return;
    left -= 1;
    emit(delta);
  }

  return {
    write(chunk: Buffer): void {
      for (let at = 0; at < chunk.length && left > 0; at += MAX_DELTA_BYTES) {
        send(decoder.write(chunk.subarray(at, at + MAX_DELTA_BYTES)));
      }
    },
    end: () => send(decoder.end()),
  };
}

/** Holds back the reports of a command until it is known whether that run counts. */
export interface HeldItems {
  readonly items: ItemLog;
  /** Passes on what was held back, and from then on everything at once. */
  release(): void;
  /** The run does not count: nothing of it is reported, also later. */
  discard(): void;
}

export function holdItems(log: ItemLog): HeldItems {
  let held: (() => void)[] | null = [];
  let isDiscarded = false;
  const pass = (report: () => void): void => {
    if (isDiscarded) return;
    if (held === null) report();
    else held.push(report);
  };
  return {
    items: {
      begin: (item) => pass(() => log.begin(item)),
      complete: (item) => pass(() => log.complete(item)),
      outputDelta: (itemId, delta) => pass(() => log.outputDelta(itemId, delta)),
      terminalInteraction: (itemId, processId, stdin) =>
        pass(() => log.terminalInteraction(itemId, processId, stdin)),
      mcpProgress: (itemId, message) => pass(() => log.mcpProgress(itemId, message)),
    },
    release() {
      const reports = held ?? [];
      held = null;
      for (const report of reports) report();
    },
    discard() {
      isDiscarded = true;
      held = null;
    },
  };
}
