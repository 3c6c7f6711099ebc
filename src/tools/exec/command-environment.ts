/**
 * The environment of a command: policy variables, plain-output settings, owner ids, and the package's own
 * programs.
 */
import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { Environment } from "../../base/environment.ts";
import { peerVersion } from "../../protocol/peer-methods.ts";

/** Disables colours and pagers, because these terminals are not interactive. */
const PLAIN_OUTPUT = {
  NO_COLOR: "1",
  TERM: "dumb",
  LANG: "C.UTF-8",
  LC_CTYPE: "C.UTF-8",
  LC_ALL: "C.UTF-8",
  COLORTERM: "",
  PAGER: "cat",
  GIT_PAGER: "cat",
  GH_PAGER: "cat",
  CODEX_CI: "1",
};

/** The part that is equal for all commands of a policy; login shells start from it. */
export function baseEnvironment(own: Environment, policy: EnvironmentPolicy): Record<string, string> {
  return { ...applyEnvironmentPolicy(own, policy), ...PLAIN_OUTPUT, ...policy.set };
}

interface CommandOwner {
  readonly threadId: string;
  readonly sessionId: string;
  readonly callId?: string;
}

export function ownerEnvironment({ threadId, sessionId, callId }: CommandOwner): Record<string, string> {
  return {
    CODEX_THREAD_ID: threadId,
    CODEX_SESSION_ID: sessionId,
    CODEX_VERSION: peerVersion,
    CODEX_APPLY_PATCH_PRESERVE_LINE_ENDINGS: "1",
    ...(callId === undefined ? {} : { CODEX_TOOL_CALL_ID: callId }),
  };
}

/** `[shell_environment_policy]`: which variables a command inherits; rules apply in this order. */
export interface EnvironmentPolicy {
  readonly inherit: "all" | "core" | "none";
  /** Keeps names that contain KEY, SECRET or TOKEN. */
  readonly ignoreDefaultExcludes: boolean;
  /** Glob patterns with `*` and `?`, case-insensitive. */
  readonly exclude: readonly string[];
  readonly set: Readonly<Record<string, string>>;
  /** If not empty, all other variables are dropped. */
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
/** The server's launch context, which must not reach any process that the model controls. */
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

/** Programs that the package provides for commands, such as `apply_patch`. */
export interface OwnPrograms {
  /** Contains one launcher per program. */
  readonly folder: string;
  /** The Node executable for the launchers; the one on a command's PATH may be too old. */
  readonly node: string;
}

/** The folder name that the build uses. */
const FOLDER = "programs";

/** Finds the programs folder beside the given file or in one of the two folders above it. */
export function findOwnPrograms(file: string, node: string): OwnPrograms | null {
  const own = dirname(file);
  const places = [own, dirname(own), dirname(dirname(own))].map((folder) => join(folder, FOLDER));
  const folder = places.find((place) => existsSync(join(place, "apply_patch")));
  return folder === undefined ? null : { folder, node };
}

/**
 * Adds the variables by which a command finds the programs. An environment without PATH is unchanged, because
 * the shell has a default.
 */
export function withOwnPrograms<Variables extends Environment>(
  variables: Variables,
  programs: OwnPrograms | null,
): Variables {
  const { PATH } = variables;
  if (programs === null || !PATH) return variables;
  return { ...variables, PATH: `${programs.folder}${delimiter}${PATH}`, HEDDLE_NODE: programs.node };
}
