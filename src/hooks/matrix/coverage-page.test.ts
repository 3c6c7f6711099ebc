import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { HOOK_EVENTS } from "../hook-event.ts";
import { CALL_COVERAGE, OTHER_COVERAGE, PROMPT_COVERAGE } from "./coverage.ts";
import { withCoverage } from "./coverage-page.ts";

test("the page says what the data says", () => {
  const page = readFileSync("docs/hooks.md", "utf8");
  expect(withCoverage(page)).toBe(page);
});

test("a page without the part is not written", () => {
  expect(() => withCoverage("# Hooks\n")).toThrow("needs one part");
});

test("every event has its place, and every cell says something", () => {
  const rows = [...Object.values(CALL_COVERAGE), ...Object.values(PROMPT_COVERAGE)];
  const events = new Set([
    ...rows.flatMap(({ cells }) => Object.keys(cells)),
    ...Object.keys(OTHER_COVERAGE),
  ]);
  expect([...events].sort()).toEqual([...HOOK_EVENTS].sort());
  const cells = [...rows.flatMap((row) => Object.values(row.cells)), ...Object.values(OTHER_COVERAGE)];
  for (const cell of cells) expect("can" in cell ? cell.can : cell.silent).not.toHaveLength(0);
});
