/** The machine that threads use: its sandbox, and the tools that run commands and hooks. */
import { arch, platform } from "node:os";
import { join } from "node:path";
import { realPath } from "../../base/file-system.ts";
import { closeAll, type Once, once } from "../../base/tasks.ts";
import type { ShellGrammar } from "../../policy/shell/shell-grammar.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import type { SandboxWritablePaths } from "../../sandbox/writable-paths.ts";
import { prepareSocketFolder, socketFolder } from "../../transport/listen-address.ts";
import type { ConfigSource } from "../configuration/config-source.ts";
import type { Host } from "../configuration/host.ts";
import type { CommandTools } from "./command-tools.ts";
import type { HookTools } from "./hook-tools.ts";
import { createMachineGuard, type MachineGuard } from "./machine-guard.ts";

export interface Machine {
  /** Detects on first use what this machine can enforce. */
  readonly sandbox: () => Promise<Sandbox>;
  /** The paths that sandboxed commands could have written. */
  readonly writablePaths: SandboxWritablePaths;
  readonly guard: MachineGuard;
  readonly commands: Once<CommandTools>;
  readonly hookTools: Once<HookTools>;
  readonly grammar: () => Promise<ShellGrammar>;
  close(): Promise<void>;
}

/** Files and ports that sandboxed commands must not reach. */
export interface HiddenFromCommands {
  /** Files with which clients authenticate. */
  readonly secretFiles: readonly string[];
  /** Ports on which clients are served. */
  readonly ports: readonly number[];
}

export function createMachine(
  host: Host,
  config: Pick<ConfigSource, "home" | "writablePaths">,
  hidden: HiddenFromCommands,
): Machine {
  const { home, writablePaths } = config;
  const guard = createMachineGuard(host, home);
  const sandbox = once(() => openMachineSandbox(host, config, hidden, guard));
  const commands = once(async () =>
    (await import("./command-tools.ts")).openCommandTools(host, { sandbox: sandbox.get, writablePaths }),
  );
  const hookTools = once(async () => (await import("./hook-tools.ts")).openHookTools(host));
  const grammar = once(async () => (await import("../../policy/shell/shell-grammar.ts")).openShellGrammar());
  return {
    sandbox: sandbox.get,
    writablePaths,
    guard,
    commands,
    hookTools,
    grammar: grammar.get,
    close: () =>
      closeAll([async () => (await hookTools.peek())?.close(), async () => (await commands.peek())?.close()]),
  };
}

async function openMachineSandbox(
  { env, cwd }: Host,
  { home, writablePaths }: Pick<ConfigSource, "home" | "writablePaths">,
  { secretFiles, ports }: HiddenFromCommands,
  guard: MachineGuard,
): Promise<Sandbox> {
  const { openSandbox } = await import("../../sandbox/backends/open-sandbox.ts");
  const sockets = socketFolder(env);
  try {
    prepareSocketFolder(sockets);
  } catch {
    // The folder belongs to another user, so no server of ours listens in it.
  }
  return openSandbox({
    env,
    cwd,
    platform: platform(),
    architecture: arch(),
    folder: join(home, "sandbox"),
    // A sandboxed command that connects as a client would gain more rights than it has.
    hidden: () => [join(home, "app-server-control"), sockets, ...secretFiles.map(realPath)],
    ports: () => ports,
    writablePaths,
    guard,
  });
}
