/** The scripts of the command line: which of them a server reads and when, and that they are from one build. */
import { cpSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { expect, onTestFinished, test } from "vitest";
import { startServer } from "../support/start-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";

const HELLO = { clientInfo: { name: "test", title: null, version: "1" } };

/** Writes a line to stderr for each script that is compiled. */
const PROBE = `const vm = require("node:vm");
vm.Script = class extends vm.Script {
  constructor(text, options) {
    super(text, options);
    process.stderr.write(options.filename + " rejected=" + this.cachedDataRejected + "\\n");
  }
};`;

async function createHome(): Promise<TempHome> {
  const home = await createTempHome();
  onTestFinished(() => home.remove());
  return home;
}

async function start(home: TempHome, ...args: string[]) {
  const program = { command: process.execPath, args };
  const server = await startServer({ program, transport: "stdio", home });
  onTestFinished(() => server.stop().then(() => {}));
  return { client: await server.connect(), child: server.child };
}

function scriptsIn(stderr: string): string[] {
  return stderr
    .trim()
    .split("\n")
    .map((line) => basename(line));
}

test("a server compiles two scripts from their code caches, the second after initialize", async () => {
  const home = await createHome();
  const probe = join(home.user, "probe.cjs");
  writeFileSync(probe, PROBE);
  const { client, child } = await start(home, "--require", probe, resolve("dist/cli.js"));
  expect(await client.request("thread/start", {})).toMatchObject({ error: { message: "Not initialized" } });
  expect(scriptsIn(child.stderr)).toEqual(["heddle.cjs rejected=false"]);
  await client.result("initialize", HELLO);
  await client.result("thread/start", {});
  expect(scriptsIn(child.stderr)).toEqual(["heddle.cjs rejected=false", "heddle-server.cjs rejected=false"]);
});

test("what is read before the answer to initialize stays small", () => {
  expect(statSync("dist/heddle.cjs").size).toBeLessThan(300_000);
});

test("scripts of two builds are not mixed", async () => {
  const home = await createHome();
  const dist = join(home.root, "dist");
  mkdirSync(dist);
  for (const file of ["package.json", "cli.js", "heddle.cjs"])
    cpSync(join("dist", file), join(dist, file), { recursive: true });
  symlinkSync(resolve("node_modules"), join(home.root, "node_modules"));
  const other = readFileSync("dist/heddle-server.cjs", "latin1").replace(/buildId:"\w/u, 'buildId:"-');
  writeFileSync(join(dist, "heddle-server.cjs"), other);
  const { client, child } = await start(home, join(dist, "cli.js"));
  await client.result("initialize", HELLO);
  expect(await client.request("thread/start", {})).toMatchObject({ error: { code: -32603 } });
  expect(child.stderr).toContain("was replaced by another version while it was starting");
});
