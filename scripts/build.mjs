// Builds dist/: the command line as scripts behind a loader with code caches, the library as ES modules, and the
// declarations.

import { spawnSync } from "node:child_process";
import { chmodSync, cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import process from "node:process";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { buildConsole } from "./build-console.mjs";
import { buildThreadPage } from "./build-thread-page.mjs";
import { bundleProgram } from "./bundle-program.mjs";
import { shareObjectShapes } from "./share-object-shapes.mjs";

const root = join(fileURLToPath(import.meta.url), "..", "..");
const dist = join(root, "dist");
const { version, engines, exports: subpaths } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const shared = {
  absWorkingDir: root,
  bundle: true,
  platform: "node",
  target: "node20",
  define: { HEDDLE_VERSION: JSON.stringify(version) },
  legalComments: "none",
  logLevel: "warning",
  // Native, so they cannot be part of a bundle; `bufferutil` and `utf-8-validate` are looked for by `ws`, which does without them.
  external: ["better-sqlite3", "bufferutil", "utf-8-validate", "@replit/ruspty", "@lydell/node-pty"],
};

rmSync(dist, { recursive: true, force: true });
mkdirSync(dist);
writeFileSync(join(dist, "package.json"), '{ "type": "commonjs" }\n');

/** Large libraries that most servers never use: each is a file of its own, read when it is first needed. */
const LIBRARIES = {
  "@hpcc-js/wasm-zstd": "zstd",
  "@modelcontextprotocol/client": "mcp-client",
  "@modelcontextprotocol/server": "mcp-server",
  postgres: "postgres",
  uqr: "uqr",
  "web-tree-sitter": "tree-sitter",
  yaml: "yaml",
};
const program = {
  ...shared,
  outdir: dist,
  outExtension: { ".js": ".cjs" },
  format: "cjs",
  minifySyntax: true,
  minifyWhitespace: true,
};
const withSourceMap = {
  // For profiles of a checkout; it is no part of the package.
  sourcemap: "external",
  define: { ...shared.define, "import.meta.url": "importMetaUrl" },
};
const IMPORT_META_URL = 'const importMetaUrl = require("node:url").pathToFileURL(__filename).href;';

// The loader runs the command line outside of the module system, where import() of a package has no home.
await bundleProgram(dist, {
  ...program,
  outExtension: {},
  define: withSourceMap.define,
  plugins: [{ name: "libraries", setup: leaveOutLibraries }],
});
await build({
  ...program,
  entryPoints: Object.fromEntries(Object.entries(LIBRARIES).map(([name, file]) => [file, name])),
  outdir: join(dist, "libraries"),
  alias: {
    // Its ES module finds its own place through import.meta, which a CommonJS file does not have.
    "web-tree-sitter": join(root, "node_modules/web-tree-sitter/web-tree-sitter.cjs"),
    // Its ES module has a default export only, which is a member of a CommonJS file.
    postgres: join(root, "node_modules/postgres/cjs/src/index.js"),
  },
});
// The helper process that starts children, and the thread that searches files.
await build({
  ...program,
  ...withSourceMap,
  entryPoints: {
    "process-helper": "src/process/helper-main.ts",
    "search-worker": "src/search/search-worker-main.ts",
  },
  banner: { js: IMPORT_META_URL },
});
// The thread that modules of hooks run in: it must be able to import what it is told to.
await build({
  ...shared,
  entryPoints: { "hook-worker": "src/hooks/module/module-worker-main.ts" },
  outdir: dist,
  outExtension: { ".js": ".cjs" },
  format: "cjs",
});
// What sends telemetry, with the SDK for it: nobody else is to load or install that.
await build({
  ...program,
  entryPoints: { telemetry: "src/server/telemetry/sdk/telemetry-sdk.ts" },
});
await build({
  ...shared,
  entryPoints: { cli: "src/cli/loader.ts" },
  outdir: dist,
  // So that a Node that is too old can read it, and say so.
  target: "es2015",
  // package.json says that imports of the library have no effects of their own; this one has.
  ignoreAnnotations: true,
  define: { HEDDLE_OLDEST_NODE: JSON.stringify(engines.node.replace(">=", "")) },
  format: "cjs",
  banner: { js: "#!/usr/bin/env node" },
});

// What commands find on their PATH. The server says which Node runs it: the one of a command may be too old.
mkdirSync(join(dist, "programs"));
for (const name of ["apply_patch", "applypatch"]) {
  const launcher = `#!/bin/sh\nexec "\${HEDDLE_NODE:-node}" "\${0%/*}/../cli.js" --run-as-apply-patch "$@"\n`;
  writeFileSync(join(dist, "programs", name), launcher, { mode: 0o755 });
}

await build({
  ...shared,
  entryPoints: Object.fromEntries(
    Object.values(subpaths)
      .filter((target) => typeof target === "object")
      .flatMap((target) => [target, ...(target.browser === undefined ? [] : [target.browser])])
      .map((target) => entryOf(target.default)),
  ),
  outdir: join(dist, "esm"),
  format: "esm",
  splitting: true,
  packages: "external",
});
for (const name of readdirSync(join(dist, "esm"), { recursive: true })) {
  const path = join(dist, "esm", name);
  if (name.endsWith(".js")) writeFileSync(path, shareObjectShapes(readFileSync(path, "utf8"), null).text);
}
writeFileSync(join(dist, "esm", "package.json"), '{ "type": "module" }\n');
for (const file of ["web-tree-sitter/web-tree-sitter.wasm", "tree-sitter-bash/tree-sitter-bash.wasm"]) {
  cpSync(join(root, "node_modules", file), join(dist, "grammar", file.split("/")[1]));
}
await buildConsole(root, join(dist, "console"));
await buildThreadPage(shared, dist);
run("node_modules/.bin/tsc", ["-p", "tsconfig.build.json"]);
cpSync(join(root, "schema"), join(dist, "schema"), { recursive: true });
cpSync(join(root, "fixtures", "lifecycle"), join(dist, "fixtures", "lifecycle"), { recursive: true });
cpSync(join(root, "src", "protocol", "generated", "types.ts"), join(dist, "schema", "heddle.ts"));
// Clients are told the path of the program and start it as it is, also from a checkout.
chmodSync(join(dist, "cli.js"), 0o755);
run(process.execPath, ["dist/cli.js", "--warm-code-cache"]);

function entryOf(file) {
  const name = file.replace(/^\.\/dist\/esm\//, "").replace(/\.js$/, "");
  return [name, `src/${name}.ts`];
}

function leaveOutLibraries({ onResolve }) {
  onResolve({ filter: /^[@a-z]/ }, ({ path }) => {
    const file = Object.hasOwn(LIBRARIES, path) ? LIBRARIES[path] : undefined;
    return file === undefined ? undefined : { path: `./libraries/${file}.cjs`, external: true };
  });
}

function run(command, args) {
  const { status } = spawnSync(command, args, { cwd: root, stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
