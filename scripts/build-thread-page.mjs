// Builds what exports a thread as a page: one script for the command line, and the style of the page beside it.

import { join } from "node:path";
import { build } from "esbuild";

export async function buildThreadPage(shared, dist) {
  await build({
    ...shared,
    entryPoints: { "thread-page": "src/console/export/thread-page.tsx" },
    outdir: dist,
    outExtension: { ".js": ".cjs" },
    format: "cjs",
    minifySyntax: true,
    minifyWhitespace: true,
    jsx: "automatic",
    jsxImportSource: "preact",
    // One copy of it, for the components and for what renders them.
    alias: { preact: join(shared.absWorkingDir, "node_modules/preact") },
  });
  await build({
    ...shared,
    entryPoints: { "thread-page": "src/console/export/page.css" },
    outdir: dist,
    minify: true,
    target: ["chrome123", "firefox121", "safari17.4"],
  });
}
