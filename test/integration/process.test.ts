import { existsSync } from "node:fs";
import { describe, expect, onTestFinished, test } from "vitest";
import { Child } from "../support/child.ts";
import {
  HEDDLE,
  type RunningServer,
  type StartOptions,
  serverEnvironment,
  startServer,
} from "../support/start-server.ts";
import { createTempHome } from "../support/temp-home.ts";

const hello = {
  clientInfo: { name: "test", title: null, version: "1" },
  capabilities: { experimentalApi: true },
};

async function start(options?: StartOptions): Promise<RunningServer> {
  const server = await startServer(options);
  onTestFinished(() => server.stop().then(() => {}));
  return server;
}

async function runToEnd(args: readonly string[]) {
  const home = await createTempHome();
  onTestFinished(() => home.remove());
  const child = new Child({
    command: HEDDLE.command,
    args: [...HEDDLE.args, ...args],
    cwd: home.workspace,
    env: serverEnvironment(home),
  });
  child.endInput();
  const { code } = await child.exit;
  return { code, stdout: child.stdout, stderr: child.stderr };
}

describe("a server over stdio", () => {
  test("ends with code 0 at the end of its input, also before a word was said", async () => {
    expect(await runToEnd(["app-server"])).toEqual({ code: 0, stdout: "", stderr: "" });
  });

  test("says nothing on stderr when its first thread starts: V8 knows the flag that is set then", async () => {
    const server = await start();
    const client = await server.connect();
    await client.result("initialize", hello);
    await client.result("thread/start", {});
    server.child.endInput();
    await server.child.exit;
    expect(server.child.stderr).toBe("");
  });

  test.each(["SIGTERM", "SIGINT", "SIGHUP"] as const)("ends with code 0 on %s", async (signal) => {
    const server = await start();
    await (await server.connect()).request("initialize", hello);
    server.child.signal(signal);
    expect(await server.child.exit).toEqual({ code: 0, signal: null });
  });

  test("answers everything that was asked before its input ended", async () => {
    const server = await start();
    const client = await server.connect();
    client.send("initialize", hello, "first");
    const ids = Array.from({ length: 200 }, (_, index) => client.send("thread/loaded/list", {}, index));
    server.child.endInput();
    await server.child.exit;
    const answered = client.received
      .filter(({ kind }) => kind === "response")
      .map(({ message }) => message["id"]);
    expect(answered).toEqual(["first", ...ids]);
  });
});

describe("a server on sockets", () => {
  test("removes its socket file when it ends", async () => {
    const server = await start({ transport: "unix" });
    await (await server.connect()).request("initialize", hello);
    server.child.signal("SIGTERM");
    expect(await server.child.exit).toEqual({ code: 0, signal: null });
    expect(existsSync(server.socketPath!)).toBe(false);
  });

  test("a client that has gone costs the others nothing", async () => {
    const server = await start({ transport: "ws" });
    const [first, second] = [await server.connect(), await server.connect()];
    await first.request("initialize", hello);
    await second.request("initialize", hello);
    await first.close();
    expect(await second.result("thread/loaded/list", {})).toEqual({ data: [], nextCursor: null });
  });
});

describe("the command line", () => {
  test("prints its version and its help with examples", async () => {
    expect(await runToEnd(["--version"])).toMatchObject({
      code: 0,
      stdout: expect.stringMatching(/^heddle \d+\.\d+\.\d+\n$/),
    });
    for (const args of [["--help"], ["app-server", "--help"], ["serve", "-h"], ["doctor", "--help"]]) {
      const { code, stdout } = await runToEnd(args);
      expect([code, stdout]).toEqual([0, expect.stringContaining("Examples:")]);
    }
  });

  test("says what is wrong with a command line, and ends with code 2", async () => {
    expect(await runToEnd(["app-server", "--bogus"])).toEqual({
      code: 2,
      stdout: "",
      stderr:
        "error: unexpected argument '--bogus' found\n\nUsage: heddle app-server [OPTIONS] [COMMAND]\n\nFor more information, try '--help'.\n",
    });
    expect((await runToEnd(["frobnicate"])).stderr).toContain("unrecognized subcommand 'frobnicate'");
  });

  test("does not start a listener that everybody could reach", async () => {
    const { code, stderr } = await runToEnd(["app-server", "--listen", "ws://0.0.0.0:0"]);
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining("refusing to start non-loopback websocket listener 0.0.0.0:0"),
    ]);
  });

  test("prints the protocol as JSON Schema and as TypeScript, from either place", async () => {
    const { stdout } = await runToEnd(["generate-json-schema"]);
    expect(JSON.parse(stdout)).toHaveProperty("definitions.ThreadStartParams");
    expect((await runToEnd(["app-server", "generate-ts", "--experimental"])).stdout).toContain(
      "export type ThreadStartParams",
    );
  });
});
