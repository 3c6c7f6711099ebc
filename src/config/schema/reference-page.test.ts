import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { configSchema } from "./config-schema.ts";
import { consumerOf } from "./ignored-keys.ts";
import { listKeys, writeReferencePage } from "./reference-page.ts";

test("the reference page is what npm run generate writes", () => {
  expect(readFileSync("docs/reference/configuration.md", "utf8")).toBe(writeReferencePage());
});

test("a key whose name no other part of the program has is marked as one without effect", () => {
  const words = new Set(
    sourcesOutsideOfTheSchema().flatMap((file) => readFileSync(file, "utf8").match(/\w+/g) ?? []),
  );
  const unread = listKeys(configSchema)
    .map(({ path }) => path)
    .filter((path) => consumerOf(path) === "server" && !words.has(lastName(path)));
  expect(unread).toEqual([]);
});

const lastName = (path: string): string =>
  path
    .split(".")
    .filter((part) => part !== "<name>" && part !== "[]")
    .at(-1) ?? "";

function sourcesOutsideOfTheSchema(): string[] {
  return readdirSync("src", { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".ts") && !/\.(?:test|fixture|contract)\.ts$/.test(file))
    .filter((file) => !/^(?:config\/schema|protocol\/(?:rows|generated))\//.test(file))
    .map((file) => join("src", file));
}
