import { readdirSync, readFileSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { build } from "esbuild";
import { describe, expect, test } from "vitest";

/** The house: an import may only go to a lower row. ARCHITECTURE.md shows the same rows. */
const ROWS: readonly (readonly string[])[] = [
  ["protocol", "base"],
  ["jsonrpc", "lifecycle"],
  ["store", "model", "sandbox", "config", "transport", "process"],
  ["policy", "search", "skills"],
  ["hooks", "tools"],
  ["engine"],
  ["runtime"],
  ["server", "client"],
  ["console"],
  ["cli", "index.ts"],
  ["testing"],
];

/**
 * Who may open files past `base/open-regular-file.ts`, which does not wait for pipes: those whose files nobody else
 * names, or who make them.
 */
const MAY_OPEN_FILES: readonly string[] = [
  "base/file-system.ts",
  "base/mounts.ts",
  "base/open-regular-file.ts",
  "config/config-file.ts",
  "policy/shell/shell-grammar.ts",
  "process/close-inherited-descriptors.ts",
  "process/fixtures/starved-server.ts",
  "process/pipes.ts",
  "process/terminal-child.ts",
  "runtime/configuration/identity.ts",
  "sandbox/confined-caller.ts",
  "server/http/console/console-files.ts",
  "server/machine/copy-regular-file.ts",
  "store/backup/copy-changes.ts",
  "store/files/rollout/atomic-file.ts",
  "store/files/rollout/writer-lock.ts",
  "tools/apply-patch/patch-file-system.ts",
  "transport/socket-file.ts",
  "transport/websocket-auth.ts",
];

/** Files with mutable state at module level, each with the reason. */
const HAS_STATE: Readonly<Record<string, string>> = {
  "base/thread-pool.ts": "the thread pool belongs to the process, and so does the count of its threads",
  "search/search-worker-main.ts": "the main file of a worker thread",
  "server/connections/thread-subscriptions.ts": "an empty set that nobody can change",
  "cli/lifecycle/opencode-plugin.ts": "the text of a program for another harness",
  "console/state/drafts.ts": "a page has one",
  "console/state/notifications.ts": "a page has one",
  "console/state/server.ts": "a page has one connection",
};

/** Files that read the clock, a random number or the environment by themselves, each with the reason. */
const READS_AMBIENT: Readonly<Record<string, string>> = {
  "base/clock.ts": "the system clock",
  "base/thread-pool.ts": "its cache belongs to the process",
  "client/connection.ts": "the SDK runs in programs of others",
  "console/state/server.ts": "runs in a browser",
  "client/subscriptions.ts": "the SDK runs in programs of others",
  "hooks/pinning/refused-hooks.ts": "measures its own time slices",
  "index.ts": "the embedding program's environment is the default",
  "lifecycle/dispatch/clock.ts": "the default clock of a module that imports nothing",
  "lifecycle/dispatch/run.ts": "the default random numbers of a module that imports nothing",
  "process/open-process-host.ts": "the helper process inherits the environment",
  "runtime/machine/command-tools.ts": "passes the system's random numbers on",
  "sandbox/confined-caller.ts": "runs as a program of its own",
  "server/heddle.ts": "passes the system's random numbers on",
  "store/files/rollout/writer-lock.ts": "the lock program gets the PATH of the server",
  "store/files/sqlite/lock-wait.ts": "waits on SQLite's locks in real time",
  "testing/index.ts": "the environment of the test is the default",
};

/** Files with accessors in object literals, each with the reason. */
const HAS_ACCESSORS: Readonly<Record<string, string>> = {
  "base/lanes.ts": "a server has one",
  "base/thread-pool.ts": "a process has one",
  "client/client.ts": "a program of the SDK has few connections",
  "client/connection.ts": "a program of the SDK has few connections",
  "config/effective-config.ts": "computed for `config/read` only, once for each set of layers",
  "config/layer.ts": "computed for `config/read` only, once for each file",
  "config/schema/kind.ts": "the schema refers to itself, and is made once",
  "hooks/config/pattern/pattern-reader.ts": "lives while one pattern is read",
  "runtime/configuration/identity.ts": "a server has one",
  "server/mcp-server/app-session.ts": "a session has one",
  "server/observation/server-events.ts": "a server has one",
  "store/files/import/import-transcript.ts": "lives while one transcript is read",
  "store/files/sqlite/sqlite-index.ts": "a database has one",
  "store/memory/memory-journal.ts": "threads of the memory backend are few",
  "transport/tls-files.ts": "a listener has one",
};

const OPENING =
  /\b(?:readFile|readFileSync|open|openSync|createReadStream|createWriteStream|copyFile|copyFileSync|appendFile|appendFileSync)\b/;

/** Files of the runtime that one of them may import. */
const MAX_RUNTIME_IMPORTS = 14;
/** It joins everything. */
const COMPOSITION = "runtime/open-runtime.ts";

const SOURCE = resolve("src");
const rowOf = new Map(ROWS.flatMap((modules, row) => modules.map((name) => [name, row] as const)));
const files = readdirSync(SOURCE, { recursive: true, encoding: "utf8" }).filter((file) =>
  file.endsWith(".ts"),
);

function moduleOf(file: string): string {
  return relative(SOURCE, file).split("/")[0] ?? "";
}

function importsOf(file: string): string[] {
  const text = readFileSync(file, "utf8");
  return [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map((match) => match[1] ?? "");
}

const STARTS_OR_LISTENS =
  /^(?:node:(?:child_process|cluster|dgram|https?|net|tls)|ws)$|\/process\/(?:local-host|open-process-host)\.ts$/;

/** Whether it, or a fixture that it uses, has the means to start processes or to listen. */
function usesSystem(file: string): boolean {
  const text = readFileSync(file, "utf8").replaceAll(/import type [^;]+;/g, "");
  const imports = [...text.matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(([, specifier = ""]) =>
    specifier.startsWith(".") ? resolve(dirname(file), specifier) : specifier,
  );
  return imports.some(
    (name) =>
      STARTS_OR_LISTENS.test(name) ||
      (/\.(?:fixture|contract)\.ts$|\/fixtures\//.test(name) && usesSystem(name)),
  );
}

describe("the house", () => {
  test("has a row for every module", () => {
    const modules = new Set(files.map((file) => file.split("/")[0] ?? ""));
    expect([...modules].filter((name) => !rowOf.has(name))).toEqual([]);
  });

  test("lets imports go to lower rows only", () => {
    const violations = files.flatMap((file) => {
      const from = join(SOURCE, file);
      const own = moduleOf(from);
      return importsOf(from)
        .filter((specifier) => specifier.startsWith("."))
        .map((specifier) => moduleOf(resolve(dirname(from), specifier)))
        .filter((target) => target !== own && (rowOf.get(target) ?? 99) >= (rowOf.get(own) ?? -1))
        .map((target) => `${file} -> ${target}`);
    });
    expect(violations).toEqual([]);
  });

  test("gives the folders within a module a direction", () => {
    const folders = new Map<string, Set<string>>();
    for (const file of files.filter(isProduct)) {
      const from = join(SOURCE, file);
      const own = dirname(file);
      const targets = importsOf(from)
        .filter((specifier) => specifier.startsWith("."))
        .map((specifier) => relative(SOURCE, dirname(resolve(dirname(from), specifier))))
        .filter((target) => target !== own && moduleOf(join(SOURCE, target)) === moduleOf(from));
      folders.set(own, new Set([...(folders.get(own) ?? []), ...targets]));
    }
    const circular = [...folders.keys()].filter((folder) => reaches(folders, folder, folder));
    expect(circular).toEqual([]);
  });

  test("lets nobody but the store know what it keeps things in", () => {
    const offenders = files
      .filter((file) => isProduct(file) && !file.startsWith("store/"))
      .flatMap((file) => importsOf(join(SOURCE, file)).map((specifier) => `${file} -> ${specifier}`))
      .filter((found) => /store\/(?:files|memory)\//.test(found));
    expect(offenders).toEqual([]);
  });

  test("creates the proof of holding a lane in two places", () => {
    const makers = files.filter((file) => isProduct(file) && read(file).includes("new LaneHeld("));
    expect(makers.sort()).toEqual(["runtime/threads/lane.ts", "server/connections/dispatch.ts"]);
  });

  test("passes dependencies of the runtime whole or by name, and spreads none", () => {
    const offenders = files
      .filter((file) => file.startsWith("runtime/") && isProduct(file))
      .filter((file) => /\.\.\.(?:options|deps|common|host)\b(?!\.)/.test(read(file)));
    expect(offenders).toEqual([]);
  });

  test("lets no file of the runtime depend on too much of it", () => {
    const heavy = files
      .filter((file) => file.startsWith("runtime/") && isProduct(file))
      .map((file) => {
        const from = join(SOURCE, file);
        const own = importsOf(from).filter(
          (specifier) =>
            specifier.startsWith(".") && moduleOf(resolve(dirname(from), specifier)) === "runtime",
        );
        return { file, imports: own.length };
      })
      .filter(({ file, imports }) => file !== COMPOSITION && imports > MAX_RUNTIME_IMPORTS);
    expect(heavy).toEqual([]);
  });

  test("is drawn in ARCHITECTURE.md as it is", () => {
    const text = readFileSync("ARCHITECTURE.md", "utf8");
    const drawn = [...text.matchAll(/^ *row (\d+) +(.+)$/gm)].map(([, row, modules = ""]) => [
      Number(row),
      modules
        .replace(/\(.*\)/, "")
        .trim()
        .split(/\s+/)
        .sort(),
    ]);
    const expected = ROWS.map((modules, row) => [
      row,
      modules.filter((name) => existsAs(name)).sort(),
    ]).reverse();
    expect(drawn.map(([row, names]) => [row, (names as string[]).filter(existsAs)])).toEqual(expected);
  });

  test("keeps stdout to the transport and the commands", () => {
    const offenders = files.filter(
      (file) =>
        !file.startsWith("cli/") &&
        !file.endsWith(".test.ts") &&
        /process\.stdout|console\.(?!warn\b)/.test(read(file)),
    );
    expect(offenders).toEqual([]);
  });

  test("opens what others have named in one place only", () => {
    const offenders = files.filter(
      (file) =>
        !/\.(?:test|fixture|contract)\.ts$/.test(file) && !file.startsWith("cli/") && opensFiles(read(file)),
    );
    expect(offenders.sort()).toEqual(MAY_OPEN_FILES);
  });

  test("tells by its name which test starts processes or listens on sockets", () => {
    const offenders = files.filter(
      (file) =>
        file.endsWith(".test.ts") && !file.endsWith(".system.test.ts") && usesSystem(join(SOURCE, file)),
    );
    expect(
      offenders,
      "vitest.config.ts runs `*.system.test.ts` in processes, and the others in threads",
    ).toEqual([]);
  });

  test("has no mutable state at module level", () => {
    const state = /^(?:export )?(?:let \w+|const \w+[^=\n]*= new (?:Map|Set|WeakMap|WeakSet)(?:<.*>)?\(\);)/m;
    const offenders = files.filter((file) => isProduct(file) && state.test(read(file)));
    expect(offenders.filter((file) => !(file in HAS_STATE))).toEqual([]);
  });

  test("injects time, randomness and environment", () => {
    const ambient = /\bDate\.now\(|\bMath\.random\b|\bperformance\.now\(|\bprocess\.env\b/;
    const offenders = files.filter(
      (file) => isProduct(file) && !file.startsWith("cli/") && ambient.test(withoutComments(read(file))),
    );
    expect(offenders.sort()).toEqual(Object.keys(READS_AMBIENT).sort());
  });

  test("keeps accessors out of object literals", () => {
    const inLiteral = /^ {4,}(?:get|set) \w+\(/m;
    const offenders = files.filter((file) => isProduct(file) && inLiteral.test(read(file)));
    expect(
      offenders.filter((file) => !file.startsWith("cli/")).sort(),
      "V8 keeps the second and all further objects of such a literal as dictionaries: use a method or a class",
    ).toEqual(Object.keys(HAS_ACCESSORS).sort());
  });

  test("throws no refusal below the handlers", () => {
    const throwing = /throw (?:refuse|refusal|unwrap)\b/;
    const offenders = files.filter(
      (file) => isProduct(file) && /^(?:runtime|engine|store)\//.test(file) && throwing.test(read(file)),
    );
    expect(offenders).toEqual([]);
  });

  test("keeps TypeBox and Ajv out of everything that runs", () => {
    const offenders = files.filter(
      (file) =>
        !file.startsWith("protocol/rows/") &&
        !file.endsWith(".test.ts") &&
        /from "(typebox|ajv)/.test(read(file)),
    );
    expect(offenders.filter((file) => !file.startsWith("protocol/generate/"))).toEqual([]);
  });
});

describe("what browsers use", () => {
  test.each(["src/client/browser.ts", "src/protocol/index.ts"])("%s needs nothing of Node", async (entry) => {
    const { metafile } = await build({
      entryPoints: [entry],
      bundle: true,
      platform: "browser",
      format: "esm",
      write: false,
      metafile: true,
      logLevel: "silent",
    });
    const modules = Object.keys(metafile.inputs).filter((input) => input.startsWith("src/"));
    const strangers = modules.filter(
      (file) => !/^src\/(base|protocol|jsonrpc|transport|client)\//.test(file),
    );
    expect(strangers).toEqual([]);
  });
});

/** Whether a file imports something that waits until the other end of a pipe is open, or all of `node:fs`. */
function opensFiles(text: string): boolean {
  const used = [...text.matchAll(/\bfs\.promises\.\w+/g)];
  return [...text.matchAll(/import ([^;]*?) from "node:fs(?:\/promises)?"/g), ...used].some(
    ([use, names = use]) => OPENING.test(names) || names.startsWith("*"),
  );
}

function isProduct(file: string): boolean {
  return !/\.(?:test|fixture|contract)\.ts$|\/fixtures\//.test(file);
}

/** Whether one folder imports another, itself or through others. */
function reaches(imports: ReadonlyMap<string, ReadonlySet<string>>, from: string, to: string): boolean {
  const seen = new Set<string>();
  const open = [...(imports.get(from) ?? [])];
  for (let folder = open.pop(); folder !== undefined; folder = open.pop()) {
    if (folder === to) return true;
    if (seen.has(folder)) continue;
    seen.add(folder);
    open.push(...(imports.get(folder) ?? []));
  }
  return false;
}

function withoutComments(text: string): string {
  return text.replaceAll(/\/\*[\s\S]*?\*\/|\/\/[^\n]*/g, "");
}

function existsAs(name: string): boolean {
  return files.some((file) => file === name || file.startsWith(`${name}/`));
}

function read(file: string): string {
  return readFileSync(join(SOURCE, file), "utf8");
}
