// Writes the files that are derived from the protocol's rows: types, tables, schemas, reference pages.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { generate } from "../src/protocol/generate/generate.ts";

for (const [path, text] of generate()) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
