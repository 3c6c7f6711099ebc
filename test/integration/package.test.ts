import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

/** The package as npm would publish it, with its production dependencies and nothing else. */
const folder = mkdtempSync(join(tmpdir(), "heddle-package-"));
const installed = join(folder, "node_modules", "heddle");
const { exports: subpaths } = JSON.parse(readFileSync("package.json", "utf8")) as {
  exports: Record<string, unknown>;
};
const modules = Object.keys(subpaths)
  .filter((subpath) => subpath !== "./package.json")
  .map((subpath) => subpath.replace(/^\./, "heddle"));

function run(command: string, args: readonly string[], input = "") {
  const env = { PATH: process.env["PATH"], HOME: folder, HEDDLE_HOME: join(folder, "home") };
  return spawnSync(command, args, { cwd: folder, env, input, encoding: "utf8", timeout: 60_000 });
}

/** Dependencies that are always installed; the optional ones are native and may be missing. */
function productionDependencies(): string[] {
  const { packages } = JSON.parse(readFileSync("package-lock.json", "utf8")) as {
    packages: Record<string, { dev?: true; optional?: true; devOptional?: true }>;
  };
  return Object.entries(packages)
    .filter(([, { dev, optional, devOptional }]) => !dev && !optional && !devOptional)
    .map(([path]) => path)
    .filter((path) => /^node_modules\/(?:@[^/]+\/)?[^/]+$/u.test(path));
}

