/**
 * Whether files that a sandboxed command may write could determine what an allowed command executes. A rule does not let
 * such a command leave the sandbox.
 */
import { delimiter, isAbsolute, join } from "node:path";
import type { Environment } from "../../base/environment.ts";
import { isExecutable, realPath } from "../../base/file-system.ts";
import type { BoundsOutcome } from "../../sandbox/bounds.ts";
import { isInside } from "../../sandbox/inside.ts";
import { areGitArgumentsUnsafe, isRepositoryTrusted } from "./git-hijack.ts";
import { type CommandSlice, programName } from "./wrapper-options.ts";

export interface HijackContext {
  readonly env: Environment;
  /** The bounds of the next command. */
  readonly bounds: () => BoundsOutcome;
  /** Whether an earlier command could have written a file. */
  readonly isSandboxWritable: (path: string) => boolean;
}

/** Receives all commands of a call, and its cwd. */
export type CanBeHijacked = (commands: readonly CommandSlice[], cwd: string) => boolean;

const CD_COMMANDS = new Set(["cd", "pushd", "popd"]);

export function createHijackCheck(context: HijackContext): CanBeHijacked {
  return (commands, cwd) => {
    const isWritable = createWritableCheck(context);
    if (isWritable === null) return true;
    const { env } = context;
    if (commands.some(({ words, from }) => isResolvedInWritable(words[from] ?? "", env, isWritable)))
      return true;
    const names = commands.map(({ words, from }) => programName(words, from));
    const calls = commands.filter((_, at) => names[at] === "git");
    if (calls.length === 0) return false;
    return (
      names.some((name) => CD_COMMANDS.has(name)) ||
      calls.some(areGitArgumentsUnsafe) ||
      Object.keys(env).some((name) => name.startsWith("GIT_DIR") || name === "GIT_WORK_TREE") ||
      userGitConfigs(env).some(isWritable) ||
      !isRepositoryTrusted(cwd, isWritable)
    );
  };
}

/** Null if the writable paths cannot be determined. */
function createWritableCheck({
  bounds,
  isSandboxWritable,
}: HijackContext): ((path: string) => boolean) | null {
  const outcome = bounds();
  if (outcome.kind !== "bounded") return null;
  const { roots, protectedPaths } = outcome.bounds;
  return (path) =>
    isSandboxWritable(path) ||
    (roots.some((each) => isInside(path, each)) && !protectedPaths.some((each) => isInside(path, each)));
}

function userGitConfigs(env: Environment): string[] {
  const home = env["HOME"] ?? "";
  const folder = env["XDG_CONFIG_HOME"] ?? join(home, ".config");
  const files = [env["GIT_CONFIG_GLOBAL"] ?? "", join(home, ".gitconfig"), join(folder, "git", "config")];
  return files.filter(isAbsolute).map(realPath);
}

/** Whether a PATH lookup of the program would end in, or pass through, a path that commands may write. */
function isResolvedInWritable(
  program: string,
  env: Environment,
  isWritable: (path: string) => boolean,
): boolean {
  if (program === "" || program.includes("/")) return false;
  for (const folder of (env["PATH"] ?? "").split(delimiter)) {
    // An empty or relative entry is relative to the command's cwd.
    if (!isAbsolute(folder)) return true;
    const path = join(folder, program);
    if (isExecutable(path)) return isWritable(realPath(folder)) || isWritable(realPath(path));
    if (isWritable(realPath(folder))) return true;
  }
  return false;
}
