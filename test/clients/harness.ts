import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { Child } from "../support/child.ts";
import { modelConfig } from "../support/model-config.ts";
import { messageReply } from "../support/model-events.ts";
import { openScriptedModel } from "../support/scripted-model.ts";
import { HEDDLE, serverEnvironment } from "../support/start-server.ts";
import { createTempHome } from "../support/temp-home.ts";
import type { Check, ClientHarness, Side } from "./client.ts";

export interface ClientHarnessOptions {
  readonly check: Check;
  readonly side: Side;
  readonly folder: string;
  /** The parent folder of homes. */
  readonly homes: string;
  /** The peer's executable. */
  readonly peer: string;
}

export async function openClientHarness({ check, side, folder, homes, peer }: ClientHarnessOptions) {
  const model = await openScriptedModel(check.replies ?? [messageReply("Hello from the model")]);
  const home = await createTempHome({ config: modelConfig(model.url, check.config), under: homes });
  const env = serverEnvironment(home);
  const tasks: (() => unknown)[] = [() => home.remove(), () => model.close()];

  const harness: ClientHarness = {
    side,
    executable: side === "peer" ? peer : await installHeddle(home.root),
    home,
    env,
    model,
    peer,
    folder,
    start(command, args, extra = {}) {
      const child = new Child({ command, args, cwd: home.workspace, env: { ...env, ...extra } });
      tasks.push(() => child.stop());
      return child;
    },
    onEnd: (task) => void tasks.push(task),
  };
  return {
    harness,
    /** Runs the tasks in reverse order. */
    async close(): Promise<void> {
      for (const task of tasks.reverse()) {
        try {
          await task();
        } catch {
          // A failing task must not prevent the others, nor hide the result of the check.
        }
      }
    },
  };
}

/** As npm installs it: a symlink on the PATH to a script with a shebang. */
async function installHeddle(root: string): Promise<string> {
  const bin = join(root, "bin");
  await mkdir(bin);
  const path = join(bin, "heddle");
  await symlink(HEDDLE.args[0] ?? "", path);
  return path;
}
