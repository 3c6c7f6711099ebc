import { writeSync } from "node:fs";
import type { Environment } from "../base/environment.ts";
import { createLogger, type Logger, parseLogLevel } from "../base/logger.ts";

/** The logger of the program: lines on stderr, by the level of RUST_LOG or HEDDLE_LOG. */
export function openLogger(env: Environment): Logger {
  return createLogger({
    level: parseLogLevel(env["HEDDLE_LOG"] ?? env["RUST_LOG"]),
    format: env["LOG_FORMAT"]?.toLowerCase() === "json" ? "json" : "text",
    now: () => Date.now(),
    write: writeLine,
  });
}

function writeLine(line: string): void {
  try {
    writeSync(2, line);
  } catch {
    // A log that nobody reads, or whose pipe is full, must not end the server.
  }
}
