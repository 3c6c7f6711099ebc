/**
 * The rights that a spawned thread never exceeds: those of the turn that spawned it. They are stored with the thread, and
 * hold when it is loaded later and when its settings are overridden. A fork is a thread of its own, and has none.
 */
import { isDeepStrictEqual } from "node:util";
import { realPath } from "../../base/file-system.ts";
import type { JsonObject } from "../../base/json-object.ts";
import { type RightsCeiling, type ThreadSettings, writableRootsOf } from "../../engine/state/settings.ts";
import type { AskForApproval, SandboxPolicy } from "../../protocol/generated/types.ts";
import { isInside } from "../../sandbox/inside.ts";

export function ceilingOf(settings: ThreadSettings): RightsCeiling {
  const { approvalPolicy, sandbox } = settings;
  return { approvalPolicy, sandbox, writableRoots: writableRootsOf(settings) };
}

export function storeCeiling(ceiling: RightsCeiling): JsonObject {
  return { ...ceiling };
}

const READ_ONLY: SandboxPolicy = { type: "readOnly", networkAccess: false };

/** The fallback for an unreadable ceiling: read-only, and every command needs an approval. */
const LOWEST: RightsCeiling = { approvalPolicy: "untrusted", sandbox: READ_ONLY, writableRoots: [] };

const SANDBOXES: readonly unknown[] = ["readOnly", "workspaceWrite", "dangerFullAccess", "externalSandbox"];

/** Parses a stored ceiling. Only this server writes it, but the file may be damaged. */
export function readCeiling(stored: JsonObject): RightsCeiling {
  const { approvalPolicy, sandbox, writableRoots } = stored as Partial<RightsCeiling>;
  const isKnown =
    approvalPolicy !== undefined &&
    typeof sandbox === "object" &&
    SANDBOXES.includes(sandbox.type) &&
    Array.isArray(writableRoots) &&
    writableRoots.every((root) => typeof root === "string");
  return isKnown ? { approvalPolicy, sandbox, writableRoots } : LOWEST;
}

/** A message about the right that exceeds the ceiling; null if none does. */
export function findExcess(settings: ThreadSettings, ceiling: RightsCeiling): string | null {
  if (!isPolicyWithin(settings.approvalPolicy, ceiling.approvalPolicy))
    return `approval policy ${nameOf(settings.approvalPolicy)} exceeds that of the parent thread, ${nameOf(ceiling.approvalPolicy)}`;
  if (!isSandboxWithin(settings, ceiling))
    return `sandbox ${settings.sandbox.type} exceeds that of the parent thread, ${ceiling.sandbox.type}`;
  return null;
}

/** The settings, with rights that exceed the ceiling replaced by those of the ceiling. */
export function applyCeiling(
  settings: ThreadSettings,
  ceiling: RightsCeiling,
): { readonly settings: ThreadSettings; readonly warnings: readonly string[] } {
  const excess = findExcess(settings, ceiling);
  if (excess === null) return { settings, warnings: [] };
  const { approvalPolicy, sandbox } = ceiling;
  const limited = { ...settings, approvalPolicy, sandbox, permissionProfile: null };
  const allowed = isSandboxWithin(limited, ceiling) ? limited : { ...limited, sandbox: READ_ONLY };
  return { settings: allowed, warnings: [`${excess}; the thread has the rights of its parent`] };
}

/**
 * A policy may differ from the parent's only if it asks more often, or if it cannot ask: with `never` no
 * command leaves its sandbox. A parent with `untrusted` asks about commands that other policies run without
 * asking.
 */
function isPolicyWithin(policy: AskForApproval, limit: AskForApproval): boolean {
  if (isDeepStrictEqual(policy, limit)) return true;
  return limit === "on-request" && (policy === "untrusted" || policy === "never");
}

function isSandboxWithin(
  settings: ThreadSettings,
  { sandbox: limit, writableRoots }: RightsCeiling,
): boolean {
  const { sandbox } = settings;
  if (limit.type === "dangerFullAccess") return true;
  if (sandbox.type === "dangerFullAccess") return false;
  if (sandbox.type === "externalSandbox" || limit.type === "externalSandbox")
    return (
      isDeepStrictEqual(sandbox, limit) || (sandbox.type === "readOnly" && sandbox.networkAccess !== true)
    );
  if (sandbox.networkAccess === true && limit.networkAccess !== true) return false;
  if (sandbox.type === "readOnly") return true;
  if (limit.type === "readOnly") return false;
  if (limit.excludeSlashTmp === true && sandbox.excludeSlashTmp !== true) return false;
  if (limit.excludeTmpdirEnvVar === true && sandbox.excludeTmpdirEnvVar !== true) return false;
  // A symlink within a writable folder may point outside of it.
  const allowed = writableRoots.map(realPath);
  return writableRootsOf(settings)
    .map(realPath)
    .every((root) => allowed.some((within) => isInside(root, within)));
}

function nameOf(policy: AskForApproval): string {
  return typeof policy === "string" ? policy : "granular";
}
