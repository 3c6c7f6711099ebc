/** Homes that cannot be written: requests fail with the reason and advice. */
import { execFileSync } from "node:child_process";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { Child } from "../support/child.ts";
import { at } from "../support/json.ts";
import { HEDDLE, serverEnvironment, startServer } from "../support/start-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";

/** Shell commands on the home, whose path is `$0`, in the server's own mount namespace. */
const READ_ONLY = 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0"';
const FULL =
  'mount -t tmpfs -o size=64k none "$0" && { dd if=/dev/zero of="$0/filler" bs=1k count=128 || true; }';

async function openHome(): Promise<TempHome> {
  const home = await createTempHome({ config: "" });
  onTestFinished(() => home.remove());
  return home;
}

async function connect(home: TempHome, prepare = "true") {
  const script = `${prepare} 2>/dev/null && exec "$@"`;
  const args = ["-m", "sh", "-c", script, home.home, HEDDLE.command, ...HEDDLE.args];
  const server = await startServer({ home, program: { command: "unshare", args } });
  onTestFinished(() => server.stop().then(() => {}));
  const client = await server.connect();
  await client.result("initialize", {
    clientInfo: { name: "test", title: null, version: "1" },
    capabilities: { experimentalApi: true },
  });
  return async (method: string, params: object = {}) => {
    const answer = await client.request(method, params);
    return at(answer, ["error", "message"]) ?? answer["result"];
  };
}

/** A thread with one turn, from another server that has exited. */
async function leaveThread(home: TempHome): Promise<unknown> {
  const server = await startServer({ home });
  onTestFinished(() => server.stop().then(() => {}));
  const client = await server.connect();
  await client.result("initialize", { clientInfo: { name: "test", title: null, version: "1" } });
  const threadId = at(await client.result("thread/start", {}), ["thread", "id"]);
  await client.result("turn/start", { threadId, input: [{ type: "text", text: "Hello" }] });
  await client.next({ method: "turn/completed" });
  await server.stop();
  return threadId;
}

const canMount = (() => {
  try {
    execFileSync("unshare", ["-m", "mount", "-t", "tmpfs", "none", "/mnt"], { stdio: "ignore" });
    return true;
  } catch {
    return false;
  }
})();

describe.runIf(canMount)("a home", () => {
  test.each([
    ["that is read-only", READ_ONLY, /Read-only file system \(os error 30\); make it writable/],
    ["on a full disk", FULL, /heddle\.sqlite: database or disk is full; free some space there/],
  ])("%s, when it is new", async (_name, prepare, expected) => {
    const home = await openHome();
    const ask = await connect(home, prepare);
    for (const method of ["thread/start", "thread/list"]) expect(await ask(method)).toMatch(expected);
    for (const method of ["thread/read", "thread/resume", "thread/fork", "thread/archive"])
      expect(await ask(method, { threadId: "01997a5e-2b3c-7d4e-8f50-000000000001" })).toMatch(expected);
    const edit = { keyPath: "model", value: "m", mergeStrategy: "replace" };
    expect(await ask("config/value/write", edit)).toMatch(/^failed to persist config\.toml: [RN]/);
  });

  test("that is read-only, when it has a history", async () => {
    const home = await openHome();
    const threadId = await leaveThread(home);
    const ask = await connect(home, READ_ONLY);
    const expected =
      /^cannot use .*heddle\.sqlite.*: Read-only file system \(os error 30\); make it writable/;
    expect(await ask("thread/start")).toMatch(expected);
    expect(await ask("thread/list")).toMatch(expected);
    for (const method of ["thread/read", "thread/resume", "thread/fork", "thread/archive"])
      expect(await ask(method, { threadId })).toMatch(expected);
    expect(await ask("thread/name/set", { threadId, name: "n" })).toMatch(expected);
  });
});

test("a folder in the place of the database is named", async () => {
  const home = await openHome();
  mkdirSync(join(home.home, "heddle.sqlite"));
  const ask = await connect(home);
  expect(await ask("thread/start")).toBe(
    `cannot use ${join(home.home, "heddle.sqlite")}: Is a directory (os error 21); move away what stands in its place`,
  );
});

test("a file in the place of the home is named, and the server does not start", async () => {
  const home = await openHome();
  await home.write("file", "");
  const file = join(home.root, "file");
  const { command, args } = HEDDLE;
  const env = { ...serverEnvironment(home), CODEX_HOME: file };
  const child = new Child({ command, args: [...args, "app-server"], cwd: home.workspace, env });
  const { code } = await child.exit;
  expect([code, child.stderr]).toEqual([
    1,
    expect.stringContaining(`${file}: it is not a folder; move it away`),
  ]);
});
