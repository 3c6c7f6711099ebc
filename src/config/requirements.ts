/**
 * Loads requirements.toml and applies it to a configuration: settings that it fixes, and settings that it
 * restricts.
 */
import path from "node:path";
import type { FileCache } from "./file-cache.ts";
import { relativeTo } from "./layer.ts";
import { mergeTables } from "./merge-tables.ts";
import { type ConfigValues, checkTable } from "./schema/config-schema.ts";
import type { NodeTable, ValueOf } from "./schema/kind.ts";
import type { requirementsSchema } from "./schema/requirements-schema.ts";
import { type ConfigFault, describeInTable } from "./toml/config-fault.ts";
import { createTable, isTable, type TomlTable, toJsonObject } from "./toml/toml-value.ts";

export type RequirementValues = ValueOf<typeof requirementsSchema>;

export interface Requirements {
  readonly file: string;
  readonly values: RequirementValues;
  /** As written; hooks are parsed from here. */
  readonly written: TomlTable;
  /** The same without secrets, for clients. */
  readonly shown: RequirementValues;
  /** The known keys that the file sets. */
  readonly keys: readonly string[];
  readonly unknownKeys: readonly (readonly string[])[];
}

export type LoadedRequirements =
  | { ok: true; requirements: Requirements | null }
  | { ok: false; fault: ConfigFault };

export async function loadRequirements(
  files: FileCache,
  systemDir: string,
  userHome: string,
): Promise<LoadedRequirements> {
  const file = path.join(systemDir, "requirements.toml");
  const [state, legacy] = await Promise.all([
    files.read(file),
    files.read(path.join(systemDir, "managed_config.toml")),
  ]);
  if (state.kind === "fault") return { ok: false, fault: state.fault };
  if (state.kind === "missing" && legacy.kind !== "table") return { ok: true, requirements: null };
  const { requirementsSchema } = await import("./schema/requirements-schema.ts");
  const written = state.kind === "table" ? state.table : createTable();
  const managed = legacy.kind === "table" ? fromLegacy(legacy.table) : createTable();
  const table = mergeTables([written, managed]);
  const resolvePath = relativeTo(systemDir, userHome);
  const checked = checkTable(requirementsSchema, table, { form: "values", resolvePath });
  const shown = checkTable(requirementsSchema, table, { form: "wire", resolvePath });
  if (!checked.ok || !shown.ok) {
    const reason = checked.ok ? "" : describeInTable(checked.fault);
    return { ok: false, fault: { message: `failed to parse requirements layer ${file}: ${reason}` } };
  }
  if (isEmpty(table)) return { ok: true, requirements: null };
  const unknownKeys = checked.unknownKeys.map((keys) => keys.map(String));
  const values = toValues(checked.node);
  const keys = Object.entries(values).flatMap(([key, value]) => (value === null ? [] : [key]));
  return {
    ok: true,
    requirements: { file, values, written, shown: toValues(shown.node), keys, unknownKeys },
  };
}

function toValues(node: NodeTable): RequirementValues {
  return toJsonObject(node as TomlTable) as unknown as RequirementValues;
}

/** The values of an empty requirements file. */
export async function noRequirements(): Promise<RequirementValues> {
  const { requirementsSchema } = await import("./schema/requirements-schema.ts");
  const checked = checkTable(requirementsSchema, createTable(), {
    form: "values",
    resolvePath: () => undefined,
  });
  return toValues(checked.ok ? checked.node : {});
}

/** A file with only empty tables requires nothing. */
function isEmpty(table: TomlTable): boolean {
  return Object.values(table).every((value) => isTable(value) && isEmpty(value));
}

/** The legacy managed_config.toml fixes one value where requirements list several. */
function fromLegacy({
  approval_policy: policy,
  approvals_reviewer: reviewer,
  sandbox_mode: mode,
}: TomlTable): TomlTable {
  const result = createTable();
  if (policy !== undefined) result["allowed_approval_policies"] = [policy];
  if (reviewer !== undefined) {
    result["allowed_approvals_reviewers"] = reviewer === "auto_review" ? [reviewer, "user"] : [reviewer];
  }
  // Read access is always needed.
  if (mode !== undefined)
    result["allowed_sandbox_modes"] = mode === "read-only" ? [mode] : ["read-only", mode];
  return result;
}

/** Settings that requirements fix to one value: neither files nor writes can change them. */
export const EXACT: readonly (readonly string[])[] = [
  ["sqlite_home"],
  ["log_dir"],
  ["model_catalog_json"],
  ["check_for_update_on_startup"],
  ["allow_login_shell"],
  ["feedback", "enabled"],
  ["cli_auth_credentials_store"],
  ["chatgpt_base_url"],
  ["model_provider"],
  ["model_providers"],
  ["otel"],
];

