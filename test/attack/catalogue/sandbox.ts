/** Attacks of confined commands on files outside of their bounds. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import type { Attack } from "../attack.ts";
import { command } from "../scene.ts";
import { onlyTheWorkspace, WORKSPACE } from "./bounds.ts";

/** Files of a home that make the next server run something. */
const STEERING = ["rules/default.rules", "config.toml", "hooks.json", "AGENTS.md", "heddle.sqlite"];

export const sandboxAttacks: readonly Attack[] = [
  {
    name: "sandbox/write outside",
    promise: "a confined command writes nowhere but in its workspace",
    async run(ground) {
      const scene = await ground.open({ tables: onlyTheWorkspace() });
      const { root, workspace } = scene.server.home;
      const target = join(root, "outside");
      const script = ground.random.pick([
        `echo x > ${target}`,
        `ln -s ${root} link; echo x > link/outside`,
        `echo x > /proc/self/root${target}`,
        `mkdir m; unshare -Urm sh -c 'mount --bind ${root} m && mount -o remount,bind,rw m; echo x > m/outside'`,
        `unshare -Urm sh -c 'umount -l ${workspace}; mount -o remount,rw /; echo x > ${target}'`,
        `python3 -c 'import os; os.chdir("/"); open("${target}", "w")'`,
      ]);
      const played = await scene.play([command(script)], { thread: { ...WORKSPACE, cwd: workspace } });
      if (existsSync(target)) ground.breach("a file was made outside of the workspace", { script, played });
    },
  },
  {
    name: "sandbox/own home",
    promise: "a confined command changes nothing in the server's home, wherever that is",
    async run(ground) {
      const home = await ground.home();
      const place = ground.random.pick(["workspace/hh", "workspace/me/.codex", "workspace/a/b/c", "home"]);
      const own = join(home.root, place);
      mkdirSync(own, { recursive: true });
      const throughLink = ground.random.chance(0.3);
      const link = join(home.workspace, "link-to-home");
      if (throughLink) symlinkSync(own, link);
      const scene = await ground.open({
        home,
        own: { folder: place, named: throughLink ? link : own },
        // The temporary folder, where all of this is, may be written by default.
        ...(place === "home" ? {} : { tables: onlyTheWorkspace() }),
      });
      const before = contents(own);
      const name = ground.random.pick(STEERING);
      const script = ground.random.pick([
        `mkdir -p ${own}/rules; echo x >> ${own}/${name}`,
        `mv ${own} ${own}-moved; mkdir -p ${own}/rules; echo x > ${own}/${name}`,
        `rm -r ${own}/rules; ln -s /tmp ${own}/rules; cp /etc/passwd ${own}/${name}`,
        `ln -sfn $PWD ${link}; mkdir -p rules; echo x > ${link}/${name}`,
        `python3 -c 'import os; os.makedirs("${own}/rules", exist_ok=True); open("${own}/${name}", "w")'`,
      ]);
      const patch = `*** Begin Patch\n*** Add File: ${own}/rules/evil.rules\n+prefix_rule(pattern=["sh"], decision="allow")\n*** End Patch`;
      const played = await scene.play(
        [command(script), { name: "apply_patch", args: { input: patch } }, command(`apply_patch '${patch}'`)],
        { thread: { ...WORKSPACE, cwd: home.workspace } },
      );
      if (contents(own) !== before || existsSync(join(own, "rules/evil.rules")))
        ground.breach("the home was changed", { own, script, before, after: contents(own), played });
    },
  },
  {
    name: "sandbox/home by another mount",
    promise: "the home stays as it is also where its file system is mounted a second time",
    async run(ground) {
      const home = await ground.home();
      const alias = join(home.workspace, "alias");
      mkdirSync(alias);
      mkdirSync(join(home.home, "rules"));
      const what = ground.random.pick(["home", "home/rules", ""]);
      try {
        execFileSync("mount", ["--bind", join(home.root, what), alias], { stdio: "pipe" });
      } catch {
        // Only root can do this to itself.
        return;
      }
      ground.onEnd(() => execFileSync("umount", ["-l", alias]));
      const scene = await ground.open({ home, tables: onlyTheWorkspace() });
      const file = join(
        alias,
        { home: "rules/x.rules", "home/rules": "x.rules", "": "home/rules/x.rules" }[what] ?? "",
      );
      const played = await scene.play([command(`echo x > ${file}`)], {
        thread: { ...WORKSPACE, cwd: home.workspace },
      });
      if (existsSync(join(home.home, "rules/x.rules"))) ground.breach("a rule was written", { what, played });
    },
  },
  {
    name: "sandbox/inherited descriptors",
    promise: "a confined command has no file open that the server was handed by whoever started it",
    async run(ground) {
      const home = await ground.home();
      const file = join(home.root, "handed-down");
      const number = ground.random.pick([4, 9, 23, 251]);
      const { command: node, args } = ground.program;
      const script = `exec ${number}>>${file}; exec "$@"`;
      const program = { command: "bash", args: ["-c", script, "bash", node, ...args] };
      const scene = await ground.open({ home, program });
      const tty = ground.random.chance(0.5);
      const played = await scene.play([command(`eval "echo x >&${number}"`, { tty, shell: "bash" })], {
        thread: { ...WORKSPACE, cwd: home.workspace },
      });
      if (readFileSync(file, "utf8") !== "")
        ground.breach("an inherited file was written", { number, tty, played });
    },
  },
  {
    name: "sandbox/set-user-id file",
    promise: "a confined command leaves no file that lends the server's user to others",
    async run(ground) {
      const scene = await ground.open();
      const { workspace } = scene.server.home;
      const python = (code: string) => `python3 -c 'import os; ${code}'`;
      const script = ground.random.pick([
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
      const sandbox = ground.random.pick([
        {},
        { config: { "sandbox_workspace_write.network_access": true } },
      ]);
      const played = await scene.play([command(script)], {
        thread: { ...WORKSPACE, ...sandbox, cwd: workspace },
      });
      const mode = statSync(join(workspace, "f"), { throwIfNoEntry: false })?.mode ?? 0;
      if ((mode & 0o6000) !== 0) ground.breach("a set-user-id file was left", { script, mode, played });
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
