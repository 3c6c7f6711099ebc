// Writes the files that are derived from the protocol's rows and from the schema of the configuration.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { writeReferencePage } from "../src/config/schema/reference-page.ts";
import { generate } from "../src/protocol/generate/generate.ts";

for (const [path, text] of [
  ...generate(),
  ["docs/reference/configuration.md", writeReferencePage()] as const,
]) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
