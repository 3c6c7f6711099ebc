import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync } from "node:fs";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";
import { join } from "node:path";
import { describe, expect, onTestFinished } from "vitest";
import type { SandboxPolicy } from "../../src/protocol/generated/types.ts";
import { openSandbox } from "../../src/sandbox/backends/open-sandbox.ts";
import { type CallerOrigin, classifyCallers } from "../../src/sandbox/confined-caller.ts";
import { testWith } from "../support/needs-program.ts";
import { openSandboxHarness, type SandboxHarness, WORKSPACE } from "../support/sandbox-harness.ts";
import { within } from "../support/within.ts";

interface Escape {
  /** Paths below the base, like the server's home. */
  readonly guarded?: readonly string[];
  readonly prepare?: (harness: SandboxHarness) => void;
  readonly script: string;
  readonly policy?: (harness: SandboxHarness) => SandboxPolicy;
  /** The file below the base that a successful escape creates. */
  readonly leaves: string;
}

const alsoWritable =
  (...paths: readonly string[]) =>
  ({ base }: SandboxHarness): SandboxPolicy => ({
    ...WORKSPACE,
    writableRoots: paths.map((path) => join(base, path)),
  });

function makeWorktree({ base, workspace, write }: SandboxHarness): void {
  write(join(workspace, ".git"), "gitdir: ../projects/main/.git/worktrees/one\n");
  write(join(base, "projects/main/.git/worktrees/one/commondir"), "../..\n");
  write(join(base, "projects/main/.git/HEAD"));
}

const escapes: Readonly<Record<string, Escape>> = {
  "a file outside of the workspace": { script: 'echo x > "$OUTSIDE/new"', leaves: "outside/new" },
  "a file in the workspace, when only reading is allowed": {
    script: "echo x > new",
    policy: () => ({ type: "readOnly" }),
    leaves: "workspace/new",
  },
  "a file outside, through a link": {
    script: 'ln -s "$OUTSIDE" link; echo x > link/new',
    leaves: "outside/new",
  },
  "a file outside, through its own process": {
    script: 'echo x > "/proc/self/root$OUTSIDE/new"',
    leaves: "outside/new",
  },
  "a file outside, through a process outside": {
    script: 'echo x > "/proc/$TESTER/root$OUTSIDE/new"',
    leaves: "outside/new",
  },
  "a file outside, through a mount of its own": {
    script: `mkdir m; unshare -Urm sh -c 'mount --bind "$OUTSIDE" m; mount -o remount,bind,rw m; echo x > m/new'`,
    leaves: "outside/new",
  },
  "a file outside, by taking the sandbox's mounts away": {
    script: `unshare -Urm sh -c 'mount -o remount,bind,rw /; umount -l "$PWD"; echo x > "$OUTSIDE/new"'`,
    leaves: "outside/new",
  },
  "a hook of the repository": {
    prepare: ({ workspace }) => mkdirSync(join(workspace, ".git/hooks"), { recursive: true }),
    script: "echo x > .git/hooks/pre-commit",
    leaves: "workspace/.git/hooks/pre-commit",
  },
  "a hook of a repository that is not there yet": {
    script: "mkdir -p .git/hooks; echo x > .git/hooks/pre-commit",
    leaves: "workspace/.git/hooks/pre-commit",
  },
  "a hook of a repository that it has put in the place of the real one": {
    prepare: ({ workspace, write }) => write(join(workspace, ".git/HEAD")),
    script: "mv .git moved; mkdir -p .git/hooks; echo x > .git/hooks/pre-commit",
    leaves: "workspace/.git/hooks/pre-commit",
  },
  "a hook of the repository of a worktree": {
    prepare: makeWorktree,
    script: "mkdir -p ../projects/main/.git/hooks; echo x > ../projects/main/.git/hooks/pre-commit",
    policy: alsoWritable("projects"),
    leaves: "projects/main/.git/hooks/pre-commit",
  },
  "a hook of the repository of a worktree, by moving what it is in": {
    prepare: makeWorktree,
    script:
      "mv ../projects/main ../projects/moved; mkdir -p ../projects/main/.git/hooks; echo x > ../projects/main/.git/hooks/pre-commit",
    policy: alsoWritable("projects"),
    leaves: "projects/main/.git/hooks/pre-commit",
  },
  "another repository in the place of that of a worktree": {
    prepare: makeWorktree,
    script: "rm .git; echo 'gitdir: evil' > .git; test -s .git && grep -q evil .git && touch swapped",
    leaves: "workspace/swapped",
  },
  "the settings of the agent, which are not there yet": {
    script: "mkdir .codex; echo x > .codex/config.toml",
    leaves: "workspace/.codex/config.toml",
  },
  "the settings of the agent in another writable folder": {
    script: 'mkdir "$OUTSIDE/.codex"; echo x > "$OUTSIDE/.codex/config.toml"',
    policy: alsoWritable("outside"),
    leaves: "outside/.codex/config.toml",
  },
  "what is guarded, within the workspace": {
    guarded: ["workspace/deep/home"],
    prepare: ({ workspace }) => mkdirSync(join(workspace, "deep/home"), { recursive: true }),
    script: "echo x > deep/home/rule",
    leaves: "workspace/deep/home/rule",
  },
  "what is guarded, by moving what it is in": {
    guarded: ["workspace/deep/home"],
    prepare: ({ workspace }) => mkdirSync(join(workspace, "deep/home"), { recursive: true }),
    script: "mv deep moved; mkdir -p deep/home; echo x > deep/home/rule",
    leaves: "workspace/deep/home/rule",
  },
  "what is guarded and not there yet": {
    guarded: ["workspace/home"],
    script: "mkdir home; echo x > home/rule",
    leaves: "workspace/home/rule",
  },
  "what is guarded, as its working folder": {
    guarded: ["workspace"],
    script: "echo x > rule",
    leaves: "workspace/rule",
  },
  "the sandbox's own files": {
    prepare: ({ base }) => mkdirSync(join(base, "state"), { recursive: true }),
    script: 'echo x > "$OUTSIDE/../state/new"',
    policy: alsoWritable("."),
    leaves: "state/new",
  },
};

