import type { ProcessSpec } from "../../process/process-host.ts";
import type { SandboxPolicy } from "../../protocol/generated/types.ts";
import type { WrapOutcome } from "../../sandbox/sandbox.ts";
import type { ToolContext } from "../tool.ts";
import type { ExecDeps } from "./exec-settings.ts";

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
