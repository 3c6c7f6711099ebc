/** Attacks through special files: pipes, devices, endless files, swapped links, dead mounts. */
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { customCallDone, functionCallDone, messageReply, reply } from "../../support/model-events.ts";
import type { Random } from "../../support/random.ts";
import type { RpcClient } from "../../support/rpc-client.ts";
import type { Attack } from "../attack.ts";
import { type AttackHarness, residentMiB } from "../attack-harness.ts";
import { type AttackedServer, type Call, command } from "../attacked-server.ts";
import { WORKSPACE, workspaceOnly } from "./bounds.ts";

const ANSWER_MS = 10_000;
const MOST_MIB = 500;
const UNBOUNDED = { sandbox: "danger-full-access", approvalPolicy: "never" };
const HELLO = { type: "text", text: "Hello" };

function makePipe(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  execFileSync("mkfifo", [path]);
}

const view = (path: string): Call => ({ name: "view_image", args: { path } });
const patch = (...lines: readonly string[]): Call =>
  command(`apply_patch <<'EOF'\n*** Begin Patch\n${lines.join("\n")}\n*** End Patch\nEOF`);
const update = (path: string): Call => patch(`*** Update File: ${path}`, "@@", "-a", "+b");

/** Requests that must still get a timely response, whatever hangs. */
async function expectService({ client, server }: AttackedServer): Promise<void> {
  const wait = { milliseconds: ANSWER_MS };
  await client.request("thread/list", {}, wait);
  await client.request("fs/getMetadata", { path: server.home.workspace }, wait);
  const started = await client.result("thread/start", { cwd: server.home.workspace }, wait);
  const { id: threadId } = (started as { thread: { id: string } }).thread;
  await client.result("turn/start", { threadId, input: [HELLO] }, wait);
  await client.next({ method: "turn/completed", params: { threadId } }, ANSWER_MS);
}

/** The longest wait of another client for a response during the work, in milliseconds. */
async function longestWait(client: RpcClient, work: Promise<unknown>): Promise<number> {
  const ended = work.then(() => "ended" as const);
  const pause = () =>
    new Promise<"paused">((resolve) => {
      setTimeout(() => resolve("paused"), 5);
    });
  let longest = 0;
  do {
    const start = performance.now();
    await client.request("thread/loaded/list", {}, { milliseconds: 60_000 });
    longest = Math.max(longest, performance.now() - start);
  } while ((await Promise.race([ended, pause()])) === "paused");
  return longest;
}

async function openOther({ server }: AttackedServer): Promise<RpcClient> {
  const other = await server.connect();
  const clientInfo = { name: "other", title: null, version: "1" };
  await other.result("initialize", { clientInfo, capabilities: { experimentalApi: true } });
  return other;
}

function manyCalls(random: Random, count: number) {
  const names = ["nothing", "update_plan", "view_image", "write_stdin", "exec_command"];
  const name = random.pick([...names, null]);
  return Array.from({ length: count }, (_none, at) => {
    const called = name ?? random.pick(names);
    return random.chance(0.1)
      ? customCallDone(`c${at}`, called, "x")
      : functionCallDone(`c${at}`, called, random.chance(0.5) ? {} : { path: "/nowhere", plan: [], cmd: 5 });
  });
}

/**
 * Swaps the folder `in` with a link that leads outside, and back; most of the time it is the folder that was checked.
 */
const RACER = `
const { renameSync, symlinkSync, rmSync } = require("node:fs");
const end = Date.now() + 60000;
const stay = (ms) => { for (const until = performance.now() + ms; performance.now() < until; ); };
while (Date.now() < end) {
  stay(Math.random() * Number(process.argv[3]));
  try {
    renameSync("in", "moved");
    symlinkSync(process.argv[2], "in");
    stay(Math.random());
    rmSync("in");
    renameSync("moved", "in");
  } catch {}
}`;

/** Mounts a file system on which every access hangs. False if mounting is not permitted. */
async function mountSilence(harness: AttackHarness, folder: string): Promise<boolean> {
  const mount = 'mount -i -t fuse -o fd=3,rootmode=40000,user_id=0,group_id=0 none "$0"';
  const holder = spawn("sh", ["-c", `exec 3<>/dev/fuse && ${mount} && echo up && cat`, folder], {
    stdio: ["pipe", "pipe", "ignore"],
  });
  const isUp = await new Promise<boolean>((resolve) => {
    holder.stdout.once("data", () => resolve(true));
    holder.once("exit", () => resolve(false));
  });
  harness.onEnd(() => {
    holder.stdin.end();
    if (isUp) execFileSync("umount", ["-l", folder]);
  });
  return isUp;
}