describe("a confined command cannot write", () => {
  for (const [what, { guarded = [], prepare, script, policy, leaves }] of Object.entries(escapes)) {
    testWith("bwrap", what, async () => {
      const confined = await openSandboxHarness({ guarded });
      prepare?.(confined);
      await confined.run(script, policy?.(confined));
      const free = await openSandboxHarness();
      prepare?.(free);
      await free.run(script, null);
      expect({
        confined: existsSync(join(confined.base, leaves)),
        free: existsSync(join(free.base, leaves)),
      }).toEqual({ confined: false, free: true });
    });
  }
});

testWith("bwrap", "a confined command cannot change the settings of the kernel", async () => {
  const harness = await openSandboxHarness();
  const same = 'value=$(cat /proc/sys/vm/swappiness); echo "$value" > /proc/sys/vm/swappiness';
  expect((await harness.run(`${same} && touch changed; touch here`)).code).toBe(0);
  expect(readdirSync(harness.workspace).filter((name) => !name.startsWith("."))).toEqual(["here"]);
});

describe("where a new /proc may not be mounted", () => {
  const REAL = (process.env["PATH"] ?? "")
    .split(":")
    .map((folder) => join(folder, "bwrap"))
    .find((file) => existsSync(file));
  const bubblewrap = `#!/bin/sh\ncase "$*" in *--proc*) exit 1;; esac\nexec ${REAL} "$@"\n`;

  testWith("bwrap", "the old one leads out of the sandbox no more than the new one", async () => {
    const harness = await openSandboxHarness({ bubblewrap });
    expect(harness.wrap("true")).toMatchObject({ ok: true, argv: expect.not.arrayContaining(["--proc"]) });
    const script =
      'for at in self 1 $TESTER; do echo x > "/proc/$at/root$OUTSIDE/new"; done; kill $TESTER; echo x > here';
    expect((await harness.run(script)).code).toBe(0);
    expect([readdirSync(harness.outside), existsSync(join(harness.workspace, "here"))]).toEqual([[], true]);
  });
});

