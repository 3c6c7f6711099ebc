import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, onTestFinished, test } from "vitest";
import { systemClock } from "../../base/clock.ts";
import type { Environment } from "../../base/environment.ts";
import { createLocalHost } from "../../process/local-host.ts";
import { errorCodes } from "../../protocol/errors.ts";
import type { SandboxPolicy } from "../../protocol/generated/types.ts";
import type { SandboxCommand, WrapOutcome } from "../../sandbox/sandbox.ts";
import { DEFAULT_ENVIRONMENT_POLICY } from "../../tools/exec/command-environment.ts";
import type { ParamsOf } from "../connections/handler.ts";
import { createClientProcesses } from "../machine/client-processes.ts";
import { createClients } from "./client-work.fixture.ts";
import { createCommandHandlers } from "./commands.ts";

let folder = "";
beforeEach(() => {
  folder = realpathSync(mkdtempSync(join(tmpdir(), "heddle-commands-")));
  const created = folder;
  onTestFinished(() => rmSync(created, { recursive: true, force: true }));
});

interface Setting {
  readonly maxProcesses?: number;
  readonly wrap?: (command: SandboxCommand, policy: SandboxPolicy) => WrapOutcome;
  readonly env?: Environment;
}

const FREE = { sandboxPolicy: { type: "dangerFullAccess" } } as const;

function setUp({ maxProcesses, wrap, env }: Setting = {}) {
  const host = createLocalHost();
  onTestFinished(() => host.close());
  const { notifier, connect } = createClients();
  const processes = createClientProcesses(maxProcesses);
  const handlers = createCommandHandlers({
    processes,
    host: () => Promise.resolve(host),
    programs: () => Promise.resolve({ folder: "/own/programs", node: "/own/node" }),
    sandbox: () => Promise.resolve({ wrap: wrap ?? (() => ({ ok: false, reason: "there is none" })) }),
    context: () =>
      Promise.resolve({
        sandbox: { type: "readOnly" },
        environment: { ...DEFAULT_ENVIRONMENT_POLICY, set: { FROM_CONFIG: "yes" } },
        findViolation: ({ type }) => (type === "externalSandbox" ? "the administrator objects" : null),
      }),
    clock: systemClock,
    env: { PATH: "/usr/bin:/bin", SECRET: "s", ...env },
    cwd: folder,
    notifier,
  });
  const client = connect();
  const sh = (script: string, more: Partial<ParamsOf<"command/exec">> = {}, on = client) =>
    Promise.resolve(
      handlers["command/exec"]({ command: ["sh", "-c", script], ...FREE, ...more }, on.context),
    );
  return { handlers, client, connect, processes, sh };
}

const delta = (text: string, more: object = {}) => [
  "command/exec/outputDelta",
  { processId: "p", stream: "stdout", deltaBase64: btoa(text), capReached: false, ...more },
];

describe("a command", () => {
  test("is answered with its exit code and all it wrote", async () => {
    const { sh } = setUp();
    expect(await sh("echo out; echo err >&2; exit 3")).toEqual({
      exitCode: 3,
      stdout: "out\n",
      stderr: "err\n",
    });
    expect(await sh("kill -9 $$")).toEqual({ exitCode: 137, stdout: "", stderr: "" });
    expect(await sh("printf 'a\\377b'")).toEqual({ exitCode: 0, stdout: "aÿb", stderr: "" });
  });

  test("has the variables of the configuration, changed as the client wants", async () => {
    const { sh } = setUp();
    const script = "echo $FROM_CONFIG-$SECRET-$ADDED-$CODEX_APPLY_PATCH_PRESERVE_LINE_ENDINGS";
    expect(await sh(script, { env: { SECRET: null, ADDED: "a" } })).toMatchObject({ stdout: "yes--a-1\n" });
  });

  test("finds the programs of the package, unless the client says where to look", async () => {
    const { sh } = setUp();
    expect(await sh("echo $PATH $HEDDLE_NODE")).toMatchObject({
      stdout: "/own/programs:/usr/bin:/bin /own/node\n",
    });
    expect(await sh("echo $PATH", { env: { PATH: "/usr/bin:/bin" } })).toMatchObject({
      stdout: "/usr/bin:/bin\n",
    });
  });

  test.each(["none", "ws://127.0.0.1:1"])(
    "is refused where commands are for another place: %s",
    async (url) => {
      const { sh } = setUp({ env: { CODEX_EXEC_SERVER_URL: url } });
      await expect(sh("touch ran")).rejects.toMatchObject({
        code: errorCodes.internalError,
        message: "local environment is not configured",
      });
      expect(existsSync(join(folder, "ran"))).toBe(false);
    },
  );

  test("runs where the server does, or in a folder from there", async () => {
    const { sh } = setUp();
    expect(await sh("pwd")).toMatchObject({ stdout: `${folder}\n` });
    await sh("mkdir sub");
    expect(await sh("pwd", { cwd: "sub" })).toMatchObject({ stdout: `${join(folder, "sub")}\n` });
    await expect(sh("pwd", { cwd: "gone" })).rejects.toThrow(
      "failed to spawn command: No such file or directory (os error 2)",
    );
  });

  test("that takes too long is ended with all it started, and its code is 124", async () => {
    const { sh } = setUp();
    expect(await sh("echo early; sleep 60 & sleep 60", { timeoutMs: 150 })).toEqual({
      exitCode: 124,
      stdout: "early\n",
      stderr: "",
    });
  });

  test("is cut at the limit of each stream", async () => {
    const { sh } = setUp();
    const script = "printf 123456; printf ab >&2";
    expect(await sh(script, { outputBytesCap: 4 })).toEqual({ exitCode: 0, stdout: "1234", stderr: "ab" });
    const long = "head -c 1100000 /dev/zero | tr '\\0' x";
    expect((await sh(long)).stdout).toHaveLength(1024 * 1024);
    expect((await sh(long, { disableOutputCap: true })).stdout).toHaveLength(1_100_000);
  });
});