export const filesAttacks: readonly Attack[] = [
  {
    name: "files/pipes of a repository",
    promise: "nothing in a repository that is no file holds up a thread",
    async run(harness) {
      const { random } = harness;
      const attacked = await harness.open();
      const names = [".git", "AGENTS.md", "AGENTS.override.md", ".gitignore", ".ignore", ".codex/hooks.json"];
      const deep = [
        ".codex/rules/a.rules",
        ".codex/skills/s/SKILL.md",
        ".agents/skills/t/SKILL.md",
        ".git/HEAD",
      ];
      let cwd = attacked.server.home.workspace;
      for (let depth = 0; depth < 5 + random.below(10); depth += 1) {
        cwd = join(cwd, `f${depth}`);
        for (const name of [...names, ...deep]) {
          // A pipe has no children.
          const isBlocked = name === ".git/HEAD" && existsSync(join(cwd, ".git"));
          if (random.chance(0.7) && !isBlocked) makePipe(join(cwd, name));
        }
      }
      await attacked.play([command("true")], { thread: { cwd }, milliseconds: ANSWER_MS });
      await attacked.client.request("skills/list", { cwds: [cwd] }, { milliseconds: ANSWER_MS });
      await attacked.client.request(
        "fuzzyFileSearch",
        { query: "f", roots: [cwd] },
        { milliseconds: ANSWER_MS },
      );
      await expectService(attacked);
    },
  },
  {
    name: "files/pipes of the history",
    promise: "nothing in the home that is no file holds up a list, or anything else",
    async run(harness) {
      const { random } = harness;
      const home = await harness.home();
      const day = join(home.home, random.pick(["sessions/2026/11/15", "archived_sessions"]));
      for (let count = 0; count < 5 + random.below(20); count += 1) {
        const id = `01997a5e-2b3c-7d4e-8f50-0000000000${String(count).padStart(2, "0")}`;
        makePipe(join(day, `rollout-2026-11-15T09-24-31-${id}.jsonl`));
      }
      const own = ["session_index.jsonl", "installation_id", "AGENTS.md", "rules/a.rules", "hooks.json"];
      for (const name of own) if (random.chance(0.7)) makePipe(join(home.home, name));
      const attacked = await harness.open({ home });
      const threadId = "01997a5e-2b3c-7d4e-8f50-000000000001";
      for (const method of ["thread/read", "thread/resume", "thread/archive", "thread/fork"])
        await attacked.client.request(method, { threadId }, { milliseconds: ANSWER_MS });
      for (const params of [{ archived: true }, { searchTerm: "x" }])
        await attacked.client.request("thread/list", params, { milliseconds: ANSWER_MS });
      await expectService(attacked);
    },
  },
  {
    name: "files/endless files",
    promise: "whatever file a model or a client names takes bounded time and memory",
    async run(harness) {
      const { random } = harness;
      const attacked = await harness.open();
      const { workspace } = attacked.server.home;
      const pipe = join(workspace, "pipe.png");
      makePipe(pipe);
      const odd = ["/proc/self/pagemap", "/proc/kmsg", "/proc/self/mem", "/proc/kcore", "/dev/zero", pipe];
      const acts = [view, update].map((act) => () => act(random.pick(odd)));
      await attacked.play(
        Array.from({ length: 8 }, () => random.pick(acts)()),
        { thread: UNBOUNDED, milliseconds: 30_000 },
      );
      const path = () => random.pick(odd);
      const asked = Array.from({ length: 8 }, () => [
        attacked.client.request("fs/readFile", { path: path() }, { milliseconds: 30_000 }),
        attacked.client.request("fs/writeFile", { path: pipe, dataBase64: "YQ==" }, { milliseconds: 30_000 }),
        attacked.client.request(
          "fs/copy",
          { sourcePath: pipe, destinationPath: path() },
          { milliseconds: 30_000 },
        ),
      ]);
      await Promise.all(asked.flat());
      await expectService(attacked);
      const used = residentMiB(attacked.server.child.pid);
      if (used > MOST_MIB) harness.breach("reading took memory without bound", { used });
    },
  },
  {
    name: "files/a dead mount",
    promise: "a mount that does not answer costs those who name it their deadline, and nobody else anything",
    async run(harness) {
      const attacked = await harness.open();
      const silent = join(attacked.server.home.root, "silent");
      mkdirSync(silent);
      if (!(await mountSilence(harness, silent))) return;
      const methods = [
        "fs/readFile",
        "fs/getMetadata",
        "fs/readDirectory",
        "fs/remove",
        "fs/createDirectory",
      ];
      const path = join(silent, "file");
      const hanging = Array.from({ length: 12 }, () =>
        attacked.client.request(harness.random.pick(methods), { path }, { milliseconds: 40_000 }),
      );
      const start = attacked.client.request("thread/start", { cwd: silent }, { milliseconds: 40_000 });
      const answers = Promise.all([...hanging, start]);
      // A missing response matters only if the service continues.
      answers.catch(() => {});
      await expectService(attacked);
      const good = (await answers).filter((answer) => !("error" in answer));
      if (good.length > 0) harness.breach("a dead mount was reported as responsive", good);
      const calls = [view(join(path, "a.png")), update(path), patch(`*** Add File: ${path}`, "+a")];
      await attacked.play(calls, { thread: UNBOUNDED });
      await expectService(attacked);
    },
  },
  {
    name: "files/a response of many calls",
    promise: "a response with any number of calls is taken or refused while others are answered",
    async run(harness) {
      const { random } = harness;
      const attacked = await harness.open({ transport: "ws" });
      const other = await openOther(attacked);
      const count = random.pick([1024, 1025, 10_000, 20_000, 40_000]);
      attacked.model.extend([
        reply("many", ...manyCalls(random, count)),
        messageReply("Done", { id: "done" }),
      ]);
      const { thread } = (await attacked.client.result("thread/start", UNBOUNDED)) as {
        thread: { id: string };
      };
      await attacked.client.result("turn/start", { threadId: thread.id, input: [HELLO] });
      const ended = attacked.client.next(
        { method: "turn/completed", params: { threadId: thread.id } },
        60_000,
      );
      const longest = await longestWait(other, ended);
      if (longest > 2000) harness.breach("others waited for one response", { count, longest });
      await expectService(attacked);
    },
  },
  {
    name: "files/a link that is turned",
    promise: "a patch makes nothing outside of the writable roots, whatever is put in its way meanwhile",
    async run(harness) {
      const attacked = await harness.open({ tables: workspaceOnly() });
      const { root, workspace } = attacked.server.home;
      const outside = join(root, "outside");
      for (const folder of [outside, join(workspace, "in")]) mkdirSync(folder);
      writeFileSync(join(workspace, "race.cjs"), RACER);
      const racer = command(`node race.cjs ${outside} ${2 + harness.random.below(10)}`, {
        yield_time_ms: 300,
      });
      const depth = 1 + harness.random.below(4);
      const adds = Array.from({ length: 60 }, (_none, at) =>
        patch(`*** Add File: in/new${at}${"/deep".repeat(depth)}/f.txt`, "+a"),
      );
      await attacked.play([racer, ...adds], {
        thread: { ...WORKSPACE, cwd: workspace },
        milliseconds: 60_000,
      });
      const made = readdirSync(outside);
      if (made.length > 0) harness.breach("a patch made folders outside of the writable roots", made);
    },
  },
  {
    name: "files/a home that cannot be written to",
    promise: "whoever asks is told what is wrong with the home",
    async run(harness) {
      const home = await harness.home();
      const [name, prepare] = harness.random.pick([
        ["read-only", 'mount --bind "$0" "$0" && mount -o remount,bind,ro "$0"'],
        [
          "full",
          'mount -t tmpfs -o size=64k none "$0" && { dd if=/dev/zero of="$0/x" bs=1k count=99 || true; }',
        ],
      ] as const);
      const { command: node, args } = harness.program;
      const script = ["-m", "sh", "-c", `${prepare} 2>/dev/null; exec "$@"`, home.home, node, ...args];
      const attacked = await harness.open({ home, program: { command: "unshare", args: script } });
      for (const method of ["thread/start", "thread/list"]) {
        const answer = JSON.stringify(await attacked.client.request(method, {}, { milliseconds: ANSWER_MS }));
        if (answer.includes("internal error") || !answer.includes(home.home))
          harness.breach("the response does not state the fault", { name, method, answer });
      }
    },
  },
];
