import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { listQuirks, quirksOf } from "./client-quirks.ts";

test.each(listQuirks())("the quirk of %s is documented", (name, { does, remedy }) => {
  const rows = readFileSync("docs/clients.md", "utf8").replaceAll(/ +/gu, " ");
  expect(rows).toContain(`| \`${name}\` | ${does} | ${remedy} |`);
});

test.each(["constructor", "__proto__", "", "somebody"])("%j has no quirks", (name) => {
  expect(quirksOf(name)).toEqual({});
});