describe("a confined command cannot reach", () => {
  const connect = (target: string) =>
    `node -e 'const s = require("net").connect(${target}); s.on("connect", () => s.end()); s.on("error", () => {})'`;

  async function listen(server: Server, where: { port: 0; host: string } | { path: string }): Promise<void> {
    await new Promise<void>((resolve) => server.listen(where, resolve));
    onTestFinished(() => void server.close());
  }

  async function countCalls(policy: SandboxPolicy | null, kind: "port" | "path"): Promise<number> {
    const harness = await openSandboxHarness();
    let calls = 0;
    const server = createServer((socket) => {
      calls += 1;
      socket.on("error", () => {}).resume();
    });
    const path = join(harness.outside, "socket");
    await listen(server, kind === "path" ? { path } : { port: 0, host: "127.0.0.1" });
    const address = server.address();
    const target =
      typeof address === "object" && address !== null ? `${address.port}, "127.0.0.1"` : JSON.stringify(path);
    await harness.run(connect(target), policy);
    return calls;
  }

  testWith("bwrap", "a port of this machine, unless it has a network", async () => {
    expect([
      await countCalls(WORKSPACE, "port"),
      await countCalls({ type: "readOnly" }, "port"),
      await countCalls({ type: "readOnly", networkAccess: true }, "port"),
      await countCalls(null, "port"),
    ]).toEqual([0, 0, 1, 1]);
  });

  testWith("bwrap", "a socket in the file system, unless it has a network", async () => {
    expect([
      await countCalls(WORKSPACE, "path"),
      await countCalls({ type: "readOnly", networkAccess: true }, "path"),
      await countCalls(null, "path"),
    ]).toEqual([0, 1, 1]);
  });

  testWith("bwrap", "a process outside", async () => {
    const harness = await openSandboxHarness();
    const victim = spawn("sleep", ["60"]);
    onTestFinished(() => void victim.kill("SIGKILL"));
    const ended = new Promise((resolve) => victim.once("exit", (_, signal) => resolve(signal)));
    const { code } = await harness.run(`kill -TERM ${victim.pid}`, {
      type: "workspaceWrite",
      networkAccess: true,
    });
    expect({ code, signal: victim.signalCode }).toEqual({ code: 1, signal: null });
    await harness.run(`kill -TERM ${victim.pid}`, null);
    expect(await within(ended, 5000, "the end of the process")).toBe("SIGTERM");
  });

  testWith("bwrap", "folders that are hidden from it", async () => {
    const harness = await openSandboxHarness({ hidden: ["control"] });
    harness.write(join(harness.base, "control/secret"), "secret\n");
    const script = 'cat "$OUTSIDE/../control/secret" 2>/dev/null; true';
    expect(await harness.run(script, null)).toEqual({ code: 0, output: "secret\n" });
    expect(await harness.run(script, { type: "readOnly" })).toEqual({ code: 0, output: "" });
    expect(await harness.run(script, alsoWritable(".")(harness))).toEqual({ code: 0, output: "" });
  });
});

testWith("bwrap", "what a confined command may write is remembered before it starts", async () => {
  const harness = await openSandboxHarness();
  const file = join(harness.workspace, "file");
  expect(harness.deps.writablePaths.contains(file)).toBe(false);
  const wrapped = harness.wrap("true");
  const kept = join(harness.workspace, ".codex/config.toml");
  expect([harness.deps.writablePaths.contains(file), harness.deps.writablePaths.contains(kept)]).toEqual([
    true,
    false,
  ]);
  if (wrapped.ok) wrapped.release();
});

testWith(
  "bwrap",
  "variables that make programs load files reach the command and not bubblewrap",
  async () => {
    const harness = await openSandboxHarness();
    const sandbox = await openSandbox(harness.deps);
    const env = { PATH: "/usr/bin:/bin", LD_LIBRARY_PATH: "lib", LD_PRELOAD: "", BASH_ENV: "env.sh" };
    for (const networkAccess of [false, true]) {
      const wrapped = sandbox.wrap(
        { argv: ["/usr/bin/env"], cwd: harness.workspace, env },
        { ...WORKSPACE, networkAccess },
        { policyCwd: harness.workspace, ownSession: true },
      );
      if (!wrapped.ok) throw new Error(wrapped.reason);
      expect(Object.keys(wrapped.env).filter((name) => name in env)).toEqual(["PATH"]);
      const [file = "", ...args] = wrapped.argv;
      const { stdout } = spawnSync(file, args, {
        cwd: harness.workspace,
        env: wrapped.env,
        encoding: "utf8",
      });
      wrapped.release();
      expect(stdout.split("\n")).toEqual(
        expect.arrayContaining(["LD_LIBRARY_PATH=lib", "LD_PRELOAD=", "BASH_ENV=env.sh"]),
      );
    }
  },
);

