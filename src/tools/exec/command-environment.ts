/** The variables of one command: the policy's, those that keep output plain, who it runs for, and our own programs. */
import { existsSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import type { Environment } from "../../base/environment.ts";
import { peerVersion } from "../../protocol/peer-methods.ts";

/** No colours and no pagers: nobody sits at these terminals. */
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

/** The part that is the same for all commands of a policy, from which a login shell starts. */
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

/** Which variables a command gets: the rules of `[shell_environment_policy]`, applied in their order. */
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

/** The programs that the package brings along for commands, such as `apply_patch`. */
export interface OwnPrograms {
  /** Holds one launcher for each of them. */
  readonly folder: string;
  /** The Node that launchers run; the one on the PATH of a command may be too old. */
  readonly node: string;
}

/** The folder that the build puts them into. */
const FOLDER = "programs";

/** The package's programs, in a folder beside the given file or in one of the two folders above. */
export function findOwnPrograms(file: string, node: string): OwnPrograms | null {
  const own = dirname(file);
  const places = [own, dirname(own), dirname(dirname(own))].map((folder) => join(folder, FOLDER));
  const folder = places.find((place) => existsSync(join(place, "apply_patch")));
  return folder === undefined ? null : { folder, node };
}

/** The variables with which a command finds them. One without a PATH is left as it is: its shell has a default. */
export function withOwnPrograms<Variables extends Environment>(
  variables: Variables,
  programs: OwnPrograms | null,
): Variables {
  const { PATH } = variables;
  if (programs === null || !PATH) return variables;
  return { ...variables, PATH: `${programs.folder}${delimiter}${PATH}`, HEDDLE_NODE: programs.node };
}
