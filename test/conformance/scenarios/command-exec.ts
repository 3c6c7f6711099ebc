/** One-off commands of clients. */
import type { Scenario } from "../scenario.ts";
import { call, initialize, notification, reply, STDIO, send, WS } from "../steps.ts";

const FREE = { sandboxPolicy: { type: "dangerFullAccess" } };
const sh = (script: string, more: object = {}) => ({ command: ["sh", "-c", script], ...FREE, ...more });
const exec = (as: string, script: string, more: object = {}, expect: object = {}) =>
  call("command/exec", sh(script, more), { as, expect: { result: expect } });
const fails = (as: string, params: object, code: number, message: string) =>
  call("command/exec", params, { as, expect: { error: { code, message } } });
const patchOf = (...lines: string[]) => ["*** Begin Patch", ...lines, "*** End Patch"].join("\n");
const base64 = (text: string) => Buffer.from(text).toString("base64");
const says = (processId: string, text: string, capReached = false) =>
  notification("command/exec/outputDelta", {
    processId,
    stream: "stdout",
    deltaBase64: base64(text),
    capReached,
  });

/** Waits until the process is gone whose id is in the file. */
const AWAIT_END = "while kill -0 $(cat pid) 2>/dev/null; do sleep 0.05; done";

export const commandExecScenarios: readonly Scenario[] = [
  {
    name: "command-exec/last-frame",
    about: "A client's Close frame ends its processes, whether or not the connection underneath is closed.",
    transports: WS,
    steps: [
      initialize({}),
      { do: "connect", as: "second" },
      initialize({}, { on: "second", as: "second initialize", name: "other" }),
      send(
        "command/exec",
        sh("echo $$ > pid; echo up; exec sleep 60", { processId: "p", streamStdoutStderr: true }),
        "held",
        "second",
      ),
      { do: "await", message: { method: "command/exec/outputDelta" }, on: "second" },
      { do: "lastFrame", on: "second" },
      exec("gone", AWAIT_END, { timeoutMs: 5000 }, { exitCode: 0 }),
    ],
  },
  {
    name: "command-exec/buffered",
    about: "A command is answered when it has ended, with its code and what it wrote, within its limits.",
    transports: STDIO,
    env: { FROM_SERVER: "server" },
    files: { "workspace/sub/keep": "" },
    steps: [
      initialize({}),
      exec(
        "streams",
        "echo out; echo err >&2; exit 3",
        {},
        { exitCode: 3, stdout: "out\n", stderr: "err\n" },
      ),
      ...[{}, { sandboxPolicy: { type: "readOnly" } }].map((confinement, at) =>
        exec(
          `streams by name ${at}`,
          "echo out > /dev/stdout; echo err | tee /dev/stderr > /dev/null; cat /dev/stdin",
          confinement,
          { exitCode: 0, stdout: "out\n", stderr: "err\n" },
        ),
      ),
      exec("signal", "kill -9 $$", {}, { exitCode: 137 }),
      exec("no input", "cat", {}, { exitCode: 0, stdout: "" }),
      exec("folder", "pwd", { cwd: "sub" }),
      exec(
        "variables",
        'echo "$FROM_SERVER-$ADDED-$HOME"',
        { env: { ADDED: "a", HOME: null } },
        {
          stdout: "server-a-\n",
        },
      ),
      exec("own variables", "env | grep '^CODEX_' | grep -v HOME"),
      exec("time-out", "echo early; sleep 9", { timeoutMs: 200 }, { exitCode: 124, stdout: "early\n" }),
      exec("cut", "printf 123456; printf ab >&2", { outputBytesCap: 4 }, { stdout: "1234", stderr: "ab" }),
      exec("nothing kept", "echo hi", { outputBytesCap: 0 }, { stdout: "" }),
      exec("no limits", "echo hi", { disableTimeout: true, disableOutputCap: true }, { stdout: "hi\n" }),
      exec("left behind", "sleep 9 & echo hi", {}, { exitCode: 0, stdout: "hi\n" }),
      exec("not UTF-8", "printf 'a\\377b'", {}, { stdout: "aÿb" }),
      exec("Western", "printf '\\223quoted\\224 \\226 caf\\351\\n'", {}, { stdout: "“quoted” – café\n" }),
      exec("marked", "printf '\\377\\376h\\000i\\000'", {}, { stdout: "hi" }),
      exec("marked the other way", "printf '\\376\\377\\000h\\000i'", {}, { stdout: "hi" }),
      exec("only a mark", "printf '\\377\\376'", {}, { stdout: "" }),
    ],
  },
  {
    name: "command-exec/apply-patch",
    about: "Commands find the program apply_patch, which keeps the endings of lines and says what it did.",
    transports: STDIO,
    files: { "workspace/crlf.txt": "before\r\n" },
    steps: [
      initialize(),
      call(
        "command/exec",
        {
          command: ["apply_patch", patchOf("*** Update File: crlf.txt", "@@", "-before", "+after")],
          ...FREE,
        },
        {
          as: "update",
          expect: { result: { exitCode: 0, stdout: "Success. Updated the following files:\nM crlf.txt\n" } },
        },
      ),
      { do: "read", path: "workspace/crlf.txt", as: "text", expect: "after\r\n" },
      exec("from its input", "printf '%s' \"$PATCH\" | applypatch; cat new.txt", {
        env: { PATCH: patchOf("*** Add File: new.txt", "+new") },
      }),
      call(
        "command/exec",
        {
          command: ["apply_patch", patchOf("*** Add File: kept.txt", "+out")],
          sandboxPolicy: { type: "readOnly" },
        },
        { as: "in the sandbox", expect: { result: { exitCode: 1, stdout: "" } } },
      ),
      exec("no patch", "apply_patch nonsense", {}, { exitCode: 1 }),
      exec("bad hunk", 'apply_patch "$PATCH"', { env: { PATCH: patchOf("nonsense") } }, { exitCode: 1 }),
      exec("empty patch", 'apply_patch "$PATCH"', { env: { PATCH: patchOf() } }, { exitCode: 1 }),
      exec("no argument", "apply_patch", {}, { exitCode: 2 }),
      exec("two arguments", "apply_patch a b", {}, { exitCode: 2 }),
      exec("option", "apply_patch --help", {}, { exitCode: 1 }),
    ],
  },
  {
    name: "command-exec/no-machine",
    about: "A server that is to do nothing on its machine refuses commands, processes and files.",
    transports: STDIO,
    env: { CODEX_EXEC_SERVER_URL: "none" },
    steps: [
      initialize(),
      fails("command", sh("touch made"), -32603, "local environment is not configured"),
      fails("empty command", { command: [] }, -32603, "local environment is not configured"),
      call("command/exec/terminate", { processId: "p" }, { as: "terminate" }),
      call(
        "process/spawn",
        { command: ["true"], processHandle: "p", cwd: "{{workspace}}" },
        {
          as: "process",
          expect: { error: { code: -32603, message: "local environment is not configured" } },
        },
      ),
      ...["fs/readFile", "fs/createDirectory", "fs/remove", "fs/getMetadata", "fs/readDirectory"].map(
        (method) =>
          call(
            method,
            { path: "{{workspace}}/made" },
            {
              as: method,
              expect: { error: { code: -32603, message: "local filesystem is not configured" } },
            },
          ),
      ),
      call("fs/writeFile", { path: "{{workspace}}/made", dataBase64: "" }, { as: "write" }),
      call("fs/copy", { sourcePath: "{{home}}", destinationPath: "{{workspace}}/made" }, { as: "copy" }),
      call("fs/watch", { watchId: "w", path: "{{workspace}}" }, { as: "watch" }),
      call("fs/unwatch", { watchId: "w" }, { as: "unwatch" }),
      { do: "read", path: "workspace/made", as: "exists", expect: false },
    ],
  },
  {
    name: "command-exec/refusals",
    about: "What cannot be asked for is refused, and so is what cannot be started.",
    transports: STDIO,
    steps: [
      initialize(),
      fails("empty", { command: [] }, -32600, "command must not be empty"),
      fails(
        "tty",
        sh("x", { tty: true }),
        -32600,
        "command/exec tty or streaming requires a client-supplied processId",
      ),
      fails("size", sh("x", { size: { rows: 1, cols: 1 } }), -32602, "command/exec size requires tty: true"),
      fails(
        "no size",
        sh("x", { tty: true, processId: "p", size: { rows: 0, cols: 1 } }),
        -32602,
        "command/exec size rows and cols must be greater than 0",
      ),
      fails(
        "time",
        sh("x", { timeoutMs: -4 }),
        -32602,
        "command/exec timeoutMs must be non-negative, got -4",
      ),
      fails(
        "both times",
        sh("x", { timeoutMs: 4, disableTimeout: true }),
        -32602,
        "command/exec cannot set both timeoutMs and disableTimeout",
      ),
      fails(
        "both caps",
        sh("x", { outputBytesCap: 4, disableOutputCap: true }),
        -32602,
        "command/exec cannot set both outputBytesCap and disableOutputCap",
      ),
      fails(
        "both policies",
        sh("x", { permissionProfile: ":read-only" }),
        -32600,
        "`permissionProfile` cannot be combined with `sandboxPolicy`",
      ),
      fails(
        "unknown profile",
        { command: ["true"], permissionProfile: ":nope" },
        -32600,
        "invalid permission profile: default_permissions refers to unknown built-in profile `:nope`",
      ),
      fails(
        "no program",
        { command: ["/nowhere/x"], ...FREE },
        -32603,
        "failed to spawn command: No such file or directory (os error 2)",
      ),
      fails(
        "no folder",
        sh("x", { cwd: "/nowhere" }),
        -32603,
        "failed to spawn command: No such file or directory (os error 2)",
      ),
    ],
  },
  {
    name: "command-exec/profile",
    about: "A named permission profile takes the place of a policy.",
    transports: STDIO,
    steps: [
      initialize(),
      call(
        "command/exec",
        { command: ["sh", "-c", "echo hi; touch made"], permissionProfile: ":read-only" },
        { as: "read-only", expect: { result: { exitCode: 1, stdout: "hi\n" } } },
      ),
      call(
        "command/exec",
        { command: ["sh", "-c", "touch made && echo made"], permissionProfile: ":danger-full-access" },
        { as: "full access", expect: { result: { exitCode: 0, stdout: "made\n" } } },
      ),
    ],
  },
  {
    name: "command-exec/streaming",
    about: "A command with a name sends what it writes, takes input, and can be ended.",
    transports: STDIO,
    steps: [
      initialize(),
      send(
        "command/exec",
        sh("cat; exit 5", { processId: "c", streamStdin: true, streamStdoutStderr: true }),
        "cat",
      ),
      call("command/exec/write", { processId: "c", deltaBase64: base64("hi\n") }, { as: "write" }),
      says("c", "hi\n"),
      call("command/exec", sh("true", { processId: "c" }), { as: "name taken" }),
      call("command/exec/write", { processId: "c" }, { as: "nothing to write" }),
      call("command/exec/write", { processId: "c", deltaBase64: "a" }, { as: "not base64" }),
      call("command/exec/resize", { processId: "c", size: { rows: 3, cols: 4 } }, { as: "no terminal" }),
      call("command/exec/write", { processId: "c", closeStdin: true }, { as: "close" }),
      reply("cat", { result: { exitCode: 5, stdout: "", stderr: "" } }),
      call("command/exec/write", { processId: "c", deltaBase64: base64("x") }, { as: "too late" }),
      send(
        "command/exec",
        sh("printf 123456", { processId: "k", streamStdoutStderr: true, outputBytesCap: 4 }),
        "cut",
      ),
      says("k", "1234", true),
      reply("cut", { result: { exitCode: 0 } }),
      send("command/exec", sh("sleep 30 & wait", { processId: "s" }), "sleep"),
      call("command/exec/write", { processId: "s", deltaBase64: base64("x") }, { as: "takes no input" }),
      call("command/exec/terminate", { processId: "s" }, { as: "terminate" }),
      reply("sleep", { result: { exitCode: 137 } }),
      call("command/exec/terminate", { processId: 's"q' }, { as: "unknown" }),
    ],
    freeOrder: [
      ["response close", "response cat"],
      ["response terminate", "response sleep"],
    ],
  },
  {
    name: "command-exec/terminal",
    about: "A command can have a terminal whose size changes; ended there, its code is 1.",
    transports: STDIO,
    steps: [
      initialize(),
      send(
        "command/exec",
        sh("stty -echo; stty size; read x; stty size", {
          processId: "t",
          tty: true,
          size: { rows: 10, cols: 20 },
        }),
        "terminal",
      ),
      says("t", "10 20\r\n"),
      call("command/exec/resize", { processId: "t", size: { rows: 30, cols: 40 } }, { as: "resize" }),
      call("command/exec/write", { processId: "t", deltaBase64: base64("\n") }, { as: "write" }),
      says("t", "30 40\r\n"),
      reply("terminal", { result: { exitCode: 0 } }),
      send("command/exec", { command: ["sleep", "30"], processId: "z", tty: true, ...FREE }, "sleep"),
      call("command/exec/terminate", { processId: "z" }, { as: "terminate" }),
      reply("sleep", { result: { exitCode: 1 } }),
    ],
    freeOrder: [["response terminate", "response sleep"]],
  },
];
