import { expect, test } from "vitest";
import { createLogger, type LogFormat, type LogLevel, parseLogLevel } from "./logger.ts";

function linesOf(level: LogLevel, format: LogFormat) {
  const lines: string[] = [];
  const log = createLogger({ level, format, now: () => 0, write: (line) => lines.push(line) });
  return { lines, log };
}

test("text lines carry time, level, message and fields", () => {
  const { lines, log } = linesOf("warn", "text");
  log.warn("junk line ignored", { connection: 3 });
  log.info("not shown");
  expect(lines).toEqual(['1970-01-01T00:00:00.000Z  WARN junk line ignored {"connection":3}\n']);
});

test("JSON lines are one object each", () => {
  const { lines, log } = linesOf("debug", "json");
  log.debug("hello", { a: 1 });
  expect(lines.map((line) => JSON.parse(line))).toEqual([
    {
      timestamp: "1970-01-01T00:00:00.000Z",
      level: "DEBUG",
      fields: { message: "hello", a: 1 },
      target: "codex_app_server",
    },
  ]);
});

test("secrets do not reach a line", () => {
  const { lines, log } = linesOf("error", "json");
  log.error("request failed", { authorization: "Bearer abc", apiKey: "k", url: "http://x", inputTokens: 7 });
  expect(lines.join("")).not.toMatch(/abc|"k"/);
  expect(lines.join("")).toContain('"inputTokens":7');
});

test("levels are parsed from RUST_LOG forms", () => {
  expect(["warn", "heddle=debug", "a=info,b=error", "trace", "", undefined].map(parseLogLevel)).toEqual([
    "warn",
    "debug",
    "error",
    "debug",
    "error",
    "error",
  ]);
});

test("untrusted text cannot send escape sequences to the terminal", () => {
  const { lines, log } = linesOf("error", "text");
  log.error("/a\u001b[2J\nb\u009b31m is left out", { path: "\u009bx\u202e" });
  expect(lines).toEqual([
    '1970-01-01T00:00:00.000Z ERROR /a\\u{1b}[2J\\u{a}b\\u{9b}31m is left out {"path":"\\u{9b}x\\u{202e}"}\n',
  ]);
});
