/**
 * The installed package on the supported versions of Node, without native dependencies, which not every
 * package manager builds.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { program } from "../../src/cli/program.ts";
import { fetchNode, npmInstall } from "../support/fetched-node.ts";

const SUPPORTED = ["22.23.3", "24.21.0"];
const TOO_OLD = ["16.20.2", "20.11.1"];
const FETCHING = 180_000;

const folder = mkdtempSync(join(tmpdir(), "heddle-nodes-"));
const cli = join(folder, "user", "node_modules", "heddle", "dist", "cli.js");
let lack: string | null = "not installed";

function run(node: string, words: readonly string[], input = "") {
  const env = { PATH: process.env["PATH"], HOME: folder, HEDDLE_HOME: join(folder, "home") };
  const cwd = join(folder, "user");
  return spawnSync(node, words, { cwd, env, input, encoding: "utf8", timeout: 60_000 });
}

beforeAll(() => {
  const pack = ["pack", "--ignore-scripts", "--loglevel=error", "--pack-destination", folder];
  const tarball = execFileSync("npm", pack, { encoding: "utf8" }).trim().split("\n").at(-1) ?? "";
  lack = npmInstall(join(folder, "user"), join(folder, tarball), ["--ignore-scripts"]);
}, FETCHING);

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const CONVERSATION = `
import { createHeddle } from "heddle";
import { connect } from "heddle/client";
const client = await connect("stdio:");
const thread = await client.startThread();
const { text, turn } = await thread.run("Hello!");
console.log(typeof createHeddle, turn.status, text.length > 0);
await client.close();
`;

describe("the package, installed with npm and without its scripts", () => {
  for (const version of SUPPORTED) {
    test(`works on Node ${version} with a silent stderr`, { timeout: FETCHING }, ({ skip }) => {
      const node = fetchNode(version);
      if (node.kind === "unreachable") return skip(node.why);
      if (lack !== null) return skip(`needs the registry of npm: ${lack}`);
      const call = (...words: readonly string[]) => run(node.path, [cli, ...words]);
      expect(call("--version")).toMatchObject({ status: 0, stderr: "" });
      expect(call("doctor")).toMatchObject({ status: 0, stderr: "" });
      expect(call("exec", "--json", "--skip-git-repo-check", "Hello!")).toMatchObject({
        status: 0,
        stdout: expect.stringContaining('"turn.completed"'),
        stderr: expect.not.stringContaining("Warning"),
      });
      expect(call("threads", "list", "--json")).toMatchObject({
        status: 0,
        stdout: expect.stringContaining("Hello!"),
        stderr: "",
      });
      writeFileSync(join(folder, "user", "talk.mjs"), CONVERSATION);
      expect(run(node.path, ["talk.mjs"])).toMatchObject({
        stdout: "function completed true\n",
        stderr: "",
        status: 0,
      });
    });
  }

  for (const version of TOO_OLD) {
    test(`says which Node it needs on Node ${version}, whatever is called`, { timeout: FETCHING }, async ({
      skip,
    }) => {
      const node = fetchNode(version);
      if (node.kind === "unreachable") return skip(node.why);
      if (lack !== null) return skip(`needs the registry of npm: ${lack}`);
      const names = ((await program.load()).subcommands ?? []).map(({ name }) => name);
      for (const words of [[], ["--version"], ...names.map((name) => [name])]) {
        expect([words, run(node.path, [cli, ...words])]).toMatchObject([
          words,
          { status: 1, stdout: "", stderr: oldNodeMessage(version) },
        ]);
      }
    });
  }

  test("where this Node has no SQLite of its own, says in one line what to run", ({ skip }) => {
    if (isBuiltin("node:sqlite")) return skip("this Node has SQLite built in");
    if (lack !== null) return skip(`needs the registry of npm: ${lack}`);
    for (const words of [
      ["serve", "--listen", "ws://127.0.0.1:0"],
      ["exec", "--skip-git-repo-check", "Hello!"],
      ["threads", "list"],
      ["queue", "list"],
      ["gc"],
    ]) {
      const { status, stdout, stderr } = run(process.execPath, [cli, ...words]);
      expect([words, status, stdout]).toEqual([words, 1, ""]);
      expect(stderr.trim().split("\n").at(-1)).toMatch(
        /^Error: .*SQLite is not available: .*`npm rebuild better-sqlite3 --ignore-scripts=false` in \S+\/user, or use Node 22\.13/u,
      );
      expect(stderr).not.toContain("Tried:");
    }
  });
});

function oldNodeMessage(version: string): string {
  const { engines } = JSON.parse(readFileSync("package.json", "utf8")) as { engines: { node: string } };
  return `Heddle needs Node ${engines.node.replace(">=", "")} or newer; this is ${version}. Install a newer Node and try again.\n`;
}
