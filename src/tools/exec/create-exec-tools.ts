import type { ProcessSpec } from "../../process/process-host.ts";
import type { WrapOutcome } from "../../sandbox/sandbox.ts";
import type { Tool } from "../tool.ts";
import { type BackgroundTerminals, TerminalRegistry } from "./background-terminals.ts";
import { createExecCommand } from "./exec-command.ts";
import type { ExecDeps } from "./exec-settings.ts";
import { createLoginEnvironments } from "./login-environment.ts";
import { findDefaultShell, type Shell } from "./shell.ts";
import { runUserShell, type UserCommand, type UserCommandOutcome } from "./user-shell.ts";
import { createWriteStdin } from "./write-stdin.ts";

export interface ExecTools {
  readonly tools: Tool[];
  readonly terminals: BackgroundTerminals;
  /** The one in which commands run where nothing else is said. */
  readonly shell: () => Shell;
  /** Runs what the user typed; never throws. */
  runUserShell(command: UserCommand): Promise<UserCommandOutcome>;
  /** Ends every command that is left; the host stays, for it may have other users. */
  close(): Promise<void>;
}

/** Everything that runs commands for threads: two tools, the terminals they leave behind, and the user's shell. */
export function createExecTools(deps: ExecDeps): ExecTools {
  const terminals = new TerminalRegistry(deps.random);
  const folder = deps.environment["HOME"] ?? "/";
  const { places } = deps;
  const seclude = async (spec: ProcessSpec): Promise<WrapOutcome> => {
    const options = { policyCwd: folder, ownSession: true, hidden: places.list() };
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
