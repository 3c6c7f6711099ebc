/**
 * The item of a command: its start and completion, output deltas, and buffering for runs that may be
 * discarded.
 */
import { StringDecoder } from "node:string_decoder";
import { redactCommand, redactWords } from "../../base/redact-secrets.ts";
import { joinWords } from "../../base/shlex.ts";
import type { CommandItem } from "../permission.ts";
import type { ItemLog } from "../tool.ts";
import { commandActions } from "./actions/command-actions.ts";

interface CommandIdentity {
  readonly id: string;
  /** The requested command, before any wrapping. */
  readonly argv: readonly string[];
  readonly cwd: string;
  readonly source: CommandItem["source"];
  readonly processId: number | null;
}

/** Secrets in the command are redacted. */
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

/** The size limit of a delta, and how many a command may emit. */
const MAX_DELTA_BYTES = 8192;
const MAX_DELTAS = 10_000;

/** Splits output into deltas of bounded size, never inside a character; emits nothing after the limit. */
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

/** Buffers the item events of a run until it is known whether the run is retried. */
export interface BufferedItems {
  readonly items: ItemLog;
  /** Emits the buffered events, and all later ones immediately. */
  release(): void;
  /** Drops the buffered events and all later ones. */
  discard(): void;
}

export function bufferItems(log: ItemLog): BufferedItems {
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
