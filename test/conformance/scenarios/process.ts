/** Processes of clients outside of the sandbox. */
import type { Scenario } from "../scenario.ts";
import { call, initialize, notification, STDIO } from "../steps.ts";

const base64 = (text: string) => Buffer.from(text).toString("base64");
const spawn = (processHandle: string, script: string, more: object = {}, as = `spawn ${processHandle}`) =>
  call(
    "process/spawn",
    { command: ["sh", "-c", script], processHandle, cwd: "{{workspace}}", ...more },
    { as },
  );
const exited = (processHandle: string, more: object = {}) =>
  notification("process/exited", { processHandle, ...more });
const fails = (as: string, params: object, code: number, message: string) =>
  call(
    "process/spawn",
    { command: ["true"], processHandle: "p", cwd: "{{workspace}}", ...params },
    { as, expect: { error: { code, message } } },
  );

export const processScenarios: readonly Scenario[] = [
  {
    name: "process/ends",
    about: "A process is answered at once; its end tells its code, what it wrote and what was cut.",
    transports: STDIO,
    env: { FROM_SERVER: "server" },
    steps: [
      initialize(),
      spawn("a", "echo out; echo err >&2; exit 3"),
      exited("a", { exitCode: 3, stdout: "out\n", stderr: "err\n", outputDrainTimedOut: false }),
      spawn("b", "sleep 9", { timeoutMs: 200 }),
      exited("b", { exitCode: 124 }),
      spawn("c", "echo abcdef; echo more >&2", { outputBytesCap: 4 }),
      exited("c", { stdout: "abcd", stdoutCapReached: true, stderr: "more", stderrCapReached: true }),
      spawn("d", "echo hi; sleep 9 &"),
      exited("d", { outputDrainTimedOut: true, stdout: "hi\n" }),
      spawn("e", 'echo "$FROM_SERVER-$ADDED-$HOME"', { env: { ADDED: "a", HOME: null } }),
      exited("e", { stdout: "server-a-\n" }),
    ],
  },
  {
    name: "process/control",
    about: "A process takes input, has a terminal if it is to, and can be killed.",
    transports: STDIO,
    steps: [
      initialize(),
      spawn("c", "cat", {
        streamStdin: true,
        streamStdoutStderr: true,
        timeoutMs: null,
        outputBytesCap: null,
      }),
      call("process/writeStdin", { processHandle: "c", deltaBase64: base64("hi\n") }, { as: "write" }),
      notification("process/outputDelta", { deltaBase64: base64("hi\n"), capReached: false }),
      spawn("c", "true", {}, "name taken"),
      call("process/writeStdin", { processHandle: "c" }, { as: "nothing to write" }),
      call("process/resizePty", { processHandle: "c", size: { rows: 3, cols: 3 } }, { as: "no terminal" }),
      call("process/resizePty", { processHandle: "c", size: { rows: 0, cols: 3 } }, { as: "no size" }),
      call("process/writeStdin", { processHandle: "c", closeStdin: true }, { as: "close" }),
      exited("c", { exitCode: 0 }),
      spawn("k", "sleep 30 & wait"),
      call("process/writeStdin", { processHandle: "k", deltaBase64: base64("x") }, { as: "takes no input" }),
      call("process/kill", { processHandle: "k" }, { as: "kill" }),
      exited("k", { exitCode: 137 }),
      call("process/kill", { processHandle: "k" }, { as: "kill again" }),
      spawn("t", "stty size; exit 4", { tty: true }),
      notification("process/outputDelta", { processHandle: "t", deltaBase64: base64("24 80\r\n") }),
      exited("t", { exitCode: 4 }),
    ],
    freeOrder: [["response kill", "process/exited"]],
  },
  {
    name: "process/refusals",
    about: "What cannot be asked for is refused, and so is what cannot be started.",
    transports: STDIO,
    steps: [
      initialize(),
      fails("empty", { command: [] }, -32600, "command must not be empty"),
      fails("no handle", { processHandle: "" }, -32600, "processHandle must not be empty"),
      fails("size", { size: { rows: 1, cols: 1 } }, -32602, "process/spawn size requires tty: true"),
      fails("time", { timeoutMs: -1 }, -32602, "process/spawn timeoutMs must be non-negative, got -1"),
      fails(
        "no program",
        { command: ["/nowhere/x"] },
        -32603,
        "failed to spawn process: No such file or directory (os error 2)",
      ),
      call("process/writeStdin", { processHandle: "x", deltaBase64: base64("x") }, { as: "unknown" }),
    ],
  },
];