describe("who calls", () => {
  const CALL = `import array, socket, sys, time
call = socket.create_connection(("127.0.0.1", int(sys.argv[1])))
if sys.argv[2] == "hidden":
    ours, theirs = socket.socketpair()
    ours.sendmsg([b"x"], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", [call.fileno()]))])
    call.close()
    theirs.send(b"x")
    ours.recv(1)
    print("handed on", flush=True)
    time.sleep(1)
else:
    call.recv(1)
`;

  async function listen(): Promise<{ readonly port: number; readonly call: Promise<Socket> }> {
    const server = createServer();
    const call = new Promise<Socket>((resolve) => server.once("connection", resolve));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    onTestFinished(() => void server.close());
    return { port: (server.address() as AddressInfo).port, call };
  }

  function judge(...sockets: readonly Socket[]): Promise<CallerOrigin[]> {
    return classifyCallers(
      sockets.map(({ remoteAddress = "", remotePort = 0, localAddress = "", localPort = 0 }) => ({
        remoteAddress,
        remotePort,
        localAddress,
        localPort,
      })),
    );
  }

  testWith("bwrap", "is seen to be in a sandbox, or not", async () => {
    const harness = await openSandboxHarness();
    harness.write(join(harness.workspace, "call.py"), CALL);
    const [first, second] = [await listen(), await listen()];
    const confined = harness.run(`python3 call.py ${first.port} plain`, {
      ...WORKSPACE,
      networkAccess: true,
    });
    const free = connect(second.port, "127.0.0.1");
    onTestFinished(() => void free.destroy());
    const calls = [await first.call, await second.call];
    expect(await judge(...calls)).toEqual(["confined", "outside"]);
    for (const call of calls) call.destroy();
    await confined;
    expect(await judge((await listenAndCall()).call)).toEqual(["outside"]);
  });

  async function listenAndCall(): Promise<{ readonly call: Socket }> {
    const { port, call } = await listen();
    const socket = connect(port, "127.0.0.1");
    onTestFinished(() => void socket.destroy());
    return { call: await call };
  }

  testWith(
    "bwrap",
    "is not known where the connection is held by nobody, while there is a sandbox",
    async () => {
      const harness = await openSandboxHarness();
      harness.write(join(harness.workspace, "call.py"), CALL);
      const { port, call } = await listen();
      const confined = harness.run(`python3 call.py ${port} hidden`, { ...WORKSPACE, networkAccess: true });
      const socket = await call;
      await expect.poll(() => judge(socket)).toEqual(["unknown"]);
      socket.destroy();
      await confined;
    },
  );
});

describe("a confined command can still", () => {
  testWith("bwrap", "write where it may, and use what is kept", async () => {
    const harness = await openSandboxHarness();
    harness.write(join(harness.workspace, ".git/HEAD"), "ref\n");
    const script = 'echo x > new; cat .git/HEAD; mkdir -p sub/.git; echo y > "$OUTSIDE/new"';
    expect(await harness.run(script, alsoWritable("outside", "absent")(harness))).toEqual({
      code: 0,
      output: "ref\n",
    });
    expect(readdirSync(harness.workspace).sort()).toEqual([".git", "new", "sub"]);
    expect(readFileSync(join(harness.outside, "new"), "utf8")).toBe("y\n");
  });

  testWith("bwrap", "write a kept folder that is named as writable", async () => {
    const harness = await openSandboxHarness();
    harness.write(join(harness.workspace, ".git/HEAD"));
    const { code } = await harness.run("echo x > .git/new", alsoWritable("workspace/.git")(harness));
    expect(code).toBe(0);
  });

  testWith("bwrap", "be a Node program with children", async () => {
    const harness = await openSandboxHarness();
    const script = `node -e 'require("child_process").execFile("echo", ["child"], (_, out) => console.log("parent of " + out.trim()))'`;
    expect(await harness.run(script)).toEqual({ code: 0, output: "parent of child\n" });
  });

  testWith("bwrap", "be told that it has no network", async () => {
    const harness = await openSandboxHarness();
    const script = 'echo "$CODEX_SANDBOX_NETWORK_DISABLED"';
    const outputs: string[] = [];
    for (const policy of [
      WORKSPACE,
      { ...WORKSPACE, networkAccess: true },
      { type: "externalSandbox" },
      { type: "externalSandbox", networkAccess: "enabled" },
      { type: "dangerFullAccess" },
    ] satisfies SandboxPolicy[]) {
      outputs.push((await harness.run(script, policy)).output.trim());
    }
    expect(outputs).toEqual(["1", "", "1", "", ""]);
  });

  testWith("bwrap", "control its jobs in a terminal of its own", async () => {
    const harness = await openSandboxHarness();
    const { code, output } = await harness.run(
      "set -m; sleep 60 & kill -STOP %1; jobs; kill -KILL %1; tty",
      WORKSPACE,
      true,
    );
    expect({ code, complains: output.includes("no job control") }).toEqual({ code: 0, complains: false });
    const cutOff = harness.wrap("true", WORKSPACE, { ownSession: false });
    expect(cutOff).toMatchObject({ ok: true, argv: expect.arrayContaining(["--new-session"]) });
  });

  testWith("bwrap", "end, and with it everything that it started", async () => {
    const harness = await openSandboxHarness();
    expect(await harness.run("setsid sleep 600 & echo started")).toEqual({ code: 0, output: "started\n" });
  });

  testWith("bwrap", "end with the code of the program", async () => {
    const harness = await openSandboxHarness();
    expect(await harness.run("exit 42")).toEqual({ code: 42, output: "" });
  });
});