describe("the sandbox", () => {
  test("refuses what it cannot enforce, and nothing has run", async () => {
    const { sh } = setUp();
    const refusal = { code: -32603, message: "exec failed: there is none" };
    await expect(sh("touch ran", { sandboxPolicy: null })).rejects.toMatchObject(refusal);
    await expect(sh("touch ran", { sandboxPolicy: { type: "workspaceWrite" } })).rejects.toMatchObject(
      refusal,
    );
    expect(existsSync(join(folder, "ran"))).toBe(false);
  });

  test("wraps a command with bounds, and is told when it has ended", async () => {
    const released: string[] = [];
    const { sh } = setUp({
      wrap: ({ argv, env }, policy) => ({
        ok: true,
        argv: ["env", `POLICY=${policy.type}`, ...argv],
        env,
        release: () => void released.push(policy.type),
      }),
    });
    expect(await sh("echo $POLICY", { sandboxPolicy: null })).toMatchObject({ stdout: "readOnly\n" });
    expect(await sh("echo $POLICY")).toMatchObject({ stdout: "\n" });
    expect(released).toEqual(["readOnly"]);
  });
});

describe("a command with a name", () => {
  test("sends what it writes, and takes what is written to it", async () => {
    const { handlers, client, sh } = setUp();
    const answer = sh("cat; echo done", { processId: "p", streamStdin: true, streamStdoutStderr: true });
    await handlers["command/exec/write"]({ processId: "p", deltaBase64: btoa("hi\n") }, client.context);
    expect(await client.until("command/exec/outputDelta")).toEqual([delta("hi\n")]);
    await handlers["command/exec/write"]({ processId: "p", closeStdin: true }, client.context);
    expect(await answer).toEqual({ exitCode: 0, stdout: "", stderr: "" });
    expect(client.received).toEqual([delta("done\n")]);
  });

  test("says with the last bytes that there will be no more", async () => {
    const { client, sh } = setUp();
    await sh("printf 123456; sleep 0.1; printf 789", {
      processId: "p",
      streamStdoutStderr: true,
      outputBytesCap: 4,
    });
    expect(client.received).toEqual([delta("1234", { capReached: true })]);
  });

  test("can have a terminal, whose size changes", async () => {
    const { handlers, client, sh } = setUp();
    const answer = sh("stty size; read line; stty size; exit 4", {
      processId: "p",
      tty: true,
      size: { rows: 10, cols: 20 },
    });
    expect(await client.until("command/exec/outputDelta")).toEqual([delta("10 20\r\n")]);
    await handlers["command/exec/resize"]({ processId: "p", size: { rows: 30, cols: 40 } }, client.context);
    await handlers["command/exec/write"]({ processId: "p", deltaBase64: btoa("x\n") }, client.context);
    expect(await answer).toEqual({ exitCode: 4, stdout: "", stderr: "" });
    const said = client.received.map(([, params]) => atob((params as { deltaBase64: string }).deltaBase64));
    expect(said.join("")).toBe("x\r\n30 40\r\n");
  });

  test("ends when it is told to, as a group, and the name is free again", async () => {
    const { handlers, client, sh } = setUp();
    const answer = sh("trap '' TERM; sleep 60 & wait", { processId: "p" });
    await expect(sh("true", { processId: "p" })).rejects.toMatchObject({
      code: -32600,
      message: 'duplicate active command/exec process id: "p"',
    });
    await handlers["command/exec/terminate"]({ processId: "p" }, client.context);
    expect(await answer).toMatchObject({ exitCode: 137 });
    expect(await sh("exit 5", { processId: "p" })).toMatchObject({ exitCode: 5 });
  });

  test("belongs to its connection, and ends with it", async () => {
    const { handlers, client, connect, processes, sh } = setUp();
    const other = connect();
    const answer = sh("sleep 60", { processId: "p" });
    const stop = async () => handlers["command/exec/terminate"]({ processId: "p" }, other.context);
    await expect(stop()).rejects.toThrow('no active command/exec for process id "p"');
    processes.drop(client.connection);
    expect(await answer).toMatchObject({ exitCode: 137 });
  });
});

