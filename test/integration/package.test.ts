import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

/** The package as npm would publish it, installed with production dependencies only. */
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

beforeAll(() => {
  const npm = (args: string[], cwd: string) =>
    execFileSync("npm", [...args, "--loglevel=error"], { cwd, encoding: "utf8" });
  const [tarball = ""] = npm(["pack", "--ignore-scripts", "--pack-destination", folder], resolve("."))
    .trim()
    .split("\n")
    .slice(-1);
  writeFileSync(join(folder, "package.json"), '{ "name": "user", "private": true, "type": "module" }');
  // The optional native driver is left out: compiling it takes minutes, and a user may well be without it.
  npm(["install", "--omit=optional", "--omit=dev", "--no-audit", "--no-fund", `./${tarball}`], folder);
}, 120_000);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("the published package", () => {
  test("runs as a program", () => {
    const program = join(folder, "node_modules", ".bin", "heddle");
    expect(run(program, ["--version"]).stdout).toMatch(/^heddle \d+\.\d+\.\d+\n$/);
    const hello = { id: 1, method: "initialize", params: { clientInfo: { name: "user", version: "1" } } };
    const { stdout, status } = run(program, ["app-server"], `${JSON.stringify(hello)}\n`);
    expect(JSON.parse(stdout.split("\n")[0] ?? "")).toMatchObject({
      id: 1,
      result: { codexHome: join(folder, "home") },
    });
    expect(status).toBe(0);
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
      'const params: ThreadStartParams = { cwd: "/" };',
      "export async function use(client: Client): Promise<string> {",
      "  const { thread } = await client.thread.start(params);",
      "  // @ts-expect-error a thread has no such member",
      "  thread.nothing;",
      "  return thread.id + errorCodes.overloaded;",
      "}",
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

  test("says nothing that a package checker objects to", async () => {
    const { messages } = await publint({ pkgDir: installed, strict: true });
    expect(messages).toEqual([]);
  });
});
