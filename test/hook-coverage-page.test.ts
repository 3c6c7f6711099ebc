import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { withCoverage } from "../scripts/hook-coverage-page.ts";
import { hookEvents } from "../src/hooks/events/index.ts";

test("the page says what the events say", () => {
  const page = readFileSync("docs/hooks.md", "utf8");
  expect(withCoverage(page)).toBe(page);
});

test("a page without the part is not written", () => {
  expect(() => withCoverage("# Hooks\n")).toThrow("needs one part");
});

test("every cell says something", () => {
  const cells = hookEvents.flatMap(({ coverage }) =>
    coverage.of === "neither" ? [coverage.cell] : Object.values(coverage.cells),
  );
  for (const cell of cells) expect("can" in cell ? cell.can : cell.silent).not.toHaveLength(0);
});