/** The fixed setting at, above or below `path`. */
export function exactRequirement(
  requirements: Requirements | null,
  keys: readonly string[],
): string | undefined {
  if (requirements === null) return undefined;
  const found = EXACT.find(
    (exact) =>
      requirementAt(requirements.values, exact) !== null &&
      exact.slice(0, keys.length).every((key, index) => key === keys[index]),
  );
  return found?.join(".");
}

export function requirementAt(values: RequirementValues, keys: readonly string[]): unknown {
  let current: unknown = values;
  for (const key of keys) current = (current as Record<string, unknown> | null)?.[key] ?? null;
  return current;
}

/** Undefined, or why these features may not be configured. */
export function checkFeatures(requirements: Requirements | null, features: unknown): string | undefined {
  const fixed = requirements?.values.features ?? {};
  for (const [name, wanted] of Object.entries(fixed)) {
    const configured = (features as Record<string, unknown> | null)?.[name];
    if (typeof configured !== "boolean" || configured === wanted) continue;
    return (
      `invalid value for \`features\`: \`features.${name}=${configured}\` is not in the allowed set ` +
      `[${name}=${wanted}] (set by ${requirements?.file ?? ""})`
    );
  }
  return undefined;
}

/** The enforced requirements, here and in thread settings. */
export const ENFORCED: readonly string[] = [
  ...EXACT.map(([key]) => key ?? ""),
  "features",
  "rules",
  "allowed_approval_policies",
  "allowed_approvals_reviewers",
  "allowed_sandbox_modes",
  "allowed_permission_profiles",
  "allowed_web_search_modes",
  "mcp_servers",
  "hooks",
  "allow_managed_hooks_only",
];

export function applyRequirements(
  required: RequirementValues | undefined,
  values: ConfigValues,
): ConfigValues {
  if (required === undefined) return values;
  return {
    ...applyExact(required, values),
    web_search: allowedSearch(required, values),
    mcp_servers: allowedServers(required, values),
  };
}

/** Applies the fixed settings to a configuration; other settings are unchanged. */
export function applyExact<T extends object>(required: RequirementValues | undefined, config: T): T {
  if (required === undefined) return config;
  const result = { ...config } as Record<string, unknown>;
  for (const [key, inner] of EXACT as readonly [string, string?][]) {
    const value = requirementAt(required, inner === undefined ? [key] : [key, inner]);
    if (value === null) continue;
    result[key] = inner === undefined ? value : { ...(result[key] as object | null), [inner]: value };
  }
  return result as T;
}

/** Off is always allowed. Without a configured mode the cached one applies, if it is allowed. */
function allowedSearch(
  { allowed_web_search_modes: allowed }: RequirementValues,
  { web_search: wanted }: ConfigValues,
): ConfigValues["web_search"] {
  if (allowed === null) return wanted;
  const mode = wanted ?? "cached";
  return allowed.includes(mode) ? mode : "disabled";
}

/** Only listed servers whose identity matches the list. */
function allowedServers(
  { mcp_servers: allowed }: RequirementValues,
  { mcp_servers: configured }: ConfigValues,
): ConfigValues["mcp_servers"] {
  if (allowed === null) return configured;
  return Object.fromEntries(
    Object.entries(configured).map(([name, server]) => {
      const isAllowed = allowsServer({ mcp_servers: allowed }, name, server);
      return [name, isAllowed ? server : { ...server, enabled: false, required: false }];
    }),
  );
}

/** Whether the administrator allows a server; whether it is otherwise disabled is not considered. */
export function allowsServer(
  required: Pick<RequirementValues, "mcp_servers"> | undefined,
  name: string,
  server: ConfigValues["mcp_servers"][string],
): boolean {
  const allowed = required?.mcp_servers ?? null;
  if (allowed === null) return true;
  return Object.hasOwn(allowed, name) && matchesIdentity(server, allowed[name]);
}

/** False for an entry that is absent, or has an unknown form. */
function matchesIdentity({ command, url }: ConfigValues["mcp_servers"][string], entry: unknown): boolean {
  const { identity } = (entry ?? {}) as { readonly identity?: { command?: unknown; url?: unknown } };
  if (typeof identity !== "object" || identity === null) return false;
  const [wanted, ...others] = Object.entries(identity);
  if (wanted === undefined || others.length > 0) return false;
  const [member, value] = wanted;
  if (member === "command") return typeof command === "string" && command === value;
  return member === "url" && typeof url === "string" && url === value;
}
