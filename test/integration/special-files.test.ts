/** Paths that are not regular files: pipes are not waited for, and sizes are limited. */
import { execFileSync, spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, onTestFinished, test } from "vitest";
import { encodeEvents, openFaultyModel, streamOf } from "../support/faulty-model.ts";
import { at } from "../support/json.ts";
import { modelConfig } from "../support/model-config.ts";
import {
  functionCallDone,
  type ModelEvent,
  messageDone,
  responseCompleted,
  responseCreated,
} from "../support/model-events.ts";
import { startServer } from "../support/start-server.ts";
import { createTempHome, type TempHome } from "../support/temp-home.ts";
import { within } from "../support/within.ts";

const ANSWER_MS = 10_000;
const HANGING_MS = 30_000;
const MEGABYTE = 1_000_000;

function makePipe(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  execFileSync("mkfifo", [path]);
}

async function openHome(): Promise<TempHome> {
  const home = await createTempHome();
  onTestFinished(() => home.remove());
  execFileSync("git", ["init", "-q"], { cwd: home.workspace });
  return home;
}

async function openServer(home: TempHome) {
  const model = await openFaultyModel();
  onTestFinished(() => model.close());
  await home.write("home/config.toml", modelConfig(model.url).replace("read-only", "danger-full-access"));
  const server = await startServer({ home, env: { SHELL: "/bin/sh" } });
  onTestFinished(() => server.stop().then(() => {}));
  const client = await server.connect();
  const initialize = {
    clientInfo: { name: "t", title: null, version: "1" },
    capabilities: { experimentalApi: true },
  };
  const ask = (method: string, params: object) =>
    within(client.result(method, params), ANSWER_MS, `no answer to ${method}`);
  /** The error message of a request; a note if it was not refused. */
  const refusal = async (method: string, params: object, waitMs = ANSWER_MS) => {
    const answer = await client.request(method, params, { milliseconds: waitMs });
    return at(answer, ["error", "message"]) ?? `${method} was not refused`;
  };
  await ask("initialize", initialize);
  const modelReply = (...events: ModelEvent[]) =>
    streamOf(encodeEvents([responseCreated("r"), ...events, responseCompleted("r")]));
  return {
    ask,
    refusal,
    server,
    startThread: async () => at(await ask("thread/start", { cwd: home.workspace }), ["thread", "id"]),
    async runTurn(threadId: unknown, input: readonly object[], ...calls: ModelEvent[]) {
      model.answerWith(modelReply(...calls), modelReply(messageDone("m", "Done")));
      await ask("turn/start", { threadId, input });
      return at(await client.next({ method: "turn/completed" }, ANSWER_MS), ["params", "turn", "status"]);
    },
    outputs(): string[] {
      const { input } = JSON.parse(model.requests.at(-1) ?? "{}") as {
        input: { type: string; output?: unknown }[];
      };
      return input.filter(({ type }) => type.endsWith("_output")).map(({ output }) => JSON.stringify(output));
    },
    async end() {
      server.child.signal("SIGTERM");
      return within(server.child.exit, ANSWER_MS, "the server did not end");
    },
  };
}

const hello = [{ type: "text", text: "Hello" }];
const updates = (path: string) => {
  const patch = `*** Begin Patch\n*** Update File: ${path}\n@@\n-a\n+b\n*** End Patch`;
  return functionCallDone("patch", "exec_command", { cmd: `apply_patch <<'EOF'\n${patch}\nEOF` });
};
const views = (id: string, path: string) => functionCallDone(id, "view_image", { path });

