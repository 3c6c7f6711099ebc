/**
 * Converts named permission profiles to sandbox policies: writable paths and network access. A profile that a
 * policy cannot express is refused, never weakened.
 */

import { isAbsolute } from "node:path";
import { isRefusal } from "../../base/refusal.ts";
import { PROFILES } from "../../config/built-ins.ts";
import type { ConfigValues } from "../../config/schema/config-schema.ts";
import type { ThreadSettings } from "../../engine/state/settings.ts";
import type { SandboxPolicy } from "../../protocol/generated/types.ts";
import { refuseInvalid, type ThreadRefusal } from "../configuration/thread-refusal.ts";

export interface PermissionChoice {
  readonly sandbox: SandboxPolicy;
  readonly permissionProfile: ThreadSettings["permissionProfile"];
}

/** The schema of the configuration has checked this, but its type does not say so. */
interface ProfileTable {
  readonly extends: string | null;
  readonly filesystem: Readonly<Record<string, unknown>> | null;
  readonly workspace_roots: Readonly<Record<string, unknown>> | null;
  readonly network: ({ readonly enabled: boolean | null } & Readonly<Record<string, unknown>>) | null;
}

interface Grants {
  readsAll: boolean;
  writesAll: boolean;
  workspace: boolean;
  slashTmp: boolean;
  tmpdir: boolean;
  network: boolean;
  readonly roots: Set<string>;
}

const MAX_DEPTH = 16;

export function chooseProfile(id: string, values: ConfigValues): PermissionChoice | ThreadRefusal {
  const extended = profileOf(id, values)?.extends ?? null;
  const grants = collect(id, values, 0);
  if (isRefusal(grants)) return grants;
  const sandbox = toPolicy(id, grants);
  if (isRefusal(sandbox)) return sandbox;
  return { sandbox, permissionProfile: { id, extends: extended } };
}

export function hasProfile(id: string, values: ConfigValues): boolean {
  return Object.values<string>(PROFILES).includes(id) || profileOf(id, values) !== undefined;
}

function profileOf(id: string, { permissions }: ConfigValues): ProfileTable | undefined {
  return (permissions as Readonly<Record<string, ProfileTable>> | null)?.[id];
}

function collect(id: string, values: ConfigValues, depth: number): Grants | ThreadRefusal {
  if (id.startsWith(":")) return builtIn(id, values);
  const profile = profileOf(id, values);
  if (profile === undefined || depth > MAX_DEPTH) return unsupported(id, "it is nowhere defined");
  const grants = profile.extends === null ? nothing() : collect(profile.extends, values, depth + 1);
  if (isRefusal(grants)) return grants;
  const refused = grantAll(id, grants, profile.filesystem ?? {});
  if (refused !== null) return refused;
  for (const [root, isOne] of Object.entries(profile.workspace_roots ?? {})) {
    if (isOne === true) grants.roots.add(root);
  }
  const { enabled = null, ...more } = profile.network ?? {};
  const isFiltered = Object.values(more).some((value) => value !== null);
  if (isFiltered) return unsupported(id, "it filters the network");
  grants.network = enabled ?? grants.network;
  return grants;
}

function builtIn(id: string, { sandbox_workspace_write: write }: ConfigValues): Grants | ThreadRefusal {
  const reading = { ...nothing(), readsAll: true };
  if (id === PROFILES["read-only"]) return reading;
  if (id === PROFILES["danger-full-access"]) return { ...reading, writesAll: true, network: true };
  if (id !== PROFILES["workspace-write"]) return unsupported(id, "it is no built-in one");
  return {
    ...reading,
    workspace: true,
    slashTmp: write?.exclude_slash_tmp !== true,
    tmpdir: write?.exclude_tmpdir_env_var !== true,
    network: write?.network_access ?? false,
    roots: new Set(write?.writable_roots ?? []),
  };
}

function nothing(): Grants {
  return {
    readsAll: false,
    writesAll: false,
    workspace: false,
    slashTmp: false,
    tmpdir: false,
    network: false,
    roots: new Set(),
  };
}

function grantAll(
  id: string,
  grants: Grants,
  paths: Readonly<Record<string, unknown>>,
): ThreadRefusal | null {
  for (const [path, access] of Object.entries(paths)) {
    const refused = grant(id, grants, path, access);
    if (refused !== null) return refused;
  }
  return null;
}

/**
 * Applies an access, or a table of accesses below the path, of which only the path itself can be expressed.
 */
function grant(id: string, grants: Grants, path: string, given: unknown): ThreadRefusal | null {
  const entries = typeof given === "object" && given !== null ? Object.entries(given) : [[".", given]];
  for (const [below, access] of entries as [string, unknown][]) {
    if (below !== ".") return unsupported(id, `it speaks of \`${below}\` below \`${path}\``);
    if (access !== "read" && access !== "write") return unsupported(id, `it denies \`${path}\``);
    if (grantSpecial(grants, path, access === "write")) continue;
    const refused = grantPath(id, grants, path, access === "write");
    if (refused !== null) return refused;
  }
  return null;
}

/** Applies a special path; false if `path` is an ordinary one. */
function grantSpecial(grants: Grants, path: string, writes: boolean): boolean {
  switch (path) {
    case ":root":
      grants.readsAll = true;
      grants.writesAll = writes;
      return true;
    case ":workspace_roots":
    case ":project_roots":
      grants.workspace = writes;
      return true;
    case ":slash_tmp":
      grants.slashTmp = writes;
      return true;
    case ":tmpdir":
      grants.tmpdir = writes;
      return true;
    default:
      return false;
  }
}

function grantPath(id: string, grants: Grants, path: string, writes: boolean): ThreadRefusal | null {
  if (writes && !isAbsolute(path)) return unsupported(id, `it lets \`${path}\` be written`);
  if (writes) grants.roots.add(path);
  else if ([...grants.roots].some((root) => `${path}/`.startsWith(`${root}/`)))
    return unsupported(id, `it keeps \`${path}\` as it is`);
  return null;
}

function toPolicy(id: string, grants: Grants): SandboxPolicy | ThreadRefusal {
  if (!grants.readsAll) return unsupported(id, 'it limits what is read; add `":root" = "read"`');
  const networkAccess = grants.network;
  if (grants.writesAll) {
    if (networkAccess) return { type: "dangerFullAccess" };
    return unsupported(id, "it lets everything be written, and has no network");
  }
  if (!grants.workspace) {
    if (grants.roots.size === 0 && !grants.slashTmp && !grants.tmpdir)
      return { type: "readOnly", networkAccess };
    return unsupported(id, "it lets other folders be written, but not the workspace");
  }
  return {
    type: "workspaceWrite",
    writableRoots: [...grants.roots],
    networkAccess,
    excludeTmpdirEnvVar: !grants.tmpdir,
    excludeSlashTmp: !grants.slashTmp,
  };
}

function unsupported(id: string, why: string): ThreadRefusal {
  return refuseInvalid(
    `failed to load configuration: permission profile \`${id}\` is not supported by heddle: ${why}`,
  );
}
