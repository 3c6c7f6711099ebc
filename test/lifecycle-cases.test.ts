import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { lifecycleCases } from "../scripts/lifecycle-cases.ts";

test.each(lifecycleCases())("%s is what the adapters do: npm run generate", (path, text) => {
  expect(readFileSync(path, "utf8")).toBe(text);
});
