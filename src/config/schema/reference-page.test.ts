import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { writeReferencePage } from "./reference-page.ts";

test("the reference page is what npm run generate writes", () => {
  expect(readFileSync("docs/reference/configuration.md", "utf8")).toBe(writeReferencePage());
});
