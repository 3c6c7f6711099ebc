import { existsSync } from "node:fs";
import { expect, test } from "vitest";
import { lazyRequests } from "../../protocol/generated/table.ts";

test.each(Object.keys(lazyRequests))("%s, which rows name, is a file of handlers", (file) => {
  expect(existsSync(new URL(`${file}.ts`, import.meta.url))).toBe(true);
});