describe("what stands in for missing entries", () => {
  testWith("bwrap", "goes with the last command that needs it", async () => {
    const harness = await openSandboxHarness();
    const script = "ls -A";
    const other = harness.wrap(script);
    expect((await harness.run(script)).output.split("\n")).toContain(".git");
    expect(readdirSync(harness.workspace)).toContain(".git");
    if (other.ok) other.release();
    expect(readdirSync(harness.workspace)).toEqual([]);
  });

  testWith("bwrap", "stays while a command of another server needs it", async () => {
    const harness = await openSandboxHarness();
    const other = await openSandbox({ ...harness.deps });
    const theirs = other.wrap({ argv: ["true"], cwd: harness.workspace, env: {} }, WORKSPACE, {
      policyCwd: harness.workspace,
    });
    await harness.run("true");
    expect(readdirSync(harness.workspace)).toContain(".git");
    if (theirs.ok) theirs.release();
    expect(readdirSync(harness.workspace)).toEqual([]);
  });

  testWith("bwrap", "goes also when a server has died in between", async () => {
    const harness = await openSandboxHarness();
    const gone = spawn("true");
    await new Promise((resolve) => gone.once("exit", resolve));
    const living = harness.wrap("true");
    const marks = join(harness.base, "state/masks");
    const [server = ""] = readdirSync(marks);
    const [mark = ""] = readdirSync(join(marks, server));
    if (living.ok) living.release();
    mkdirSync(join(marks, `${gone.pid}-x`, mark), { recursive: true });
    mkdirSync(join(harness.workspace, ".git"));
    await harness.run("true");
    expect(readdirSync(harness.workspace)).toEqual([]);
  });

  testWith("bwrap", "is not taken for an empty folder of the user's", async () => {
    const harness = await openSandboxHarness();
    mkdirSync(join(harness.workspace, ".git"));
    await harness.run("true");
    expect(readdirSync(harness.workspace)).toEqual([".git"]);
  });
});

describe("a sandbox refuses", () => {
  testWith("bwrap", "a writable folder that a command has turned into a link", async () => {
    const harness = await openSandboxHarness();
    const policy = alsoWritable("workspace/later")(harness);
    await harness.run('ln -s "$OUTSIDE" later', policy);
    expect(harness.wrap("true", policy)).toEqual({
      ok: false,
      reason: expect.stringContaining("a symlink that commands may change"),
    });
  });

  testWith("bwrap", "to keep a link", async () => {
    const harness = await openSandboxHarness();
    symlinkSync(harness.outside, join(harness.workspace, ".git"));
    expect(harness.wrap("true")).toEqual({ ok: false, reason: expect.stringContaining(".git is a symlink") });
    rmSync(join(harness.workspace, ".git"));
    const again = harness.wrap("true");
    expect(again.ok).toBe(true);
    if (again.ok) again.release();
  });
});
