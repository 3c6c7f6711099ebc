import type { ProcessSpec } from "../../process/process-host.ts";
import type { WrapOutcome } from "../../sandbox/sandbox.ts";
import type { Tool } from "../tool.ts";
import { type BackgroundTerminals, TerminalRegistry } from "./background-terminals.ts";
import { createExecCommand } from "./exec-command.ts";
import type { ExecDeps } from "./exec-settings.ts";
import { createLoginEnvironments } from "./login-environment.ts";
import { findDefaultShell, type Shell } from "./shell.ts";
import { runUserShell, type UserShellCommand, type UserShellOutcome } from "./user-shell.ts";
import { createWriteStdin } from "./write-stdin.ts";

export interface ExecTools {
  readonly tools: Tool[];
  readonly terminals: BackgroundTerminals;
  /** The default shell for commands. */
  readonly shell: () => Shell;
  /** Runs a command that the user typed. Never rejects. */
  runUserShell(command: UserShellCommand): Promise<UserShellOutcome>;
  /** Kills all remaining commands; the process host stays open, because others may share it. */
  close(): Promise<void>;
}

/**
 * Creates everything that runs commands for threads: two tools, the background terminals and the user's
 * shell.
 */
export function createExecTools(deps: ExecDeps): ExecTools {
  const terminals = new TerminalRegistry(deps.random);
  const folder = deps.environment["HOME"] ?? "/";
  const { writablePaths } = deps;
  const seclude = async (spec: ProcessSpec): Promise<WrapOutcome> => {
    const options = { policyCwd: folder, ownSession: true, hidden: writablePaths.list() };
    return (await deps.sandbox()).wrap(spec, { type: "readOnly" }, options);
  };
  const logins = createLoginEnvironments({ ...deps, folder, seclude });
  let shell: Shell | null = null;
  const defaultShell = (): Shell => {
    shell ??= findDefaultShell(deps.shells);
    return shell;
  };
  const parts = { deps, terminals, logins, defaultShell };
  return {
    tools: [createExecCommand(parts), createWriteStdin(parts)],
    terminals,
    shell: defaultShell,
    runUserShell: (command) => runUserShell(parts, command),
    close: () => terminals.close(),
  };
}
