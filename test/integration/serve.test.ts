/** `heddle serve` for operators: it is usable, or it does not start and prints the reason. */
import { readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Child } from "../support/child.ts";
import { HEDDLE, serverEnvironment, startServer } from "../support/start-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";
import { withoutSqlite } from "../support/without-sqlite.ts";

const DEADLINE = 20_000;

async function serve(
  config: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  given?: TempHome,
) {
  const home = given ?? (await createTempHome({ config }));
  const child = new Child({
    command: HEDDLE.command,
    args: [...HEDDLE.args, "serve", "--listen", "ws://127.0.0.1:0", ...args],
    cwd: home.workspace,
    env: serverEnvironment(home, env),
  });
  onTestFinished(async () => {
    await child.stop();
    await home.remove();
  });
  return { home, child };
}

describe("heddle serve", () => {
  test.each<[string, string, readonly string[], RegExp]>([
    [
      "broken TOML",
      "model = ",
      [],
      /config\.toml:1:9: invalid value\ncorrect .*config\.toml or the command line/u,
    ],
    ["a bad value", 'approval_policy = "nope"', [], /config\.toml:1:19: unknown variant `nope`.*\ncorrect /u],
    [
      "a provider that is not there",
      'model_provider = "nope"',
      [],
      /Model provider `nope` not found\ncorrect /u,
    ],
    ["the same on the command line", "", ["-c", "model_provider=nope"], /`nope` not found\ncorrect /u],
  ])("%s: ends with 1 and says where and what to do", async (_, config, args, expected) => {
    const { child } = await serve(config, args);
    expect(await child.exit).toEqual({ code: 1, signal: null });
    expect(child.stderr).toMatch(expected);
    expect(child.stderr).not.toContain("listening");
  });

  test("a machine without SQLite: ends with 1 and says what to install", async () => {
    const { child } = await serve("", [], withoutSqlite());
    expect(await child.exit).toEqual({ code: 1, signal: null });
    expect(child.stderr).toContain("npm rebuild better-sqlite3");
  });

  test("is ready only while it can be used, and tells whoever probes nothing else", async () => {
    const { home, child } = await serve("");
    const [, address] = await child.stderrMatch(/listening on {2}ws:\/\/(\S+)/u, DEADLINE);
    const probe = async (path: string) => {
      const response = await fetch(`http://${address}${path}`);
      return [response.status, await response.text()];
    };
    expect(await probe("/readyz")).toEqual([200, ""]);
    writeFileSync(join(home.home, "config.toml"), "model = ");
    expect(await probe("/readyz")).toEqual([503, "the server cannot be used: its log says why"]);
    expect(await probe("/healthz")).toEqual([200, ""]);
    await child.stderrMatch(/the server cannot be used .*config\.toml:1:9/u, DEADLINE);
    writeFileSync(join(home.home, "config.toml"), 'model = "m"');
    expect(await probe("/readyz")).toEqual([200, ""]);
  });
});

test("log_dir of the configuration holds the log, with what an operator wants to know", async () => {
  const { home, child } = await serve('log_dir = "logs"');
  const [, address] = await child.stderrMatch(/listening on {2}ws:\/\/(\S+)/u, DEADLINE);
  await fetch(`http://${address}/readyz`, { headers: { origin: "https://evil.example" } });
  child.signal("SIGTERM");
  expect(await child.exit).toEqual({ code: 0, signal: null });
  const log = readFileSync(join(home.home, "logs", "heddle.log"), "utf8");
  expect(log).toMatch(/ERROR connection refused .*"status":403.*"page":"https:\/\/evil\.example"/u);
  expect(log).toContain("processor task exited");
});

test.each<[string, readonly string[], string]>([
  ["a link", ["--log-file", "link.log"], "it is a symbolic link; name the file itself"],
  [
    "in a folder that is not there",
    ["--log-file", "nowhere/a.log"],
    "No such file or directory (os error 2)",
  ],
])("a log file that is %s keeps the server from starting", async (_, args, reason) => {
  const home = await createTempHome({ config: "" });
  symlinkSync("elsewhere", join(home.workspace, "link.log"));
  const { child } = await serve("", args, {}, home);
  expect(await child.exit).toEqual({ code: 1, signal: null });
  expect(child.stderr).toContain(`cannot write the log to ${join(home.workspace, args[1] ?? "")}: ${reason}`);
});

test("heddle app-server works around a broken configuration, and says so in its log", async () => {
  const server = await startServer({ transport: "ws", config: "model = " });
  onTestFinished(() => server.stop().then(() => {}));
  expect(server.child.stderr).toMatch(/ERROR Invalid configuration; using defaults\. .*config\.toml:1:9/u);
  expect((await fetch(`http://${server.address}/readyz`)).status).toBe(200);
});
