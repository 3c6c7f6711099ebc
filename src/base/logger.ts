import { printable } from "./printable.ts";

/** The log of the program. It never writes to stdout, which belongs to the protocol. */
export interface Logger {
  error(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
  /** Whether lines of this level are written, so that callers can skip expensive messages; if absent, assume yes. */
  isOn?(level: Exclude<LogLevel, "off">): boolean;
}

export type LogFields = Readonly<Record<string, unknown>>;
export type LogLevel = "error" | "warn" | "info" | "debug" | "off";
export type LogFormat = "text" | "json";

const RANK: Record<LogLevel, number> = { off: 0, error: 1, warn: 2, info: 3, debug: 4 };
/** The target name that log collectors already know from Codex's app-server. */
const TARGET = "codex_app_server";
const SECRET_FIELD = /authorization|api[-_]?key|token|secret|password|bearer|cookie/i;

interface LoggerOptions {
  readonly level: LogLevel;
  readonly format: LogFormat;
  readonly now: () => number;
  /** Receives one whole line, newline included. */
  readonly write: (line: string) => void;
}

/** Logs single lines, as text or JSON, and hides the values of secret fields. */
export function createLogger({ level, format, now, write }: LoggerOptions): Logger {
  const at = (rank: Exclude<LogLevel, "off">) => (message: string, fields?: LogFields) => {
    if (RANK[rank] > RANK[level]) return;
    const time = new Date(now()).toISOString();
    const shown = fields === undefined ? undefined : hideSecretFields(fields);
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

/** Parses a level in the forms of RUST_LOG, such as `warn` or `heddle=debug`. */
export function parseLogLevel(text: string | undefined): LogLevel {
  const match = /(?:^|[=,])(error|warn|info|debug|trace|off)$/i.exec(text?.trim() ?? "");
  const level = match?.[1]?.toLowerCase();
  if (level === "trace") return "debug";
  return level === undefined ? "error" : (level as LogLevel);
}

function hideSecretFields(fields: LogFields): LogFields {
  return Object.fromEntries(
    Object.entries(fields).map(([key, value]) => [
      key,
      // A token count is not a secret.
      SECRET_FIELD.test(key) && typeof value !== "number" ? "[hidden]" : value,
    ]),
  );
}
