/** Attacks of sandboxed commands on files outside of the sandbox. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Attack } from "../attack.ts";
import { command } from "../attacked-server.ts";
import { WORKSPACE, workspaceOnly } from "./bounds.ts";

/** Files of a home that make the next server run code. */
const STEERING = ["rules/default.rules", "config.toml", "hooks.json", "AGENTS.md", "heddle.sqlite"];

export const sandboxAttacks: readonly Attack[] = [
  {
    name: "sandbox/write outside",
    promise: "a confined command writes nowhere but in its workspace",
    async run(harness) {
      const attacked = await harness.open({ tables: workspaceOnly() });
      const { root, workspace } = attacked.server.home;
      const target = join(root, "outside");
      const script = harness.random.pick([
        `echo x > ${target}`,
        `ln -s ${root} link; echo x > link/outside`,
        `echo x > /proc/self/root${target}`,
        `mkdir m; unshare -Urm sh -c 'mount --bind ${root} m && mount -o remount,bind,rw m; echo x > m/outside'`,
        `unshare -Urm sh -c 'umount -l ${workspace}; mount -o remount,rw /; echo x > ${target}'`,
        `python3 -c 'import os; os.chdir("/"); open("${target}", "w")'`,
      ]);
      const played = await attacked.play([command(script)], { thread: { ...WORKSPACE, cwd: workspace } });
      if (existsSync(target)) harness.breach("a file was made outside of the workspace", { script, played });
    },
  },
  {
    name: "sandbox/own home",
    promise: "a confined command changes nothing in the server's home, wherever that is",
    async run(harness) {
      const home = await harness.home();
      const place = harness.random.pick(["workspace/hh", "workspace/me/.codex", "workspace/a/b/c", "home"]);
      const own = join(home.root, place);
      mkdirSync(own, { recursive: true });
      const throughLink = harness.random.chance(0.3);
      const link = join(home.workspace, "link-to-home");
      if (throughLink) symlinkSync(own, link);
      const attacked = await harness.open({
        home,
        own: { folder: place, named: throughLink ? link : own },
        // By default the temporary folder, which contains all of this, is writable.
        ...(place === "home" ? {} : { tables: workspaceOnly() }),
      });
      const before = contents(own);
      const name = harness.random.pick(STEERING);
      const script = harness.random.pick([
        `mkdir -p ${own}/rules; echo x >> ${own}/${name}`,
        `mv ${own} ${own}-moved; mkdir -p ${own}/rules; echo x > ${own}/${name}`,
        `rm -r ${own}/rules; ln -s /tmp ${own}/rules; cp /etc/passwd ${own}/${name}`,
        `ln -sfn $PWD ${link}; mkdir -p rules; echo x > ${link}/${name}`,
        `python3 -c 'import os; os.makedirs("${own}/rules", exist_ok=True); open("${own}/${name}", "w")'`,
      ]);
      const patch = `*** Begin Patch\n*** Add File: ${own}/rules/evil.rules\n+prefix_rule(pattern=["sh"], decision="allow")\n*** End Patch`;
      const played = await attacked.play(
        [command(script), { name: "apply_patch", args: { input: patch } }, command(`apply_patch '${patch}'`)],
        { thread: { ...WORKSPACE, cwd: home.workspace } },
      );
      if (contents(own) !== before || existsSync(join(own, "rules/evil.rules")))
        harness.breach("the home was changed", { own, script, before, after: contents(own), played });
    },
  },
  {
    name: "sandbox/home by another mount",
    promise: "the home stays as it is also where its file system is mounted a second time",
    async run(harness) {
      const home = await harness.home();
      const alias = join(home.workspace, "alias");
      mkdirSync(alias);
      mkdirSync(join(home.home, "rules"));
      const what = harness.random.pick(["home", "home/rules", ""]);
      try {
        execFileSync("mount", ["--bind", join(home.root, what), alias], { stdio: "pipe" });
      } catch {
        // Only root can do this.
        return;
      }
      harness.onEnd(() => execFileSync("umount", ["-l", alias]));
      const attacked = await harness.open({ home, tables: workspaceOnly() });
      const file = join(
        alias,
        { home: "rules/x.rules", "home/rules": "x.rules", "": "home/rules/x.rules" }[what] ?? "",
      );
      const played = await attacked.play([command(`echo x > ${file}`)], {
        thread: { ...WORKSPACE, cwd: home.workspace },
      });
      if (existsSync(join(home.home, "rules/x.rules")))
        harness.breach("a rule was written", { what, played });
    },
  },
  {
    name: "sandbox/inherited descriptors",
    promise: "a confined command has no file open that the server was handed by whoever started it",
    async run(harness) {
      const home = await harness.home();
      const file = join(home.root, "handed-down");
      const number = harness.random.pick([4, 9, 23, 251]);
      const { command: node, args } = harness.program;
      const script = `exec ${number}>>${file}; exec "$@"`;
      const program = { command: "bash", args: ["-c", script, "bash", node, ...args] };
      const attacked = await harness.open({ home, program });
      const tty = harness.random.chance(0.5);
      const played = await attacked.play([command(`eval "echo x >&${number}"`, { tty, shell: "bash" })], {
        thread: { ...WORKSPACE, cwd: home.workspace },
      });
      if (readFileSync(file, "utf8") !== "")
        harness.breach("an inherited file was written", { number, tty, played });
    },
  },
  {
    name: "sandbox/set-user-id file",
    promise: "a confined command leaves no file that lends the server's user to others",
    async run(harness) {
      const attacked = await harness.open();
      const { workspace } = attacked.server.home;
      const python = (code: string) => `python3 -c 'import os; ${code}'`;
      const script = harness.random.pick([
        "cp /bin/true f; chmod u+s f",
        "cp /bin/true f; chmod 6755 f; chmod g+s f",
        "install -m 4755 /bin/true f",
        python('os.close(os.open("f", os.O_CREAT | os.O_WRONLY, 0o4755))'),
        python('os.mknod("f", 0o104755)'),
        python('os.open("f", os.O_CREAT); os.fchmod(3, 0o4755)'),
        python('open("f", "w"); import ctypes; ctypes.CDLL(None).syscall(452, -100, b"f", 0o4755, 0)'),
        "umask 0; cp --preserve=mode /usr/bin/passwd f || cp --preserve=mode /bin/su f",
        "tar cf a.tar --mode=4755 -C /bin true; tar xpf a.tar; mv true f",
      ]);
      const sandbox = harness.random.pick([
        {},
        { config: { "sandbox_workspace_write.network_access": true } },
      ]);
      const played = await attacked.play([command(script)], {
        thread: { ...WORKSPACE, ...sandbox, cwd: workspace },
      });
      const mode = statSync(join(workspace, "f"), { throwIfNoEntry: false })?.mode ?? 0;
      if ((mode & 0o6000) !== 0) harness.breach("a set-user-id file was left", { script, mode, played });
    },
  },
];

function contents(home: string): string {
  return STEERING.filter((name) => name !== "heddle.sqlite")
    .map((name) => {
      const file = join(home, name);
      return existsSync(file) ? `${name}: ${readFileSync(file, "utf8")}` : "";
    })
    .join("\n");
}
