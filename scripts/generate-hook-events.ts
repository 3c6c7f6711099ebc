// Writes what other modules know of the events of hooks. It runs before generate.ts, which is built from these files.

import { mkdirSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { hookEventFiles } from "./hook-event-files.ts";

for (const [path, text] of hookEventFiles()) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
