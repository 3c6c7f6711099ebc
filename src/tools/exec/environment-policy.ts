/** Which variables a command gets: the rules of `[shell_environment_policy]`, applied in their order. */
import type { Environment } from "../../base/environment.ts";

export interface EnvironmentPolicy {
  readonly inherit: "all" | "core" | "none";
  /** Whether names with KEY, SECRET or TOKEN in them are kept. */
  readonly ignoreDefaultExcludes: boolean;
  /** Patterns with `*` and `?`, whatever the case. */
  readonly exclude: readonly string[];
  readonly set: Readonly<Record<string, string>>;
  /** Where it names any, all others go. */
  readonly includeOnly: readonly string[];
}

export const DEFAULT_ENVIRONMENT_POLICY: EnvironmentPolicy = {
  inherit: "all",
  ignoreDefaultExcludes: true,
  exclude: [],
  set: {},
  includeOnly: [],
};

const CORE = new Set([
  "PATH",
  "SHELL",
  "TMPDIR",
  "TEMP",
  "TMP",
  "HOME",
  "LANG",
  "LC_ALL",
  "LC_CTYPE",
  "LOGNAME",
  "USER",
]);
const SECRETS = ["*KEY*", "*SECRET*", "*TOKEN*"];
/** The launch context of the server, which nothing that the model reaches may have. */
const NEVER = new Set([
  "CODEX_EXEC_SERVER_NOISE_AUTH_TOKEN",
  "NODE_REPL_AUTH_TOKEN",
  "OPENAI_FEDERATION_RULE_ID",
  "OPENAI_IDENTITY_TOKEN_FILE",
  "OPENAI_WORKLOAD_IDENTITY_CONTEXT",
]);

export function applyEnvironmentPolicy(own: Environment, policy: EnvironmentPolicy): Record<string, string> {
  const inherited = Object.entries(own).filter(
    (entry): entry is [string, string] => entry[1] !== undefined && isInherited(entry[0], policy.inherit),
  );
  const excluded = [...(policy.ignoreDefaultExcludes ? [] : SECRETS), ...policy.exclude].map(toPattern);
  const kept = inherited.filter(([name]) => !excluded.some((pattern) => pattern.test(name)));
  const only = policy.includeOnly.map(toPattern);
  const all = Object.entries({ ...Object.fromEntries(kept), ...policy.set });
  return Object.fromEntries(
    all.filter(
      ([name]) =>
        !NEVER.has(name.toUpperCase()) && (only.length === 0 || only.some((pattern) => pattern.test(name))),
    ),
  );
}

function isInherited(name: string, inherit: EnvironmentPolicy["inherit"]): boolean {
  return inherit === "all" || (inherit === "core" && CORE.has(name.toUpperCase()));
}

function toPattern(text: string): RegExp {
  const source = text.replaceAll(/[.+^${}()|[\]\\]/g, String.raw`\$&`);
  return new RegExp(`^${source.replaceAll("*", ".*").replaceAll("?", ".")}$`, "is");
}
