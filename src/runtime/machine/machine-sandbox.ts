import { arch, platform } from "node:os";
import { join } from "node:path";
import type { Environment } from "../../base/environment.ts";
import { realPath } from "../../base/file-system.ts";
import { once } from "../../base/tasks.ts";
import type { Guard } from "../../sandbox/guard.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { SandboxWritablePaths } from "../../sandbox/writable-paths.ts";
import { prepareSocketFolder, socketFolder } from "../../transport/listen-address.ts";
import type { ConfigSource } from "../configuration/config-source.ts";
import { createMachineGuard, type MachineGuard } from "./machine-guard.ts";

export interface MachineSandboxOptions {
  readonly config: Pick<ConfigSource, "home" | "places">;
  readonly userHome: string;
  readonly env: Environment;
  readonly cwd: string;
  /** Files by which clients prove who they are. */
  readonly secretFiles: readonly string[];
  /** Those on which clients are served. */
  readonly ports: readonly number[];
}

/** What keeps the commands of a server within bounds, and what is known of those bounds. */
export interface MachineSandbox {
  readonly sandbox: () => Promise<Sandbox>;
  readonly places: SandboxWritablePaths;
  readonly guard: MachineGuard;
}

export function createMachineSandbox(options: MachineSandboxOptions): MachineSandbox {
  const { home, places } = options.config;
  const guard = createMachineGuard({ ...options, home });
  return { sandbox: once(() => open(options, guard)).get, places, guard };
}

/** Found out on first use what this machine can enforce, because that takes trying. */
async function open(
  { env, cwd, config: { home, places }, secretFiles, ports }: MachineSandboxOptions,
  guard: Guard,
): Promise<Sandbox> {
  const { openSandbox } = await import("../../sandbox/backends/open-sandbox.ts");
  const sockets = socketFolder(env);
  try {
    prepareSocketFolder(sockets);
  } catch {
    // Nothing of ours is in a folder of somebody else's: no server would listen there.
  }
  return openSandbox({
    env,
    cwd,
    platform: platform(),
    architecture: arch(),
    folder: join(home, "sandbox"),
    // Whoever can speak to the server can do more than a confined command may.
    hidden: () => [join(home, "app-server-control"), sockets, ...secretFiles.map(realPath)],
    ports: () => ports,
    places,
    guard,
  });
}
