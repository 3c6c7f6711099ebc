// Bundles the command line into a few scripts, so that a server reads and compiles little code before its first answer:
//
//   heddle.cjs           what `app-server` needs to answer `initialize`
//   heddle-server.cjs    everything else that a server may need
//   heddle-commands.cjs  the other commands
//
// esbuild splits ES modules into chunks. Here each chunk becomes a function of a script; the loader
// (src/cli/loader.ts) calls it when the chunk is first imported, and reads a script when its first chunk is.

import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import { Script } from "node:vm";
import { build } from "esbuild";
import { shareObjectShapes } from "./share-object-shapes.mjs";

const MAIN = "src/cli/main.ts";
const SERVER = "src/cli/commands/app-server.ts";

/** Writes the scripts into `dist`. */
export async function bundleProgram(dist, options) {
  const chunks = await splitIntoChunks(dist, options);
  const scripts = distribute(chunks);
  const names = new Map(
    scripts.flatMap(({ name, files }) => files.map((file, index) => [file, `${name}/${index}`])),
  );
  const texts = [...chunks.values()].map(({ text }) => text);
  const buildId = createHash("sha256").update(texts.join()).digest("hex").slice(0, 16);
  for (const { name, files } of scripts) {
    const parts = files.map((file) => ({ ...chunks.get(file), name: names.get(file) }));
    writeScript(join(dist, name === "start" ? "heddle.cjs" : `heddle-${name}.cjs`), buildId, parts, names);
  }
}

async function splitIntoChunks(dist, options) {
  const { outputFiles, metafile } = await build({
    ...options,
    entryPoints: [MAIN],
    outdir: dist,
    format: "esm",
    splitting: true,
    charset: "ascii",
    // For profiles of a checkout; it is no part of the package.
    sourcemap: "external",
    metafile: true,
    write: false,
  });
  const texts = new Map(outputFiles.map(({ path, text }) => [basename(path), text]));
  return new Map(
    Object.entries(metafile.outputs)
      .filter(([path]) => path.endsWith(".js"))
      .map(([path, output]) => {
        const file = basename(path);
        return [file, { ...output, ...shareObjectShapes(texts.get(file), texts.get(`${file}.map`)) }];
      }),
  );
}

/** Which script each chunk is a part of. The first chunk of the first script is the program itself. */
function distribute(chunks) {
  const fileOf = (source) => [...chunks.keys()].find((file) => chunks.get(file).entryPoint === source);
  const start = reachable(chunks, [fileOf(MAIN), fileOf(SERVER)], ["import-statement"]);
  const server = reachable(chunks, [fileOf(SERVER)], ["import-statement", "dynamic-import"]);
  const isOther = (file) => !start.has(file) && !server.has(file);
  return [
    { name: "start", files: [...start] },
    { name: "server", files: [...server].filter((file) => !start.has(file)) },
    { name: "commands", files: [...chunks.keys()].filter(isOther) },
  ];
}

/** These chunks, and all that they import by statements of these kinds. */
function reachable(chunks, files, kinds) {
  const found = new Set(files);
  for (const file of found)
    for (const { path, kind, external } of chunks.get(file).imports)
      if (external !== true && kinds.includes(kind)) found.add(basename(path));
  return found;
}

/**
 * The script is a function that returns the functions of its chunks by name. They are in lines of their own, so that
 * the source map is a list of their maps.
 */
function writeScript(path, buildId, parts, names) {
  let text = "";
  const sections = [];
  const add = (more) => {
    text += more;
  };
  add(`(function(require,importMetaUrl){return{buildId:"${buildId}",chunks:{\n`);
  for (const part of parts) {
    add(`"${part.name}"(e,n,l,x){\n`);
    sections.push({ offset: { line: text.split("\n").length - 1, column: 0 }, map: JSON.parse(part.map) });
    add(`${toFunctionBody(part, names)}\n},\n`);
  }
  add("}}})\n");
  // Throws where a statement was not converted.
  const script = new Script(text, { filename: path });
  if (typeof script.runInThisContext() !== "function") throw new Error(`${path} is not a function`);
  writeFileSync(path, text);
  writeFileSync(`${path}.map`, JSON.stringify({ version: 3, file: basename(path), sections }));
}

// The forms that esbuild prints without white space. The counts of statements are compared with its own.
const IMPORT = /(?<![\w$.])import(?:(?:(?:\*as)? ([\w$]+),? ?)?(?:\{([^{}]*)\})?from)?"([^"]+)";/g;
const IMPORT_CALL = /(?<![\w$.])import\("([^"]+)"\)/g;
const EXPORT = /export\{([^{}]*)\};\s*$/;

/**
 * Exports become properties of `e`, imports of chunks calls of `n` (now) and `l` (later), and imports of modules calls
 * of `require` and `x`. Chunks do not import each other in circles, and what they export is constant, so an import is a
 * constant as well. What is replaced keeps its length where it can, for the source map.
 */
function toFunctionBody({ text, name, imports, exports }, names) {
  const counts = { "import-statement": 0, "dynamic-import": 0, export: 0 };
  const body = text
    .replace(EXPORT, (_, list) =>
      members(list)
        .map(([local, exported]) => {
          counts.export += 1;
          return `e.${exported}=${local};`;
        })
        .join(""),
    )
    .replace(IMPORT, (statement, whole, list, path) => {
      counts["import-statement"] += 1;
      const chunk = names.get(basename(path));
      const value = chunk === undefined ? `require("${path}")` : `n("${chunk}")`;
      const named = list && `{${members(list).map(([imported, local]) => `${imported}:${local}`)}}`;
      // A CommonJS module is its own default export, and its namespace.
      const targets = whole && named ? `${whole}=${value},${named}=${whole}` : `${whole ?? named}=${value}`;
      return `${whole || named ? `const ${targets}` : value};`.padEnd(statement.length);
    })
    .replace(IMPORT_CALL, (call, path) => {
      counts["dynamic-import"] += 1;
      const chunk = names.get(basename(path));
      return (chunk === undefined ? `x("${path}")` : `l("${chunk}")`).padEnd(call.length);
    });
  for (const kind of ["import-statement", "dynamic-import"]) {
    const expected = imports.filter((one) => one.kind === kind).length;
    if (counts[kind] !== expected)
      throw new Error(`chunk ${name} has ${expected} imports (${kind}), and ${counts[kind]} were converted`);
  }
  if (counts.export !== exports.length)
    throw new Error(`chunk ${name} has other exports than were converted`);
  return body;
}

/** The pairs of a list such as `a,b as c`; a name without `as` is a pair with itself. */
function members(list) {
  return list.split(",").map((member) => {
    const [first, second = first] = member.split(" as ");
    return [first, second];
  });
}
