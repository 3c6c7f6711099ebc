// Writes the files that are derived from the protocol's rows, the schema of the configuration, the events of hooks, the
// commands and the metrics.

import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { renderReferencePage } from "../src/cli/command-line/reference-page.ts";
import { program } from "../src/cli/program.ts";
import { writeReferencePage } from "../src/config/schema/reference-page.ts";
import { hookSchemaFiles } from "../src/hooks/events/schema-files.ts";
import { generate } from "../src/protocol/generate/generate.ts";
import { withMetrics } from "../src/server/metrics/metrics-page.ts";
import { withCoverage } from "./hook-coverage-page.ts";

for (const [path, text] of [
  ...generate(),
  ...hookSchemaFiles(),
  ["docs/reference/configuration.md", writeReferencePage()] as const,
  ["docs/reference/command-line.md", await renderReferencePage(program)] as const,
  ["docs/hooks.md", withCoverage(readFileSync("docs/hooks.md", "utf8"))] as const,
  ["docs/operating.md", withMetrics(readFileSync("docs/operating.md", "utf8"))] as const,
]) {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, text);
}
