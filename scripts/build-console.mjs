// Builds the console into a folder: one page, hashed assets, and each of them compressed.

import { cpSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { brotliCompressSync, constants, gzipSync } from "node:zlib";
import { build } from "esbuild";

const COMPRESSED = /\.(?:js|css|html|svg|webmanifest)$/;

export async function buildConsole(root, target) {
  const source = join(root, "src", "console");
  const { metafile } = await build({
    absWorkingDir: root,
    entryPoints: { console: "src/console/main.tsx", style: "src/console/style/index.css" },
    bundle: true,
    format: "esm",
    splitting: true,
    minify: true,
    platform: "browser",
    target: ["chrome120", "firefox121", "safari17.4"],
    jsx: "automatic",
    jsxImportSource: "preact",
    outdir: join(target, "assets"),
    entryNames: "[name]-[hash]",
    chunkNames: "[name]-[hash]",
    metafile: true,
    legalComments: "none",
    logLevel: "warning",
    define: { HEDDLE_VERSION: '"console"' },
  });
  const outputs = Object.entries(metafile.outputs);
  const urlOf = (entry) => {
    const [file] = outputs.find(([, { entryPoint }]) => entryPoint === entry);
    return `/assets/${basename(file)}`;
  };
  const page = readFileSync(join(source, "index.html"), "utf8")
    .replace("{{style}}", urlOf("src/console/style/index.css"))
    .replace("{{script}}", urlOf("src/console/main.tsx"));
  mkdirSync(target, { recursive: true });
  writeFileSync(join(target, "index.html"), page);
  for (const name of ["manifest.webmanifest", "favicon.svg", "sw.js"])
    cpSync(join(source, name), join(target, name));
  for (const name of readdirSync(target, { recursive: true })) {
    const file = join(target, name);
    if (COMPRESSED.test(name) && statSync(file).isFile()) compress(file);
  }
}

function compress(file) {
  const bytes = readFileSync(file);
  writeFileSync(`${file}.gz`, gzipSync(bytes, { level: 9 }));
  const params = { [constants.BROTLI_PARAM_QUALITY]: 11 };
  writeFileSync(`${file}.br`, brotliCompressSync(bytes, { params }));
}