describe("a path that a model names", () => {
  test.runIf(process.platform === "linux")("leads to endless memory: neither tool takes it in", async () => {
    const { startThread, runTurn, outputs, server } = await openServer(await openHome());
    const threadId = await startThread();
    const calls = [views("view", "/proc/self/pagemap"), updates("/proc/self/pagemap")];
    const status = await runTurn(threadId, hello, ...calls);
    expect([status, outputs()]).toEqual([
      "completed",
      [
        expect.stringContaining("larger than the supported size"),
        expect.stringContaining("too large to read"),
      ],
    ]);
    const peak = /VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${server.child.pid}/status`, "utf8"))?.[1];
    expect(Number(peak) * 1024).toBeLessThan(500 * MEGABYTE);
  });

  test("leads to pipes: the model is told, and the pool of threads is left to others", async () => {
    const home = await openHome();
    const pipe = join(home.workspace, "pipe.png");
    makePipe(pipe);
    const { startThread, runTurn, ask, end } = await openServer(home);
    const threadId = await startThread();
    const paths = process.platform === "linux" ? [pipe, "/proc/kmsg"] : [pipe];
    const calls = Array.from({ length: 8 }, (_none, index) =>
      views(`v${index}`, paths[index % paths.length] ?? pipe),
    );
    expect(await runTurn(threadId, hello, ...calls, updates(pipe))).toBe("completed");
    await ask("fs/readDirectory", { path: home.workspace });
    expect(await end()).toEqual({ code: 0, signal: null });
  });
});

describe("a path that a client names", () => {
  test("leads to pipes: it is answered", async () => {
    const home = await openHome();
    const pipe = join(home.workspace, "pipe");
    makePipe(pipe);
    const { startThread, runTurn, ask, refusal } = await openServer(home);
    const asked = Array.from({ length: 6 }, () => [
      refusal("fs/readFile", { path: pipe }),
      refusal("fs/writeFile", { path: pipe, dataBase64: "YQ==" }),
      refusal("fs/copy", { sourcePath: "/etc/hostname", destinationPath: pipe }),
    ]).flat();
    expect(new Set(await Promise.all(asked))).toEqual(
      new Set([`path \`${pipe}\` is not a file`, "No such device or address (os error 6)"]),
    );
    const threadId = await startThread();
    const images = Array.from({ length: 6 }, () => ({ type: "localImage", path: pipe }));
    const audios = Array.from({ length: 6 }, () => ({ type: "localAudio", path: pipe }));
    expect(await runTurn(threadId, [...hello, ...images, ...audios])).toBe("completed");
    await ask("fs/readDirectory", { path: home.workspace });
  });
});

describe("pipes in the places of files", () => {
  test("of a repository hold up no thread", async () => {
    const home = await openHome();
    for (const folder of ["sub", "sub/a", "sub/a/b", "sub/a/b/c", "sub/a/b/c/d", "sub/a/b/c/d/e"]) {
      makePipe(join(home.workspace, folder, ".git"));
      for (const name of ["AGENTS.md", ".codex/hooks.json", ".gitignore", ".ignore"])
        makePipe(join(home.workspace, folder, name));
      makePipe(join(home.workspace, folder, ".codex/rules/a.rules"));
      makePipe(join(home.workspace, folder, ".codex/skills/s/SKILL.md"));
    }
    const cwd = join(home.workspace, "sub/a/b/c/d/e");
    const { ask, runTurn, refusal } = await openServer(home);
    const started = await ask("thread/start", { cwd });
    expect(await runTurn(at(started, ["thread", "id"]), hello)).toBe("completed");
    await ask("skills/list", { cwds: [cwd] });
    await ask("fuzzyFileSearch", { query: "a", roots: [cwd] });
    makePipe(join(home.workspace, "odd/.codex/config.toml"));
    expect(await refusal("thread/start", { cwd: join(home.workspace, "odd") })).toContain("is not a file");
    await ask("thread/start", { cwd: home.workspace });
  });

  test("of a worktree hold up no thread", async () => {
    const home = await openHome();
    for (const name of ["gitdir", "commondir", "HEAD", "config"])
      makePipe(join(home.workspace, ".git/worktrees/w", name));
    await home.write("workspace/tree/.git", `gitdir: ${join(home.workspace, ".git/worktrees/w")}\n`);
    const { ask, runTurn } = await openServer(home);
    const started = await ask("thread/start", { cwd: join(home.workspace, "tree") });
    const run = functionCallDone("run", "exec_command", { cmd: "true" });
    expect(await runTurn(at(started, ["thread", "id"]), hello, run)).toBe("completed");
  });

  test("of the history hold up no list", async () => {
    const home = await openHome();
    for (let count = 0; count < 8; count += 1) {
      const name = `rollout-2026-11-15T09-24-3${count}-01997a5e-2b3c-7d4e-8f50-00000000000${count}.jsonl`;
      makePipe(join(home.home, "sessions/2026/11/15", name));
      makePipe(join(home.home, "archived_sessions", name.replace("-0199", "-0198")));
    }
    for (const name of [
      "session_index.jsonl",
      "installation_id",
      "AGENTS.md",
      "rules/default.rules",
      ".credentials.json",
    ])
      makePipe(join(home.home, name));
    const { ask, startThread, runTurn, refusal } = await openServer(home);
    const threadId = await startThread();
    expect(await runTurn(threadId, hello)).toBe("completed");
    await ask("thread/list", {});
    await ask("thread/list", { archived: true });
    const id = "01997a5e-2b3c-7d4e-8f50-000000000001";
    for (const method of ["thread/read", "thread/resume", "thread/fork", "thread/archive"])
      expect(await refusal(method, { threadId: id })).not.toContain("was not refused");
    expect(await refusal("thread/name/set", { threadId, name: "a name" })).toContain(
      "it is not a regular file",
    );
    await ask("thread/list", { searchTerm: "Hello" });
  });
});

