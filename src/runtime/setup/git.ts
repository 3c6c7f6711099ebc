import { execFile } from "node:child_process";
import type { Environment } from "../../base/environment.ts";
import { AppError } from "../../base/errors.ts";
import type { Sandbox } from "../../sandbox/sandbox.ts";
import { findTrustedProgram } from "../../sandbox/writable-paths.ts";

export interface GitOptions {
  readonly cwd: string;
  readonly env: Environment;
  readonly sandbox: () => Promise<Sandbox>;
  readonly isWritten: (path: string) => boolean;
}

const LIMIT_MS = 10_000;

/**
 * A repository may come from anyone, and its configuration can name programs. None of these queries needs
 * one, so programs that git could still run, such as the fetch of a missing object, are disabled by name.
 */
const VARIABLES = { GIT_ALLOW_PROTOCOL: "none", GIT_TERMINAL_PROMPT: "0", GIT_OPTIONAL_LOCKS: "0" };
const WITHOUT_PROGRAMS = [
  "core.fsmonitor=false",
  "core.hooksPath=/dev/null",
  "core.pager=cat",
  "core.sshCommand=false",
  "diff.external=",
].flatMap((setting) => ["-c", setting]);

/** The merge base of HEAD and the upstream of a branch, or else of HEAD and the branch itself. */
export async function findMergeBase(branch: string, options: GitOptions): Promise<string> {
  const { cwd } = options;
  const isRepository = (await git(["rev-parse", "--is-inside-work-tree"], options)) !== null;
  if (!isRepository) throw new AppError("notFound", `"${cwd}" is not a git repository`);
  const upstream = await git(["rev-parse", "--abbrev-ref", `${branch}@{upstream}`], options);
  for (const name of upstream === null ? [branch] : [upstream, branch]) {
    const base = await git(["merge-base", "HEAD", name], options);
    if (base !== null) return base;
  }
  throw new AppError("notFound", `there is no common commit with the branch '${branch}'`);
}

/** The output of git; null if it failed. Only read-only commands, in a sandbox if there is one. */
async function git(args: readonly string[], options: GitOptions): Promise<string | null> {
  const { cwd, isWritten } = options;
  const program = findTrustedProgram("git", { path: options.env["PATH"], isSandboxWritable: isWritten });
  if (program === null) return null;
  const variables = Object.entries({ ...options.env, ...VARIABLES });
  const env = Object.fromEntries(
    variables.flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
  );
  const argv = [program, ...WITHOUT_PROGRAMS, ...args];
  const sandbox = await options.sandbox();
  const confined =
    sandbox.ability.kind === "none"
      ? { ok: true as const, argv, env, release: () => {} }
      : sandbox.wrap({ argv, cwd, env }, { type: "readOnly" }, { policyCwd: cwd });
  if (!confined.ok) return null;
  const [file = "", ...rest] = confined.argv;
  return new Promise((resolve) => {
    execFile(file, rest, { cwd, env: confined.env, timeout: LIMIT_MS, encoding: "utf8" }, (error, stdout) => {
      confined.release();
      resolve(error === null ? stdout.trim() : null);
    });
  });
}
