/** ARCHITECTURE.md names files and rules: each file exists, and each rule names the test that enforces it. */
import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";

const page = readFileSync("ARCHITECTURE.md", "utf8");
const spans = [...page.matchAll(/`([^`\n]+)`/g)].map(([, span = ""]) => span);

test("names files that exist", () => {
  const paths = spans.filter((span) => /^(?:src|test|scripts|schema|docs)(?:\/|$)/.test(span));
  expect(paths.length).toBeGreaterThan(40);
  expect(paths.filter((path) => !existsSync(path))).toEqual([]);
});

test("names exported values and types that exist in the file before them", () => {
  const named = [...page.matchAll(/`(\w+)`\s+\(`(src\/[^`]+\.ts)`\)/g)];
  expect(named.length).toBeGreaterThan(3);
  const missing = named.flatMap(([, name = "", file = ""]) =>
    new RegExp(`export (?:async )?(?:function|class|interface|type|const) ${name}\\b`).test(
      readFileSync(file, "utf8"),
    )
      ? []
      : [`${file} exports no ${name}`],
  );
  expect(missing).toEqual([]);
});

test("has a test for each of its rules", () => {
  const rules = page
    .slice(page.indexOf("## Standing rules"))
    .split("\n")
    .filter((line) => /^\| [A-Z]|^\| std/.test(line));
  const [, ...rows] = rules;
  expect(rows.length).toBeGreaterThan(10);
  const unproved = rows.filter((row) => {
    const [, file, title] = /`((?:test|src)\/[^`]+\.ts)`(?:: "([^"]+)")?/.exec(row) ?? [];
    if (file === undefined) return !row.includes("docs/limits.md");
    return !existsSync(file) || (title !== undefined && !readFileSync(file, "utf8").includes(title));
  });
  expect(unproved).toEqual([]);
});