describe("a mount that has stopped to answer", () => {
  /** Mounts a file system that does not respond, so that every access blocks forever. */
  async function mountSilence(folder: string): Promise<boolean> {
    const script = `exec 3<>/dev/fuse && mount -i -t fuse -o fd=3,rootmode=40000,user_id=0,group_id=0 none "$1" && echo up && cat`;
    const holder = spawn("sh", ["-c", script, "sh", folder], { stdio: ["pipe", "pipe", "ignore"] });
    const isUp = await new Promise<boolean>((resolve) => {
      holder.stdout.once("data", () => resolve(true));
      holder.once("exit", () => resolve(false));
    });
    onTestFinished(() => {
      holder.stdin.end();
      if (isUp) execFileSync("umount", ["-l", folder]);
    });
    return isUp;
  }

  test("costs those who name it their deadline, and the others nothing", { timeout: 60_000 }, async ({
    skip,
  }) => {
    const home = await openHome();
    const silent = join(home.root, "silent");
    mkdirSync(silent);
    if (!(await mountSilence(silent))) skip("needs the right to mount");
    const { ask, startThread, runTurn, refusal, end } = await openServer(home);
    const hanging = Array.from({ length: 8 }, (_none, index) => [
      refusal("fs/readFile", { path: join(silent, `file${index}`) }, HANGING_MS),
      refusal("fs/getMetadata", { path: join(silent, `file${index}`) }, HANGING_MS),
      refusal("fs/readDirectory", { path: silent }, HANGING_MS),
    ]).flat();
    const threadId = await startThread();
    const add = `*** Begin Patch\n*** Add File: ${join(silent, "new")}\n+a\n*** End Patch`;
    const patches = { cmd: `apply_patch <<'EOF'\n${add}\nEOF` };
    expect(await runTurn(threadId, hello)).toBe("completed");
    await ask("thread/list", {});
    const refused = (
      [
        ["thread/start", { cwd: silent }],
        ["config/read", { cwd: silent }],
        ["command/exec", { command: ["true"], cwd: silent }],
        ["process/spawn", { command: ["true"], processHandle: "p", cwd: silent }],
      ] as const
    ).map(([method, params]) => refusal(method, params, HANGING_MS));
    for (const message of await Promise.all(refused)) expect(message).toMatch(/did not answer/);
    await ask("hooks/list", { cwds: [silent] });
    const calls = [
      views("v", join(silent, "a.png")),
      functionCallDone("p", "exec_command", patches),
      functionCallDone("c", "exec_command", { cmd: "true", workdir: silent }),
    ];
    expect(await runTurn(threadId, hello, ...calls)).toBe("completed");
    for (const message of await Promise.all(hanging)) expect(message).toMatch(/within 10 seconds/);
    expect(await runTurn(threadId, hello)).toBe("completed");
    await end();
  });
});
