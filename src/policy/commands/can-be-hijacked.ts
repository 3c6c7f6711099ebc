/**
 * Whether files that a confined command may write could decide what an allowed command runs. Such a command is not
 * let out of the sandbox by a rule.
 */
import { delimiter, isAbsolute, join } from "node:path";
import type { Environment } from "../../base/environment.ts";
import { isExecutable, realPath } from "../../base/file-system.ts";
import type { BoundsOutcome } from "../../sandbox/bounds.ts";
import { isInside } from "../../sandbox/inside.ts";
import { areGitArgumentsUnsafe, isRepositoryOutOfReach } from "./git-hijack.ts";
import { type CommandSlice, programName } from "./wrapper-options.ts";

export interface HijackContext {
  readonly env: Environment;
  /** What the next command may write. */
  readonly bounds: () => BoundsOutcome;
  /** Whether an earlier one could have written a file. */
  readonly isSandboxWritable: (path: string) => boolean;
}

/** Asked with all commands that a call runs, and the folder that it runs in. */
export type CanBeHijacked = (commands: readonly CommandSlice[], cwd: string) => boolean;

const CHANGES_FOLDER = new Set(["cd", "pushd", "popd"]);

export function createHijackCheck(context: HijackContext): CanBeHijacked {
  return (commands, cwd) => {
    const isWritable = readReach(context);
    if (isWritable === null) return true;
    const { env } = context;
    if (commands.some(({ words, from }) => isFoundWithin(words[from] ?? "", env, isWritable))) return true;
    const names = commands.map(({ words, from }) => programName(words, from));
    const calls = commands.filter((_, at) => names[at] === "git");
    if (calls.length === 0) return false;
    return (
      names.some((name) => CHANGES_FOLDER.has(name)) ||
      calls.some(areGitArgumentsUnsafe) ||
      Object.keys(env).some((name) => name.startsWith("GIT_DIR") || name === "GIT_WORK_TREE") ||
      userSettings(env).some(isWritable) ||
      !isRepositoryOutOfReach(cwd, isWritable)
    );
  };
}

/** Null where it cannot be told what commands may write. */
function readReach({ bounds, isSandboxWritable }: HijackContext): ((path: string) => boolean) | null {
  const outcome = bounds();
  if (outcome.kind !== "bounded") return null;
  const { roots, protectedPaths } = outcome.bounds;
  return (path) =>
    isSandboxWritable(path) ||
    (roots.some((each) => isInside(path, each)) && !protectedPaths.some((each) => isInside(path, each)));
}

function userSettings(env: Environment): string[] {
  const home = env["HOME"] ?? "";
  const folder = env["XDG_CONFIG_HOME"] ?? join(home, ".config");
  const files = [env["GIT_CONFIG_GLOBAL"] ?? "", join(home, ".gitconfig"), join(folder, "git", "config")];
  return files.filter(isAbsolute).map(realPath);
}

/** Whether a program that is called by its name would be found where commands may write. */
function isFoundWithin(program: string, env: Environment, isWritable: (path: string) => boolean): boolean {
  if (program === "" || program.includes("/")) return false;
  for (const folder of (env["PATH"] ?? "").split(delimiter)) {
    // An empty or relative entry means the folder that the command runs in.
    if (!isAbsolute(folder)) return true;
    const path = join(folder, program);
    if (isExecutable(path)) return isWritable(realPath(folder)) || isWritable(realPath(path));
    if (isWritable(realPath(folder))) return true;
  }
  return false;
}
