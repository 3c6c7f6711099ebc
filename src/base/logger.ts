import { printable } from "./printable.ts";

/** Where the program says what it does. It never writes to stdout: that belongs to the protocol. */
export interface Logger {
  error(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
  /** Whether anybody reads lines of this level, for those who would have to work for them; absent: somebody may. */
  isOn?(level: Exclude<LogLevel, "off">): boolean;
}

export type LogFields = Readonly<Record<string, unknown>>;
export type LogLevel = "error" | "warn" | "info" | "debug" | "off";
export type LogFormat = "text" | "json";

const RANK: Record<LogLevel, number> = { off: 0, error: 1, warn: 2, info: 3, debug: 4 };
/** The name under which collectors of such logs already know an app-server. */
const TARGET = "codex_app_server";
const SECRET = /authorization|api[-_]?key|token|secret|password|bearer|cookie/i;

interface LoggerOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  readonly now: () => number;
  /** Takes one whole line, newline included. */
  readonly write: (line: string) => void;
}

/** A logger of single lines, as text for people or JSON for machines, that hides secret fields. */
export function createLogger({ level, format, now, write }: LoggerOptions): Logger {
  const at = (rank: Exclude<LogLevel, "off">) => (message: string, fields?: LogFields) => {
    if (RANK[rank] > RANK[level]) return;
    const time = new Date(now()).toISOString();
    const shown = fields === undefined ? undefined : hideSecrets(fields);
    if (format === "json") {
      const event = {
        timestamp: time,
        level: rank.toUpperCase(),
        fields: { message, ...shown },
        target: TARGET,
      };
      write(`${JSON.stringify(event)}\n`);
    } else {
      const detail = shown === undefined ? "" : ` ${JSON.stringify(shown)}`;
      write(`${time} ${rank.toUpperCase().padStart(5)} ${printable(message + detail)}\n`);
    }
  };
  const isOn = (rank: Exclude<LogLevel, "off">) => RANK[rank] <= RANK[level];
  return { error: at("error"), warn: at("warn"), info: at("info"), debug: at("debug"), isOn };
}

export const silentLogger: Logger = { error() {}, warn() {}, info() {}, debug() {}, isOn: () => false };

/** Reads a level from the forms people have in their environment, such as `warn` or `heddle=debug`. */
export function parseLogLevel(text: string | undefined): LogLevel {
  const match = /(?:^|[=,])(error|warn|info|debug|trace|off)$/i.exec(text?.trim() ?? "");
  const word = match?.[1]?.toLowerCase();
  if (word === "trace") return "debug";
  return word === undefined ? "error" : (word as LogLevel);
}

function hideSecrets(fields: LogFields): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      // A number of tokens is no token.
      SECRET.test(key) && typeof value !== "number" ? "[hidden]" : value,
    ]),
  );
}
