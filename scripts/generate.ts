// Writes the files that are derived from the protocol's rows, the schema of the configuration and the events of hooks.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { writeReferencePage } from "../src/config/schema/reference-page.ts";
import { hookSchemaFiles } from "../src/hooks/events/schema-files.ts";
import { generate } from "../src/protocol/generate/generate.ts";

for (const [path, text] of [
  ...generate(),
  ...hookSchemaFiles(),
  ["docs/reference/configuration.md", writeReferencePage()] as const,
]) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
