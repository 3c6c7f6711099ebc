import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ConfigValues } from "../../config/schema/config-schema.ts";
import { readBaseInstructions, readCompactPrompt } from "./instruction-files.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "heddle-instructions-"));
  await writeFile(join(folder, "own.md"), " FILE\n");
  await writeFile(join(folder, "empty.md"), "\n");
});
afterAll(() => rm(folder, { recursive: true }));

/** With what the client, a file and the configuration say. */
function read(wanted: string | null, file: string | null, instructions: string | null) {
  const model_instructions_file = file === null ? null : join(folder, file);
  return readBaseInstructions(wanted, { model_instructions_file, instructions } as ConfigValues);
}

test.each([
  ["BASE", "own.md", "TEXT", "BASE"],
  ["", "own.md", "TEXT", ""],
  [null, "own.md", "TEXT", "FILE"],
  [null, null, "TEXT", "TEXT"],
  [null, null, null, null],
])("of %j, %j and %j the first counts", async (wanted, file, instructions, expected) => {
  expect(await read(wanted, file, instructions)).toBe(expected);
});

test("a file that is missing or says nothing is a fault of the configuration", async () => {
  expect(await read(null, "no.md", null)).toMatchObject({
    kind: "refused",
    message: expect.stringContaining(
      `failed to load configuration: failed to read model instructions file ${join(folder, "no.md")}: No such file or directory (os error 2)`,
    ),
  });
  expect(await read(null, "empty.md", null)).toMatchObject({
    kind: "refused",
    message: expect.stringContaining(
      `failed to load configuration: model instructions file is empty: ${join(folder, "empty.md")}`,
    ),
  });
});

test("a summary is asked for in the words of the configuration, or else of its file", async () => {
  const ask = (compact_prompt: string | null, file: string | null) =>
    readCompactPrompt({
      compact_prompt,
      experimental_compact_prompt_file: file === null ? null : join(folder, file),
    } as ConfigValues);
  expect(await Promise.all([ask("TEXT", "own.md"), ask(" ", "own.md"), ask(null, null)])).toEqual([
    "TEXT",
    "FILE",
    null,
  ]);
  expect(await ask(null, "empty.md")).toMatchObject({
    kind: "refused",
    message: expect.stringContaining("experimental compact prompt file is empty"),
  });
});