test("a connection has so many processes at most", async () => {
  const { client, connect, processes, sh } = setUp({ maxProcesses: 2 });
  const running = [sh("sleep 60"), sh("sleep 60")];
  await expect(sh("true")).rejects.toThrow("too many processes are running on this connection");
  expect(await sh("true", {}, connect())).toMatchObject({ exitCode: 0 });
  processes.drop(client.connection);
  await Promise.all(running);
  expect(await sh("true")).toMatchObject({ exitCode: 0 });
});

describe("what cannot be asked for", () => {
  test.each<[Partial<ParamsOf<"command/exec">>, number | string, string]>([
    [{ command: [] }, -32600, "command must not be empty"],
    [{ tty: true }, -32600, "command/exec tty or streaming requires a client-supplied processId"],
    [{ streamStdin: true }, -32600, "command/exec tty or streaming requires a client-supplied processId"],
    [{ permissionProfile: "x" }, -32600, "`permissionProfile` cannot be combined with `sandboxPolicy`"],
    [{ size: { rows: 1, cols: 1 } }, errorCodes.invalidParams, "command/exec size requires tty: true"],
    [
      { tty: true, processId: "p", size: { rows: 0, cols: 1 } },
      errorCodes.invalidParams,
      "command/exec size rows and cols must be greater than 0",
    ],
    [{ timeoutMs: -1 }, -32602, "command/exec timeoutMs must be non-negative, got -1"],
    [
      { timeoutMs: 1, disableTimeout: true },
      -32602,
      "command/exec cannot set both timeoutMs and disableTimeout",
    ],
    [
      { outputBytesCap: 1, disableOutputCap: true },
      -32602,
      "command/exec cannot set both outputBytesCap and disableOutputCap",
    ],
    [{ command: ["/nowhere/x"] }, -32603, "failed to spawn command: No such file or directory (os error 2)"],
  ])("%j", async (params, code, message) => {
    await expect(setUp().sh("true", params)).rejects.toMatchObject({ code, message });
  });

  test("input for a command that takes none, or no input at all", async () => {
    const { handlers, client, processes, sh } = setUp();
    const answer = sh("sleep 60", { processId: "p" });
    const write = async (more: object) =>
      handlers["command/exec/write"]({ processId: "p", ...more }, client.context);
    await expect(write({ deltaBase64: "aA==" })).rejects.toThrow(
      "stdin streaming is not enabled for this command/exec",
    );
    await expect(write({})).rejects.toThrow("command/exec/write requires deltaBase64 or closeStdin");
    await expect(write({ deltaBase64: "a" })).rejects.toThrow("invalid deltaBase64: Invalid input length: 1");
    const resize = async () =>
      handlers["command/exec/resize"]({ processId: "p", size: { rows: 1, cols: 1 } }, client.context);
    await expect(resize()).rejects.toThrow("failed to resize PTY: process is not attached to a PTY");
    processes.drop(client.connection);
    await answer;
  });

  test("input after the input was closed", async () => {
    const { handlers, client, processes, sh } = setUp();
    const answer = sh("cat >/dev/null; sleep 60", { processId: "p", streamStdin: true });
    await handlers["command/exec/write"]({ processId: "p", closeStdin: true }, client.context);
    const write = async () =>
      handlers["command/exec/write"]({ processId: "p", deltaBase64: "aA==" }, client.context);
    await expect(write()).rejects.toThrow("stdin is already closed");
    processes.drop(client.connection);
    await answer;
  });
});
