/** Attacks of confined commands: on files outside of their bounds, and on what runs or is believed outside of them. */
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { Attack } from "../attack.ts";
import { command } from "../scene.ts";

const WORKSPACE = { sandbox: "workspace-write", approvalPolicy: "never" };
/** The temporary folder is where the grounds of attacks are, so that it has to be out of bounds here. */
const ONLY_THE_WORKSPACE =
  "[sandbox_workspace_write]\nexclude_slash_tmp = true\nexclude_tmpdir_env_var = true\n";

export const sandboxAttacks: readonly Attack[] = [
  {
    name: "sandbox/write outside",
    promise: "a confined command writes nowhere but in its workspace",
    async run(ground) {
      const scene = await ground.open({ tables: ONLY_THE_WORKSPACE });
      const { root, workspace } = scene.server.home;
      const target = join(root, "outside");
      const script = ground.random.pick([
        `echo x > ${target}`,
        `ln -s ${root} link; echo x > link/outside`,
        `echo x > /proc/self/root${target}`,
        `mkdir m; unshare -Urm sh -c 'mount --bind ${root} m && mount -o remount,bind,rw m; echo x > m/outside'`,
        `python3 -c 'import os; os.chdir("/"); open("${target}", "w")'`,
      ]);
      const played = await scene.play([command(script)], { thread: { ...WORKSPACE, cwd: workspace } });
      if (existsSync(target)) ground.breach("a file was made outside of the workspace", { script, played });
    },
  },
];
