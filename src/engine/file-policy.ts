import { realpathSync } from "node:fs";
import { isAbsolute, join, relative, sep } from "node:path";
import type { Environment } from "../base/environment.ts";
import type { AskForApproval, SandboxPolicy } from "../protocol/generated/types.ts";

export interface FilePolicy {
  readonly sandbox: SandboxPolicy;
  readonly approvalPolicy: AskForApproval;
  readonly cwd: string;
  readonly env: Environment;
}

/** Folders inside the workspace that steer tools and agents, and so are never written unasked. */
const PROTECTED = [".git", ".codex", ".agents"];

/**
 * Why files at these paths may not be written, or null. Paths and roots are compared after links are
 * resolved. Nobody is asked: what would need leave is refused.
 */
export function refuseFileChange(paths: readonly string[], policy: FilePolicy): string | null {
  const { sandbox, approvalPolicy } = policy;
  if (approvalPolicy === "untrusted") return "patch rejected: it needs an approval, and nobody can be asked";
  if (sandbox.type === "dangerFullAccess" || sandbox.type === "externalSandbox") return null;
  if (sandbox.type === "readOnly") {
    return "patch rejected: writing is blocked by read-only sandbox; rejected by user approval settings";
  }
  const roots = writableRoots(sandbox, policy);
  const isAllowed = (path: string) => roots.some((root) => isInside(path, root) && !isProtected(path, root));
  return paths.every(isAllowed)
    ? null
    : "patch rejected: writing outside of the project; rejected by user approval settings";
}

function writableRoots(
  sandbox: Extract<SandboxPolicy, { type: "workspaceWrite" }>,
  { cwd, env }: FilePolicy,
): string[] {
  const temporary = env["TMPDIR"];
  const roots = [cwd, ...(sandbox.writableRoots ?? [])];
  if (sandbox.excludeSlashTmp !== true) roots.push("/tmp");
  if (sandbox.excludeTmpdirEnvVar !== true && temporary !== undefined && isAbsolute(temporary))
    roots.push(temporary);
  return roots.flatMap(resolveRoot);
}

/** A root that is not there allows nothing. */
function resolveRoot(root: string): string[] {
  try {
    return [realpathSync(root)];
  } catch {
    return [];
  }
}

function isInside(path: string, folder: string): boolean {
  const way = relative(folder, path);
  return way === "" || (!way.startsWith(`..${sep}`) && way !== ".." && !isAbsolute(way));
}

function isProtected(path: string, root: string): boolean {
  return PROTECTED.some((name) => isInside(path, join(root, name)));
}
