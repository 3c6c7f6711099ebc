/** Opens the log of a server, with its destination, level and format. */
import { mkdirSync, writeSync } from "node:fs";
import { join, resolve } from "node:path";
import type { Environment } from "../../base/environment.ts";
import { openLogFile } from "../../base/log-file.ts";
import { createLogger, type Logger, parseLogLevel } from "../../base/logger.ts";
import type { OptionSpec, ParsedArguments } from "../command-line/command.ts";

export const logOptions: readonly OptionSpec[] = [
  {
    name: "log-level",
    value: "LEVEL",
    help: "What is logged (default: HEDDLE_LOG, RUST_LOG, or error; info in a file)",
    choices: ["off", "error", "warn", "info", "debug"],
  },
  {
    name: "log-format",
    value: "FORMAT",
    help: "Form of the lines (default: LOG_FORMAT, or text)",
    choices: ["text", "json"],
  },
  {
    name: "log-file",
    value: "PATH",
    help: "Write the log to this file instead of stderr; it is rotated at 10 MiB, and five old files are kept",
  },
];

export interface ServerLog extends Logger {
  /** Resolves when all lines are written. */
  settled(): Promise<void>;
}

interface LogOptions {
  readonly args?: ParsedArguments;
  readonly env: Environment;
  readonly cwd: string;
  /** The folder of the default log file; null logs to stderr. */
  readonly folder?: string | null;
}

const LOG_NAME = "heddle.log";

export function openLog({ args, env, cwd, folder = null }: LogOptions): ServerLog {
  const named = args?.value("log-file");
  const path = named === undefined ? (folder === null ? null : inFolder(folder)) : resolve(cwd, named);
  const chosen = args?.value("log-level") ?? env["HEDDLE_LOG"] ?? env["RUST_LOG"];
  // A log file defaults to a more verbose level than stderr.
  const level = chosen === undefined && path !== null ? "info" : parseLogLevel(chosen);
  const format = (args?.value("log-format") ?? env["LOG_FORMAT"])?.toLowerCase() === "json" ? "json" : "text";
  const now = () => Date.now();
  if (path === null) {
    return { ...createLogger({ level, format, now, write: writeToStderr }), settled: async () => {} };
  }
  const fallback = createLogger({ level: "error", format, now, write: writeToStderr });
  const file = openLogFile(path, {
    onFault: (reason) => fallback.error("the log cannot be written", { path, reason }),
    onRecovery: (lines) => log.warn("lines of the log were lost", { lines }),
  });
  process.once("exit", file.flushSync);
  const log = createLogger({ level, format, now, write: file.write });
  return { ...log, settled: file.flushed };
}

function inFolder(folder: string): string {
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  return join(folder, LOG_NAME);
}

function writeToStderr(line: string): void {
  try {
    writeSync(2, line);
  } catch {
    // A closed or full stderr must not end the server.
  }
}
