// Converts the settings of a thread to and from the field names of rollout files.

import { join } from "node:path";
import { withoutNulls } from "../../base/json-members.ts";
import { isObject, type JsonObject } from "../../base/json-object.ts";
import { isSameJson } from "../../base/same-json.ts";
import type { SandboxPolicy } from "../../protocol/generated/types.ts";
import { PROTECTED_NAMES } from "../../sandbox/bounds.ts";
import {
  type SettingsChange,
  type ThreadSettings,
  toCollaborationMode,
  workspaceRootsOf,
  writableRootsOf,
} from "./settings.ts";

/** The fields that all settings lines share. */
function common(settings: ThreadSettings): JsonObject {
  return {
    disabled_plugin_ids: [],
    cwd: settings.cwd,
    approval_policy: settings.approvalPolicy,
    approvals_reviewer: settings.approvalsReviewer,
    permission_profile: toProfile(settings),
    ...(settings.permissionProfile === null
      ? {}
      : { active_permission_profile: withoutNulls(settings.permissionProfile) }),
    model: settings.model,
    collaboration_mode: toCollaborationMode(settings),
    personality: settings.personality,
  };
}

/** The payload of `thread_settings_applied`. */
export function toStoredSettings(settings: ThreadSettings): JsonObject {
  return {
    ...common(settings),
    model_provider_id: settings.modelProvider,
    runtime_workspace_roots: storedRootsOf(settings),
    service_tier: settings.serviceTier,
    reasoning_effort: settings.effort,
    reasoning_summary: settings.summary,
  };
}

/** Clients choose a machine's folders anew in each session, so only the thread's own folder is stored for one. */
export function storedRootsOf(settings: ThreadSettings): readonly string[] {
  return settings.machineCwd === null ? workspaceRootsOf(settings) : [settings.cwd];
}

/** The payload of `turn_context`. */
export type StoredContext = ReturnType<typeof toStoredContext>;

export function toStoredContext(settings: ThreadSettings) {
  return {
    ...common(settings),
    cwd: settings.cwd,
    approval_policy: settings.approvalPolicy,
    model: settings.model,
    sandbox_policy: toStoredSandbox(settings.sandbox),
    effort: settings.effort,
    summary: settings.summary ?? "none",
    realtime_active: false,
  };
}

function toStoredSandbox(sandbox: SandboxPolicy): JsonObject {
  switch (sandbox.type) {
    case "readOnly":
      return { type: "read-only", ...(sandbox.networkAccess === true ? { network_access: true } : {}) };
    case "dangerFullAccess":
      return { type: "danger-full-access" };
    case "externalSandbox":
      return { type: "external-sandbox", network_access: sandbox.networkAccess ?? "restricted" };
    case "workspaceWrite":
      return {
        type: "workspace-write",
        ...(sandbox.writableRoots?.length ? { writable_roots: sandbox.writableRoots } : {}),
        network_access: sandbox.networkAccess ?? false,
        exclude_tmpdir_env_var: sandbox.excludeTmpdirEnvVar ?? false,
        exclude_slash_tmp: sandbox.excludeSlashTmp ?? false,
      };
  }
}

const READ_ALL = { path: { type: "special", value: { kind: "root" } }, access: "read" };

function toProfile(settings: ThreadSettings): JsonObject {
  const { sandbox, cwd } = settings;
  switch (sandbox.type) {
    case "dangerFullAccess":
      return { type: "disabled" };
    case "externalSandbox":
      return { type: "external", network: sandbox.networkAccess ?? "restricted" };
    case "readOnly":
      return managed([READ_ALL], sandbox.networkAccess ?? false);
    case "workspaceWrite": {
      const roots = writableRootsOf(settings);
      const entries = [
        READ_ALL,
        ...roots.map((path) => ({ path: { type: "path", path }, access: "write" })),
        ...(sandbox.excludeSlashTmp === true ? [] : [special("slash_tmp")]),
        ...(sandbox.excludeTmpdirEnvVar === true ? [] : [special("tmpdir")]),
        ...PROTECTED_NAMES.map((name) => ({
          path: { type: "path", path: join(cwd, name) },
          access: "read",
          missing_path_behavior: "skip",
        })),
      ];
      return managed(entries, sandbox.networkAccess ?? false);
    }
  }
}

