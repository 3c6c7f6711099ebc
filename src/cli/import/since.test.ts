import { expect, test } from "vitest";
import { parseSince } from "./since.ts";

const NOW = Date.UTC(2026, 10, 15);

test.each([
  ["12h", NOW - 43_200_000],
  ["7d", NOW - 604_800_000],
  ["2w", NOW - 1_209_600_000],
  ["2026-11-01T10:00:00Z", Date.UTC(2026, 10, 1, 10)],
  ["2026-11-01", new Date(2026, 10, 1).getTime()],
  ["2026-13-01", null],
  ["yesterday", null],
  ["7", null],
  ["", null],
])("--since %s", (text, ms) => {
  expect(parseSince(text, NOW)).toBe(ms);
});
