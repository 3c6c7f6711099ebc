/** Turns what the model or the user asked for into what is really started, in a sandbox where there is one. */
import type { ProcessSpec } from "../../process/process-host.ts";
import type { SandboxPolicy } from "../../protocol/generated/types.ts";
import type { WrapOutcome } from "../../sandbox/sandbox.ts";
import type { ToolContext } from "../tool.ts";
import { baseEnvironment, ownerEnvironment, withOwnPrograms } from "./command-environment.ts";
import type { ExecDeps, ExecSettings } from "./exec-settings.ts";
import type { LoginEnvironments } from "./login-environment.ts";
import { bareShellArguments, type Shell, shellArguments, withoutWritten } from "./shell.ts";

interface PlannedCommand {
  readonly shell: Shell;
  readonly script: string;
  readonly login: boolean;
  readonly cwd: string;
  readonly tty: boolean;
  /** Whether it will run in a sandbox, where start-up files can do no more than the command itself. */
  readonly confined: boolean;
  readonly threadId: string;
  readonly callId?: string;
}

const SIZE = { cols: 80, rows: 24 };

/**
 * A login shell's start-up files are run once and their outcome kept; from then on the shell is started without
 * them and with their environment, which is what the command would have found. Outside of a sandbox they are run
 * with the command only as long as no confined command could have written anything that they run.
 */
export async function planRun(
  command: PlannedCommand,
  settings: ExecSettings,
  deps: ExecDeps,
  logins: LoginEnvironments,
): Promise<ProcessSpec> {
  const { shell, script, login, cwd, tty, confined } = command;
  const base = baseEnvironment(deps.environment, settings.environmentPolicy);
  const isBare = !confined && deps.places.list().length > 0;
  const known = !login ? null : isBare ? await logins.find(shell, base) : logins.get(shell, base);
  const argv = isBare
    ? bareShellArguments(shell, script)
    : shellArguments(shell, script, login && known === null);
  const owner = ownerEnvironment({ ...command, sessionId: settings.sessionId });
  const env = withOwnPrograms(
    { ...(known ?? base), ...settings.environmentPolicy.set, ...owner },
    deps.programs,
  );
  return {
    argv,
    cwd,
    env: isBare ? withoutWritten(env, deps.places.contains) : env,
    ...(tty ? { terminal: SIZE } : {}),
  };
}

export interface Confinement {
  /** Null runs the command outside of any sandbox. */
  readonly policy: SandboxPolicy | null;
  readonly context: ToolContext;
  readonly deps: ExecDeps;
}

/** Puts a planned command into its sandbox. Where that cannot be had, the command does not run. */
export async function confine(
  { argv, cwd, env }: ProcessSpec,
  { policy, context, deps }: Confinement,
): Promise<WrapOutcome> {
  if (policy === null || policy.type === "dangerFullAccess")
    return { ok: true, argv, env, release: () => {} };
  const sandbox = await deps.sandbox();
  const { writableRoots, network } = deps.settingsOf(context.threadId).granted(context.turnId);
  return sandbox.wrap({ argv, cwd, env }, network ? withNetwork(policy) : policy, {
    policyCwd: context.workspaceRoot,
    extraWritableRoots: writableRoots,
    ownSession: true,
  });
}

/** Whether a command with this policy will be in a sandbox. */
export function isBounded(policy: SandboxPolicy | null): boolean {
  return policy !== null && policy.type !== "dangerFullAccess" && policy.type !== "externalSandbox";
}

function withNetwork(policy: SandboxPolicy): SandboxPolicy {
  switch (policy.type) {
    case "readOnly":
    case "workspaceWrite":
      return { ...policy, networkAccess: true };
    case "externalSandbox":
      return { ...policy, networkAccess: "enabled" };
    case "dangerFullAccess":
      return policy;
  }
}