function special(kind: string): JsonObject {
  return { path: { type: "special", value: { kind } }, access: "write" };
}

function managed(entries: readonly JsonObject[], network: boolean): JsonObject {
  return {
    type: "managed",
    file_system: { type: "restricted", entries },
    network: network ? "enabled" : "restricted",
  };
}

/** Whether reading the stored settings would yield the given ones. */
export function matchesStoredSettings(stored: JsonObject, settings: ThreadSettings): boolean {
  const now = toStoredSettings(settings);
  return (
    storedProfile(stored) === storedProfile(now) &&
    isSameJson(fromStoredSettings(stored), fromStoredSettings(now))
  );
}

/** The profile that the stored sandbox was derived from; its definition may have changed since. */
export function storedProfile(stored: JsonObject): string | null {
  const profile = stored["active_permission_profile"];
  return isObject(profile) && typeof profile["id"] === "string" ? profile["id"] : null;
}

/** The usable part of stored settings; missing or invalid values are left to the configuration. */
export function fromStoredSettings(stored: JsonObject): SettingsChange {
  const text = (key: string) => {
    const value = stored[key];
    return typeof value === "string" ? value : null;
  };
  const cwd = text("cwd");
  const model = text("model");
  const effort = text("reasoning_effort");
  const sandbox = fromProfile(stored["permission_profile"], cwd ?? "");
  const reviewer = text("approvals_reviewer");
  const policy = stored["approval_policy"];
  const isPolicy = typeof policy === "string" || (typeof policy === "object" && policy !== null);
  return {
    ...(cwd === null ? {} : { cwd }),
    ...(model === null ? {} : { model }),
    ...(effort === null ? {} : { effort }),
    ...workspaceIn(stored["runtime_workspace_roots"], cwd),
    ...(isPolicy ? { approvalPolicy: policy as ThreadSettings["approvalPolicy"] } : {}),
    ...(reviewer === "user" || reviewer === "auto_review" ? { approvalsReviewer: reviewer } : {}),
    ...(sandbox === null ? {} : { sandbox, permissionProfile: null }),
  };
}

/** An empty list of folders means that there is no machine. */
function workspaceIn(stored: unknown, cwd: string | null): SettingsChange {
  if (!Array.isArray(stored)) return {};
  const roots = stored.filter((root) => typeof root === "string");
  const isDefault = roots.length === 0 || (roots.length === 1 && roots[0] === cwd);
  return { workspaceRoots: isDefault ? null : roots, hasMachine: roots.length > 0 };
}

function fromProfile(profile: unknown, cwd: string): SandboxPolicy | null {
  if (!isObject(profile)) return null;
  switch (profile["type"]) {
    case "disabled":
      return { type: "dangerFullAccess" };
    case "external":
      return {
        type: "externalSandbox",
        networkAccess: profile["network"] === "enabled" ? "enabled" : "restricted",
      };
    case "managed":
      return fromManaged(profile, cwd);
    default:
      return null;
  }
}

function fromManaged(profile: JsonObject, cwd: string): SandboxPolicy | null {
  const files = profile["file_system"];
  if (!isObject(files) || !Array.isArray(files["entries"])) return null;
  const networkAccess = profile["network"] === "enabled";
  const writable = files["entries"].filter(isObject).filter(({ access }) => access === "write");
  if (writable.length === 0) return { type: "readOnly", networkAccess };
  const locations = writable.map(({ path }) => (isObject(path) ? path : {}));
  const has = (kind: string) => locations.some(({ value }) => isObject(value) && value["kind"] === kind);
  const paths = locations.flatMap(({ path }) => (typeof path === "string" && path !== cwd ? [path] : []));
  return {
    type: "workspaceWrite",
    writableRoots: paths,
    networkAccess,
    excludeTmpdirEnvVar: !has("tmpdir"),
    excludeSlashTmp: !has("slash_tmp"),
  };
}
