/** Plans the process that is started for a requested command, inside a sandbox where one applies. */
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
  /** Whether it runs in a sandbox, where start-up files can do no more than the command itself. */
  readonly confined: boolean;
  readonly threadId: string;
  readonly callId?: string;
}

const SIZE = { cols: 80, rows: 24 };

/**
 * A login shell's start-up files run once and their environment is cached; later shells start without them
 * and with that environment, which is what the command would have found. Outside of a sandbox they run
 * together with the command only while no sandboxed command could have written anything that they load.
 */
export async function planRun(
  command: PlannedCommand,
  settings: ExecSettings,
  deps: ExecDeps,
  logins: LoginEnvironments,
): Promise<ProcessSpec> {
  const { shell, script, login, cwd, tty, confined } = command;
  const base = baseEnvironment(deps.environment, settings.environmentPolicy);
  const isBare = !confined && deps.writablePaths.list().length > 0;
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
    env: isBare ? withoutWritten(env, deps.writablePaths.contains) : env,
    ...(tty ? { terminal: SIZE } : {}),
  };
}

export interface Confinement {
  /** Null runs the command outside of any sandbox. */
  readonly policy: SandboxPolicy | null;
  readonly context: ToolContext;
  readonly deps: ExecDeps;
}

/** Wraps a planned command for its sandbox. If the sandbox is unavailable, the command does not run. */
export async function confineCommand(
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

/** Whether a command with this policy runs in a sandbox. */
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
