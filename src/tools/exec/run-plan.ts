/** Turns what the model or the user asked for into what is really started. */
import type { ProcessSpec } from "../process/process-host.ts";
import { baseEnvironment, ownerEnvironment } from "./command-environment.ts";
import type { ExecDeps, ExecSettings } from "./exec-settings.ts";
import type { LoginEnvironments } from "./login-environment.ts";
import { withOwnPrograms } from "./own-programs.ts";
import { type Shell, shellArguments } from "./shell.ts";

interface PlannedCommand {
  readonly shell: Shell;
  readonly script: string;
  readonly login: boolean;
  readonly cwd: string;
  readonly tty: boolean;
  readonly threadId: string;
  readonly callId?: string;
}

const SIZE = { cols: 80, rows: 24 };

/**
 * A login shell's start-up files are run once and their outcome kept; from then on the shell is started without
 * them and with their environment, which is what the command would have found.
 */
export function planRun(
  command: PlannedCommand,
  settings: ExecSettings,
  deps: ExecDeps,
  logins: LoginEnvironments,
): ProcessSpec {
  const { shell, script, login, cwd, tty } = command;
  const base = baseEnvironment(deps.environment, settings.environmentPolicy);
  const known = login ? logins.get(shell, base) : null;
  const argv = shellArguments(shell, script, login && known === null);
  const owner = ownerEnvironment({ ...command, sessionId: settings.sessionId });
  const env = { ...(known ?? base), ...settings.environmentPolicy.set, ...owner };
  return {
    argv,
    cwd,
    env: withOwnPrograms(env, deps.programs),
    ...(tty ? { terminal: SIZE } : {}),
  };
}
