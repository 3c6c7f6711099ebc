import { tmpdir } from "node:os";
import { describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import { createLocalHost } from "../../process/local-host.ts";
import { errorCodes } from "../../protocol/errors.ts";
import { NO_BACKLOG } from "../../transport/transport.ts";
import type { ParamsOf } from "../connections/handler.ts";
import { createClientProcesses } from "../machine/client-processes.ts";
import { createClients } from "./client-work.fixture.ts";
import { createProcessHandlers } from "./processes.ts";

function setUp(env: Environment = {}, backlog = NO_BACKLOG) {
  const host = createLocalHost();
  onTestFinished(() => host.close());
  const { notifier, connect } = createClients();
  const processes = createClientProcesses();
  const handlers = createProcessHandlers({
    processes,
    host: () => Promise.resolve(host),
    programs: () => Promise.resolve({ folder: "/own/programs", node: "/own/node" }),
    clock: systemClock,
    env: { PATH: "/usr/bin:/bin", HOME: "/home", OPENAI_IDENTITY_TOKEN_FILE: "secret", ...env },
    notifier,
  });
  const client = connect(0, backlog);
  const spawn = async (script: string, more: Partial<ParamsOf<"process/spawn">> = {}) =>
    handlers["process/spawn"](
      { command: ["sh", "-c", script], processHandle: "p", cwd: tmpdir(), ...more },
      client.context,
    );
  return { handlers, client, processes, spawn };
}

const exited = (more: object = {}) => [
  "process/exited",
  {
    processHandle: "p",
    exitCode: 0,
    outputDrainTimedOut: false,
    stdout: "",
    stdoutCapReached: false,
    stderr: "",
    stderrCapReached: false,
    ...more,
  },
];
const delta = (text: string) => [
  "process/outputDelta",
  { processHandle: "p", stream: "stdout", deltaBase64: btoa(text), capReached: false },
];

describe("a process whose client is behind with reading", () => {
  test("waits, and loses nothing of what it writes, also after its end", async () => {
    let isBehind = false;
    let release = () => {};
    const caughtUp = new Promise<void>((resolve) => {
      release = resolve;
    });
    const backlog = { ...NO_BACKLOG, isBehind: () => isBehind, whenCaughtUp: () => caughtUp };
    const { client, spawn } = setUp({}, backlog);
    isBehind = true;
    await spawn("head -c 3000000 /dev/zero", { streamStdoutStderr: true, outputBytesCap: null });
    client.reply();
    const sizeOf = (heard: readonly (readonly [string, unknown])[]) =>
      heard.reduce((sum, [, params]) => {
        const { deltaBase64 = "" } = params as { deltaBase64?: string };
        return sum + Buffer.byteLength(deltaBase64, "base64");
      }, 0);
    const early = sizeOf(await client.until("process/outputDelta"));
    // Longer than output is awaited after the exit.
    await new Promise((resolve) => setTimeout(resolve, 2500));
    const held = early + sizeOf(client.received);
    expect(held).toBeLessThan(1_000_000);
    isBehind = false;
    release();
    const heard = await client.until("process/exited");
    expect([early + sizeOf(heard), heard.at(-1)]).toEqual([3_000_000, exited()]);
  });
});

describe("a process", () => {
  test("that may write what it wants has the beginning of it kept", async () => {
    const { client, spawn } = setUp();
    await spawn("head -c 40000000 /dev/zero", { outputBytesCap: null });
    client.reply();
    const [[, end] = []] = await client.until("process/exited");
    const { stdout, stdoutCapReached } = end as { stdout: string; stdoutCapReached: boolean };
    expect([stdout.length, stdoutCapReached]).toEqual([32 * 1024 * 1024, true]);
  });

  test("is answered at once, and its end tells what it wrote", async () => {
    const { client, spawn } = setUp();
    expect(await spawn("echo out; echo err >&2; exit 3")).toEqual({});
    expect(client.received).toEqual([]);
    client.reply();
    const end = exited({ exitCode: 3, stdout: "out\n", stderr: "err\n" });
    expect(await client.until("process/exited")).toEqual([end]);
  });

  test("sends nothing before its start was answered", async () => {
    const { client, handlers, spawn } = setUp();
    await spawn("echo early; cat", { streamStdin: true, streamStdoutStderr: true });
    client.reply();
    expect(await client.until("process/outputDelta")).toEqual([delta("early\n")]);
    const write = { processHandle: "p", deltaBase64: btoa("hi"), closeStdin: true };
    await handlers["process/writeStdin"](write, client.context);
    expect(await client.until("process/exited")).toEqual([delta("hi"), exited()]);
  });

  test("that was over before its start was answered has lost nothing", async () => {
    const { client, handlers, spawn } = setUp();
    await spawn("echo early");
    const kill = async () => handlers["process/kill"]({ processHandle: "p" }, client.context);
    await spawn("true; sleep 0.2", { processHandle: "later" });
    client.reply();
    const heard = await client.until("process/exited");
    expect(heard).toEqual([exited({ stdout: "early\n" })]);
    await expect(kill()).rejects.toThrow('no active process for process handle "p"');
  });

  test("has the server's variables but for its secrets, changed as the client wants", async () => {
    const { client, spawn } = setUp();
    await spawn("echo $HOME-$X-$OPENAI_IDENTITY_TOKEN_FILE", { env: { HOME: null, X: "x" } });
    client.reply();
    expect(await client.until("process/exited")).toEqual([exited({ stdout: "-x-\n" })]);
  });

  test("says of each stream whether it was cut", async () => {
    const { client, spawn } = setUp();
    await spawn("printf 123456; printf 12 >&2", { outputBytesCap: 4 });
    client.reply();
    const end = exited({ stdout: "1234", stdoutCapReached: true, stderr: "12" });
    expect(await client.until("process/exited")).toEqual([end]);
  });

  test("that takes too long is ended with code 124; null lets it take its time", async () => {
    const { client, handlers, spawn } = setUp();
    await spawn("sleep 60", { timeoutMs: 100 });
    client.reply();
    expect(await client.until("process/exited")).toEqual([exited({ exitCode: 124 })]);
    await spawn("sleep 60", { timeoutMs: null, outputBytesCap: null });
    client.reply();
    await handlers["process/kill"]({ processHandle: "p" }, client.context);
    expect(await client.until("process/exited")).toEqual([exited({ exitCode: 137 })]);
  });

  test("does not wait for ever for what it left behind", async () => {
    const { client, spawn } = setUp();
    await spawn("echo hi; sleep 60 &");
    client.reply();
    const end = exited({ stdout: "hi\n", outputDrainTimedOut: true });
    expect(await client.until("process/exited")).toEqual([end]);
  });

  test("can have a terminal, whose size changes", async () => {
    const { client, handlers, spawn } = setUp();
    await spawn("stty size; read line; stty size", { tty: true });
    client.reply();
    expect(await client.until("process/outputDelta")).toEqual([delta("24 80\r\n")]);
    await handlers["process/resizePty"]({ processHandle: "p", size: { rows: 5, cols: 6 } }, client.context);
    await handlers["process/writeStdin"]({ processHandle: "p", deltaBase64: btoa("\n") }, client.context);
    const heard = await client.until("process/exited");
    expect(heard.at(-1)).toEqual(exited());
    const said = heard
      .slice(0, -1)
      .map(([, params]) => atob((params as { deltaBase64: string }).deltaBase64));
    expect(said.join("")).toBe("\r\n5 6\r\n");
  });
});

describe("what cannot be asked for", () => {
  test.each<[Partial<ParamsOf<"process/spawn">>, number | string, string]>([
    [{ command: [] }, -32600, "command must not be empty"],
    [{ processHandle: "" }, -32600, "processHandle must not be empty"],
    [{ size: { rows: 1, cols: 1 } }, errorCodes.invalidParams, "process/spawn size requires tty: true"],
    [
      { tty: true, size: { rows: 0, cols: 1 } },
      errorCodes.invalidParams,
      "process size rows and cols must be greater than 0",
    ],
    [{ timeoutMs: -1 }, -32602, "process/spawn timeoutMs must be non-negative, got -1"],
    [{ command: ["/nowhere/x"] }, -32603, "failed to spawn process: No such file or directory (os error 2)"],
  ])("%j", async (params, code, message) => {
    await expect(setUp().spawn("true", params)).rejects.toMatchObject({ code, message });
  });

  test("of any process where they are for another place", async () => {
    await expect(setUp({ CODEX_EXEC_SERVER_URL: "none" }).spawn("true")).rejects.toMatchObject({
      code: errorCodes.internalError,
      message: "local environment is not configured",
    });
  });

  test("of a process that is not there, or not of that kind", async () => {
    const { client, handlers, processes, spawn } = setUp();
    const kill = async () => handlers["process/kill"]({ processHandle: "p" }, client.context);
    await expect(kill()).rejects.toThrow('no active process for process handle "p"');
    await spawn("sleep 60");
    await expect(spawn("true")).rejects.toThrow('duplicate active process handle: "p"');
    const write = async (more: object) =>
      handlers["process/writeStdin"]({ processHandle: "p", ...more }, client.context);
    await expect(write({ deltaBase64: "" })).rejects.toThrow(
      "stdin streaming is not enabled for this process",
    );
    await expect(write({})).rejects.toThrow("process/writeStdin requires deltaBase64 or closeStdin");
    const resize = async () =>
      handlers["process/resizePty"]({ processHandle: "p", size: { rows: 1, cols: 1 } }, client.context);
    await expect(resize()).rejects.toThrow("failed to resize PTY: process is not attached to a PTY");
    processes.drop(client.connection);
    await expect(kill()).rejects.toThrow("no active process");
  });
});
