/** The workspace of a thread: its folder, further folders, and its machine, if any. */

import { resolve } from "node:path";
import type { ThreadSettings } from "../../engine/state/settings.ts";
import type { SandboxPolicy, TurnEnvironmentParams } from "../../protocol/generated/types.ts";
import { refuseInvalid, type ThreadRefusal } from "../configuration/thread-refusal.ts";

export type Workspace = Pick<ThreadSettings, "cwd" | "machineCwd" | "workspaceRoots" | "hasMachine">;

export interface WorkspaceWishes {
  readonly environments?: readonly TurnEnvironmentParams[] | null;
  readonly runtimeWorkspaceRoots?: readonly string[] | null;
}

/** The only machine id. */
const LOCAL = "local";
const MAX_FOLDER_BYTES = 8192;
const ABSOLUTE = /^(?:\/|[A-Za-z]:[\\/]|\\\\)/;

/** `cwd` is the folder of the thread; `hasMachine` says whether a machine can be selected. */
export function resolveWorkspace(
  overrides: WorkspaceWishes,
  cwd: string,
  hasMachine: boolean,
): Workspace | ThreadRefusal {
  const { environments, runtimeWorkspaceRoots } = overrides;
  if (environments == null) {
    const workspaceRoots = hasMachine ? unlessAlone(cwd, runtimeWorkspaceRoots) : null;
    return { cwd, machineCwd: null, workspaceRoots, hasMachine };
  }
  for (const environment of environments) {
    const refused = refuseEnvironment(environment, hasMachine);
    if (refused !== null) return refused;
  }
  const [first] = environments;
  if (first === undefined) return { cwd, machineCwd: null, workspaceRoots: null, hasMachine: false };
  const machineCwd = first.cwd === cwd ? null : first.cwd;
  const workspaceRoots = unlessAlone(cwd, first.runtimeWorkspaceRoots ?? [first.cwd]);
  return { cwd, machineCwd, workspaceRoots, hasMachine: true };
}

/** Adds the folders of a workspace to the writable roots of a workspace-write sandbox. */
export function withRoots(sandbox: SandboxPolicy, { workspaceRoots }: Workspace): SandboxPolicy {
  if (sandbox.type !== "workspaceWrite" || workspaceRoots === null) return sandbox;
  const writableRoots = [...new Set([...workspaceRoots, ...(sandbox.writableRoots ?? [])])];
  return { ...sandbox, writableRoots };
}

/** Removes the folders of a workspace that the thread leaves. */
export function withoutRoots(sandbox: SandboxPolicy, { workspaceRoots }: Workspace): SandboxPolicy {
  if (sandbox.type !== "workspaceWrite" || workspaceRoots === null) return sandbox;
  const writableRoots = (sandbox.writableRoots ?? []).filter((root) => !workspaceRoots.includes(root));
  return { ...sandbox, writableRoots };
}

function unlessAlone(cwd: string, roots: readonly string[] | null | undefined): readonly string[] | null {
  const all = [...new Set((roots ?? [cwd]).map((root) => resolve(root)))];
  return all.length === 1 && all[0] === cwd ? null : all;
}

function refuseEnvironment(
  { environmentId, cwd }: TurnEnvironmentParams,
  hasMachine: boolean,
): ThreadRefusal | null {
  if (Buffer.byteLength(cwd) > MAX_FOLDER_BYTES)
    return refuseInvalid("turn environment working directory exceeds the maximum size");
  if (environmentId !== LOCAL || !hasMachine)
    return refuseInvalid(`unknown turn environment id \`${environmentId}\``);
  if (!ABSOLUTE.test(cwd)) {
    const why = `path \`${cwd}\` does not use absolute POSIX or Windows path syntax`;
    return refuseInvalid(`invalid cwd for environment \`${environmentId}\`: ${why}`);
  }
  return null;
}
