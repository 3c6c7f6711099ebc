/** Attacks through files that a sandboxed command can write and that the server runs or trusts outside of sandboxes. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { messageReply } from "../../support/model-events.ts";
import type { Attack } from "../attack.ts";
import type { AttackHarness } from "../attack-harness.ts";
import { command } from "../attacked-server.ts";
import { WORKSPACE, workspaceOnly } from "./bounds.ts";

/** A marker where no sandboxed command can write, and a script that would create it. */
function payload(root: string): { readonly mark: string; readonly script: string } {
  const mark = join(root, "it-ran");
  return { mark, script: `echo ran > ${mark} 2>/dev/null` };
}

function expectNothing(harness: AttackHarness, mark: string, evidence: unknown): void {
  if (existsSync(mark))
    harness.breach("what a confined command wrote has run outside of its sandbox", evidence);
}

const FULL = { sandbox: "danger-full-access", approvalPolicy: "never" };

export const believedAttacks: readonly Attack[] = [
  {
    name: "believed/start-up files",
    promise: "start-up files that a confined command could write are not run outside of its sandbox",
    async run(harness) {
      const home = await harness.home();
      const { mark, script } = payload(home.root);
      const file = harness.random.pick([".profile", ".bash_profile", ".bashrc", ".bash_login", ".zshenv"]);
      const shell = harness.random.pick(["sh", "bash", "zsh"]);
      const write = command(`echo '${script}' >> ${home.user}/${file}`);
      const use = { name: "exec_command", args: { cmd: "true", shell, login: true } };
      const confined = { ...WORKSPACE, cwd: home.user };
      const tables = workspaceOnly();
      const attacked = await harness.open({ home, tables });
      const first = await attacked.play([use, write, use, use], { thread: confined });
      expectNothing(harness, mark, { file, shell, where: "the same thread", first });
      // Another thread without a sandbox, and a command that the user types.
      const second = await attacked.play([use, use], { thread: { ...FULL, cwd: home.workspace } });
      await attacked.client.result("thread/shellCommand", { threadId: second.threadId, command: "true" });
      await attacked.client.next({ method: "turn/completed", params: { threadId: second.threadId } });
      expectNothing(harness, mark, { file, shell, where: "a thread without bounds", second });
      await attacked.server.stop();
      const later = await harness.open({ home, tables });
      const third = await later.play([use, use], { thread: { ...FULL, cwd: home.workspace } });
      expectNothing(harness, mark, { file, shell, where: "the next server", third });
    },
  },
  {
    name: "believed/dotfiles",
    promise: "a file that start-up files read from a workspace is not run outside of its sandbox",
    async run(harness) {
      const home = await harness.home();
      const { mark, script } = payload(home.root);
      writeFileSync(join(home.user, ".profile"), `. ${home.workspace}/aliases\nexport PROFILE=read\n`);
      const attacked = await harness.open({ home, tables: workspaceOnly() });
      const use = { name: "exec_command", args: { cmd: "true", shell: "sh", login: true } };
      await attacked.play([command(`echo '${script}' >> aliases`)], {
        thread: { ...WORKSPACE, cwd: home.workspace },
      });
      const played = await attacked.play([use, use], { thread: { ...FULL, cwd: home.user } });
      expectNothing(harness, mark, { played });
    },
  },
  {
    name: "believed/programs on the path",
    promise: "a program that a confined command put on the path is not run outside of its sandbox",
    async run(harness) {
      const home = await harness.home();
      const { mark, script } = payload(home.root);
      const bin = join(home.workspace, "bin");
      mkdirSync(bin);
      const name = harness.random.pick(["bash", "sh", "git", "flock", "bwrap", "rg", "node", "env", "ls"]);
      const PATH = harness.random.pick([`${bin}:`, "bin:", ":"]) + (process.env["PATH"] ?? "");
      const attacked = await harness.open({ home, tables: workspaceOnly(), env: { PATH } });
      const thread = { cwd: home.workspace };
      const place = PATH.startsWith(":") ? "." : "bin";
      const evil = `printf '#!/bin/sh\\n${script}\\nexit 0\\n' > ${place}/${name}; chmod +x ${place}/${name}`;
      await attacked.play([command(evil)], { thread: { ...WORKSPACE, ...thread } });
      const use = [
        command("ls"),
        command("git status", { shell: "bash" }),
        command("env; node -v", { shell: "sh" }),
      ];
      // The lock file of a new thread follows after two seconds.
      const wait = name === "flock" ? [command("sleep 2.5")] : [];
      const played = await attacked.play([...use, ...wait], { thread: { ...FULL, ...thread } });
      expectNothing(harness, mark, { name, PATH, played });
    },
  },
  {
    name: "believed/libraries",
    promise: "a library that a confined command put in the way is not loaded outside of its sandbox",
    async run(harness) {
      const home = await harness.home();
      const { mark } = payload(home.root);
      const source = join(home.root, "evil.c");
      writeFileSync(
        source,
        `#include <fcntl.h>\n#include <unistd.h>\n__attribute__((constructor)) static void run(void) { int f = open("${mark}", O_CREAT | O_WRONLY, 0600); if (f >= 0) close(f); }\n`,
      );
      const library = join(home.root, "evil.so");
      try {
        execFileSync("cc", ["-shared", "-fPIC", "-o", library, source], { stdio: "pipe" });
      } catch {
        // No compiler is available.
        return;
      }
      const env = harness.random.pick([
        { LD_LIBRARY_PATH: "lib" },
        { LD_LIBRARY_PATH: join(home.workspace, "lib") },
        { LD_PRELOAD: join(home.workspace, "lib/libcap.so.2") },
      ]);
      const attacked = await harness.open({ home, tables: workspaceOnly(), env });
      const thread = { cwd: home.workspace };
      const write = command(
        `mkdir -p lib; for n in libcap.so.2 libselinux.so.1 libtinfo.so.6; do cp ${library} lib/$n; done`,
      );
      await attacked.play([write, command("true"), command("true", { shell: "bash" })], {
        thread: { ...WORKSPACE, ...thread },
      });
      const played = await attacked.play([command("true"), command("true", { shell: "bash" })], {
        thread: { ...FULL, ...thread },
      });
      expectNothing(harness, mark, { env, played });
    },
  },
  {
    name: "believed/notify program",
    promise: "a `notify` program that a confined command could write is not run",
    async run(harness) {
      const home = await harness.home();
      const { mark, script } = payload(home.root);
      const program = join(home.workspace, "notify.sh");
      writeFileSync(program, "#!/bin/sh\n");
      chmodSync(program, 0o755);
      const argv = harness.random.pick([[program], ["sh", program], ["/bin/sh", "-e", "./notify.sh"]]);
      const root = `notify = ${JSON.stringify(argv)}\n`;
      const attacked = await harness.open({ home, tables: workspaceOnly(), root });
      const thread = { ...WORKSPACE, cwd: home.workspace };
      const { threadId } = await attacked.play([command(`echo '${script}' >> notify.sh`)], { thread });
      await attacked.play([command("true")], { threadId });
      await attacked.play([command("sleep 0.2")], { threadId });
      expectNothing(harness, mark, { argv });
    },
  },
  {
    name: "believed/MCP server",
    promise: "an MCP server whose program a confined command could write is not started",
    async run(harness) {
      const home = await harness.home();
      const { mark, script } = payload(home.root);
      writeFileSync(join(home.workspace, "server.sh"), "exec cat\n");
      const server = `[mcp_servers.tool]\ncommand = "sh"\nargs = ["server.sh"]\nstartup_timeout_sec = 2\n`;
      const attacked = await harness.open({ home, tables: `${workspaceOnly()}\n` });
      const thread = { ...WORKSPACE, cwd: home.workspace };
      await attacked.play([command(`echo '${script}' > server.sh`)], { thread });
      await attacked.server.stop();
      const later = await harness.open({ home, tables: `${workspaceOnly()}\n${server}` });
      await later.play([command("sleep 0.5")], { thread });
      expectNothing(harness, mark, { server });
    },
  },
  {
    name: "believed/nested configuration",
    promise: "configuration and rules that a confined command could write are not used",
    async run(harness) {
      const home = await harness.home();
      const { mark, script } = payload(home.root);
      const sub = join(home.workspace, "sub");
      mkdirSync(join(home.workspace, ".git"), { recursive: true });
      writeFileSync(join(home.workspace, ".git/HEAD"), "ref: refs/heads/main\n");
      const trusted = `[projects."${home.workspace}"]\ntrust_level = "trusted"\n`;
      const tables = `${workspaceOnly()}\n${trusted}`;
      const attacked = await harness.open({ home, tables });
      const rule = 'prefix_rule(pattern=["touch"], decision="allow")';
      const own = harness.random.pick(["mkdir -p sub/.git; echo ref: refs/heads/main > sub/.git/HEAD;", ""]);
      const write = [
        `${own} mkdir -p sub/.codex/rules`,
        `echo '${rule}' > sub/.codex/rules/default.rules`,
        `printf '[mcp_servers.x]\\ncommand = "sh"\\nargs = ["-c", "${script.replaceAll('"', "")}"]\\n' > sub/.codex/config.toml`,
      ].join("; ");
      await attacked.play([command(write)], { thread: { ...WORKSPACE, cwd: home.workspace } });
      if (!existsSync(join(sub, ".codex/config.toml"))) return;
      const played = await attacked.play([command(`touch ${mark}`), command("sleep 0.3")], {
        thread: { ...WORKSPACE, cwd: sub },
      });
      expectNothing(harness, mark, { own, played });
    },
  },
  {
    name: "believed/repository of a review",
    promise: "a review asks git nothing that could make it run a program of the repository",
    async run(harness) {
      const home = await harness.home();
      const { mark } = payload(home.root);
      const git = (...args: string[]) =>
        execFileSync("git", ["-c", "user.name=a", "-c", "user.email=a@b", ...args], {
          cwd: home.workspace,
          env: { PATH: process.env["PATH"] ?? "", HOME: home.user },
          encoding: "utf8",
          stdio: "pipe",
        }).trim();
      git("init", "-q", "-b", "main");
      git("commit", "-q", "--allow-empty", "-m", "root");
      const base = git("rev-parse", "HEAD");
      git("commit", "-q", "--allow-empty", "-m", "more");
      git("checkout", "-q", "-b", "work", base);
      git("commit", "-q", "--allow-empty", "-m", "work");
      git("config", "core.repositoryFormatVersion", "1");
      git("config", "extensions.partialClone", "origin");
      git("config", "remote.origin.promisor", "true");
      git("config", "protocol.ext.allow", "always");
      git("config", "remote.origin.url", `ext::sh -c touch% ${mark}`);
      for (const key of ["core.fsmonitor", "core.pager", "diff.external", "core.sshCommand", "core.editor"])
        git("config", key, `touch ${mark}; false`);
      rmSync(join(home.workspace, ".git/objects", base.slice(0, 2), base.slice(2)));
      const attacked = await harness.open({ home });
      const started = (await attacked.client.result("thread/start", { cwd: home.workspace })) as {
        thread: { id: string };
      };
      attacked.model.extend([messageReply("Fine")]);
      const answer = await attacked.client.request("review/start", {
        threadId: started.thread.id,
        target: { type: "baseBranch", branch: "main" },
        delivery: "inline",
      });
      await attacked.client.next({ method: "turn/completed" });
      expectNothing(harness, mark, { answer });
    },
  },
];
