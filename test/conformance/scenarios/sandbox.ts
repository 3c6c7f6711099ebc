/** What a sandbox policy lets a command do, as its output and its exit code show it. */
import type { Scenario } from "../scenario.ts";
import { call, initialize, STDIO } from "../steps.ts";

const exec = (as: string, script: string, sandboxPolicy: unknown, expect: unknown) =>
  call(
    "command/exec",
    { command: ["bash", "-c", script], cwd: "{{workspace}}", sandboxPolicy },
    { as, expect: { result: expect } },
  );

const READ_ONLY = { type: "readOnly" };
/** Without the temporary folders, so that nothing but the workspace is open. */
const WORKSPACE = { type: "workspaceWrite", excludeSlashTmp: true, excludeTmpdirEnvVar: true };
const NO_NETWORK = "printenv CODEX_SANDBOX_NETWORK_DISABLED || true";

export const sandboxScenarios: readonly Scenario[] = [
  {
    name: "sandbox/read-only",
    about: "A command that may only read is told so by the file system when it writes.",
    transports: STDIO,
    files: { "workspace/file": "text\n" },
    steps: [
      initialize(),
      exec("read", "cat file", READ_ONLY, { exitCode: 0, stdout: "text\n", stderr: "" }),
      exec("write", "echo x > new", READ_ONLY, { exitCode: 1, stdout: "" }),
      exec("devices", "echo x > /dev/null", READ_ONLY, { exitCode: 0, stderr: "" }),
      { do: "read", path: "workspace/new", as: "exists", expect: false },
    ],
  },
  {
    name: "sandbox/workspace-write",
    about: "A command writes in the workspace and in the further roots that exist, and nowhere else.",
    transports: STDIO,
    files: { "home/extra/file": "text\n" },
    steps: [
      initialize(),
      exec("inside", "echo x > new && cat new", WORKSPACE, { exitCode: 0, stdout: "x\n" }),
      exec("outside", "echo x > '{{home}}/new'", WORKSPACE, { exitCode: 1 }),
      exec(
        "root",
        "echo x > '{{home}}/extra/file' && cat '{{home}}/extra/file'",
        { ...WORKSPACE, writableRoots: ["{{home}}/extra", "{{home}}/absent"] },
        { exitCode: 0, stdout: "x\n" },
      ),
      exec("link", "ln -s '{{home}}' link && echo x > link/new", WORKSPACE, { exitCode: 1 }),
      { do: "read", path: "home/new", as: "exists", expect: false },
    ],
  },
  {
    name: "sandbox/kept-entries",
    about:
      "What steers git and agents stays as it is, also where it does not exist, and nothing is left in its place.",
    transports: STDIO,
    files: { "workspace/.git/HEAD": "ref: refs/heads/main\n" },
    steps: [
      initialize(),
      exec("git", "mkdir .git/hooks; echo x > .git/HEAD; mv .git moved; cat .git/HEAD", WORKSPACE, {
        exitCode: 0,
        stdout: "ref: refs/heads/main\n",
      }),
      exec(
        "missing",
        "for name in .codex .agents .aws; do mkdir $name; echo x > $name/file; done",
        WORKSPACE,
        {
          exitCode: 1,
        },
      ),
      { do: "read", path: "workspace/.codex", as: "exists", expect: false },
      { do: "read", path: "workspace/.aws", as: "exists", expect: false },
    ],
  },
  {
    name: "sandbox/network",
    about: "Without network a command gets no socket, and a variable tells it so.",
    transports: STDIO,
    steps: [
      initialize(),
      exec("socket", "exec 3<>/dev/tcp/127.0.0.1/9", READ_ONLY, { exitCode: 1 }),
      exec("read-only", NO_NETWORK, READ_ONLY, { stdout: "1\n" }),
      exec("confined", NO_NETWORK, WORKSPACE, { stdout: "1\n" }),
      exec("with-network", NO_NETWORK, { ...WORKSPACE, networkAccess: true }, { stdout: "" }),
      exec(
        "external-with-network",
        NO_NETWORK,
        { type: "externalSandbox", networkAccess: "enabled" },
        { stdout: "" },
      ),
      exec("full-access", NO_NETWORK, { type: "dangerFullAccess" }, { stdout: "" }),
    ],
  },
  {
    name: "sandbox/exit",
    about: "The code of a confined command is its own, and that of a signal is counted from 128.",
    transports: STDIO,
    steps: [
      initialize(),
      exec("code", "exit 42", READ_ONLY, { exitCode: 42 }),
      exec("signal", "kill -KILL $$", READ_ONLY, { exitCode: 137 }),
      exec("left-behind", "sleep 600 > /dev/null 2>&1 & echo started", READ_ONLY, {
        exitCode: 0,
        stdout: "started\n",
      }),
    ],
  },
];