beforeAll(() => {
  const pack = ["pack", "--ignore-scripts", "--loglevel=error", "--pack-destination", folder];
  const tarball = execFileSync("npm", pack, { encoding: "utf8" }).trim().split("\n").at(-1) ?? "";
  mkdirSync(installed, { recursive: true });
  execFileSync("tar", ["-xzf", join(folder, tarball), "--strip-components=1", "-C", installed]);
  writeFileSync(join(folder, "package.json"), '{ "name": "user", "private": true, "type": "module" }');
  for (const path of productionDependencies()) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    symlinkSync(resolve(path), join(folder, path));
  }
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

function documentPrograms(): [string, string][] {
  const pages = readdirSync("docs").filter((name) => name.endsWith(".md"));
  return ["README.md", ...pages.map((name) => join("docs", name))].flatMap((file) =>
    [...readFileSync(file, "utf8").matchAll(/^```(js|ts)\n(.*?)^```$/gms)].map(
      ([, language = "", code = ""], at): [string, string] => [
        `${file.replace(/\W+/g, "-")}-${at}.${language}`,
        // A module even without imports.
        `${code}\nexport {};\n`,
      ],
    ),
  );
}

function examplePrograms(): [string, string][] {
  return readdirSync("examples").map((name) => [name, readFileSync(join("examples", name), "utf8")]);
}

describe("the published package", () => {
  test("runs as a program", () => {
    const { bin } = JSON.parse(readFileSync(join(installed, "package.json"), "utf8")) as {
      bin: { heddle: string };
    };
    const program = join(folder, "node_modules", ".bin", "heddle");
    mkdirSync(dirname(program));
    symlinkSync(join(installed, bin.heddle), program);
    chmodSync(program, 0o755);
    expect(run(program, ["--version"]).stdout).toMatch(/^heddle \d+\.\d+\.\d+\n$/);
    const hello = { id: 1, method: "initialize", params: { clientInfo: { name: "user", version: "1" } } };
    const { stdout, status } = run(program, ["app-server"], `${JSON.stringify(hello)}\n`);
    expect(JSON.parse(stdout.split("\n")[0] ?? "")).toMatchObject({
      id: 1,
      result: { codexHome: join(folder, "home") },
    });
    expect(status).toBe(0);
  });

  test("says which Node it needs where that is too old, and the same as a clone does", () => {
    const preload = join(folder, "older.cjs");
    const versions = '{ value: { ...process.versions, node: "20.18.3" } }';
    writeFileSync(preload, `Object.defineProperty(process, "versions", ${versions});`);
    const message =
      /^Heddle needs Node 20\.19 or newer; this is v?20\.\d+\.\d+\. Install a newer Node and try again\.\n$/u;
    for (const program of [join(installed, "dist", "cli.js"), resolve("scripts/setup.mjs")]) {
      const { status, stdout, stderr } = run(process.execPath, ["--require", preload, program, "doctor"]);
      expect([status, stdout, stderr]).toEqual([1, "", expect.stringMatching(message)]);
    }
  });

  test.each(["apply_patch", "applypatch"])("brings %s along for commands", (name) => {
    const program = join(installed, "dist", "programs", name);
    const patch = `*** Begin Patch\n*** Add File: ${name}.txt\n+new\n*** End Patch\n`;
    expect(run(program, [], patch)).toMatchObject({
      stdout: `Success. Updated the following files:\nA ${name}.txt\n`,
      stderr: "",
      status: 0,
    });
    expect(readFileSync(join(folder, `${name}.txt`), "utf8")).toBe("new\n");
  });

  test("has large libraries in files of their own, which a server reads when it needs them", () => {
    const dist = join(installed, "dist");
    const scripts = readdirSync(dist).filter((file) => /^heddle.*\.cjs$/u.test(file));
    const program = scripts.map((file) => readFileSync(join(dist, file), "utf8")).join("");
    const libraries = readdirSync(join(installed, "dist", "libraries"));
    expect(libraries.length).toBeGreaterThan(0);
    for (const file of libraries) {
      expect(program).toContain(`("./libraries/${file}")`);
      const loaded = run(process.execPath, [
        "-p",
        `Object.keys(require(${JSON.stringify(join(installed, "dist", "libraries", file))})).length > 0`,
      ]);
      expect([file, loaded.stdout.trim()]).toEqual([file, "true"]);
    }
  });

  test.each(modules)("%s can be imported", (name) => {
    const script = `import * as all from ${JSON.stringify(name)}; console.log(Object.keys(all).length > 0)`;
    expect(run(process.execPath, ["--input-type=module", "-e", script])).toMatchObject({
      stdout: "true\n",
      stderr: "",
    });
  });

  test.each([
    ["nodenext", "nodenext"],
    ["esnext", "bundler"],
  ])("its types resolve with module %s and resolution %s", (module, moduleResolution) => {
    const project = join(folder, moduleResolution);
    mkdirSync(project, { recursive: true });
    const source = [
      'import { connect, type Client } from "heddle/client";',
      'import { createHeddle } from "heddle";',
      'import { startTestHeddle } from "heddle/testing";',
      'import { errorCodes, type ThreadStartParams } from "heddle/protocol";',
      'import type { HookModule } from "heddle/hooks";',
      'import { type LifecycleResult, read, render } from "heddle/lifecycle";',
      'const params: ThreadStartParams = { cwd: "/" };',
      'export const guard: HookModule<"PreToolUse"> = ({ tool_name }) =>',
      '  tool_name === "Bash" ? { decision: "block", reason: "no" } : null;',
      "export async function use(client: Client): Promise<string> {",
      "  const { thread } = await client.thread.start(params);",
      "  // @ts-expect-error a thread has no such member",
      "  thread.nothing;",
      "  return thread.id + errorCodes.overloaded;",
      "}",
      'const result: LifecycleResult = { decision: { kind: "deny", reason: "no" } };',
      'export const answer = render({ adapter: "codex", event: "frame.opening", result });',
      'export const heard = read("codex", {});',
      "export const all = [connect, createHeddle, startTestHeddle];",
    ];
    writeFileSync(join(project, "use.ts"), source.join("\n"));
    const options = {
      module,
      moduleResolution,
      strict: true,
      noEmit: true,
      target: "es2022",
      lib: ["es2023", "dom"],
      types: [],
    };
    writeFileSync(
      join(project, "tsconfig.json"),
      JSON.stringify({ compilerOptions: options, files: ["use.ts"] }),
    );
    const { stdout, status } = run(resolve("node_modules/.bin/tsc"), ["-p", project]);
    expect([status, stdout]).toEqual([0, ""]);
  });

  test("every program in the documents and examples is type-checked against it", () => {
    const project = join(folder, "programs");
    mkdirSync(project, { recursive: true });
    const names = [...documentPrograms(), ...examplePrograms()].map(([name, code]) => {
      writeFileSync(join(project, name), code);
      return name;
    });
    expect(names.length).toBeGreaterThan(20);
    const options = {
      module: "nodenext",
      strict: true,
      noEmit: true,
      allowJs: true,
      checkJs: true,
      target: "es2022",
      lib: ["es2023"],
      types: ["node"],
      typeRoots: [resolve("node_modules/@types")],
    };
    writeFileSync(join(project, "package.json"), '{ "type": "module" }');
    writeFileSync(join(project, "tsconfig.json"), JSON.stringify({ compilerOptions: options, files: names }));
    const { stdout, status } = run(resolve("node_modules/.bin/tsc"), ["-p", project]);
    expect([status, stdout]).toEqual([0, ""]);
  });

  test("every link in its documents leads to a file that is in it", () => {
    const pages = readdirSync(installed, { recursive: true, encoding: "utf8" }).filter((path) =>
      path.endsWith(".md"),
    );
    expect(pages).toEqual(expect.arrayContaining(["README.md", "docs/start.md"]));
    const missing = pages.flatMap((page) =>
      [...readFileSync(join(installed, page), "utf8").matchAll(/\]\(([^)#:\s]+)(?:#[^)]*)?\)/gu)]
        .map(([, target = ""]) => resolve(installed, page, "..", target))
        .filter((target) => !existsSync(target))
        .map((target) => `${page}: ${target}`),
    );
    expect(missing).toEqual([]);
  });

  test("says nothing that a package checker objects to", async () => {
    // The installed package is already packed: all of it is what a user gets.
    const { messages } = await publint({ pkgDir: installed, strict: true, pack: false });
    expect(messages).toEqual([]);
  });
});
