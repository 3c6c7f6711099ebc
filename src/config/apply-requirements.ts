/** What requirements make of a configuration: settings that they fix, and settings that they narrow down. */
import { EXACT, type RequirementValues, requiredValue } from "./requirements.ts";
import type { ConfigValues } from "./schema/config-schema.ts";

/** The requirements that are enforced, here and where threads get their settings. */
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

/** Puts the fixed settings into a configuration; the rest stays. */
export function applyExact<T extends object>(required: RequirementValues | undefined, config: T): T {
  if (required === undefined) return config;
  const result = { ...config } as Record<string, unknown>;
  for (const [key, inner] of EXACT as readonly [string, string?][]) {
    const value = requiredValue(required, inner === undefined ? [key] : [key, inner]);
    if (value === null) continue;
    result[key] = inner === undefined ? value : { ...(result[key] as object | null), [inner]: value };
  }
  return result as T;
}

/** Off is always allowed. Nobody's wish is the cached way, unless that is not. */
function allowedSearch(
  { allowed_web_search_modes: allowed }: RequirementValues,
  { web_search: wanted }: ConfigValues,
): ConfigValues["web_search"] {
  if (allowed === null) return wanted;
  const mode = wanted ?? "cached";
  return allowed.includes(mode) ? mode : "disabled";
}

/** Only servers that are listed, and that are what the list says they are. */
function allowedServers(
  { mcp_servers: allowed }: RequirementValues,
  { mcp_servers: configured }: ConfigValues,
): ConfigValues["mcp_servers"] {
  if (allowed === null) return configured;
  return Object.fromEntries(
    Object.entries(configured).map(([name, server]) => {
      const isAllowed = matchesIdentity(server, allowed[name]);
      return [name, isAllowed ? server : { ...server, enabled: false, required: false }];
    }),
  );
}

/** False for an entry that is absent, or of a form that is not known. */
function matchesIdentity({ command, url }: ConfigValues["mcp_servers"][string], entry: unknown): boolean {
  const { identity } = (entry ?? {}) as { readonly identity?: { command?: unknown; url?: unknown } };
  if (typeof identity !== "object" || identity === null) return false;
  const [wanted, ...others] = Object.entries(identity);
  if (wanted === undefined || others.length > 0) return false;
  const [member, value] = wanted;
  if (member === "command") return typeof command === "string" && command === value;
  return member === "url" && typeof url === "string" && url === value;
}
