import { execFile } from "node:child_process";
import { AppError } from "../../base/errors.ts";

const LIMIT_MS = 10_000;

/** The commit that the current work has in common with a branch, or with what the branch is on its remote if that is ahead. */
export async function findMergeBase(cwd: string, branch: string): Promise<string> {
  const isRepository = (await git(cwd, ["rev-parse", "--is-inside-work-tree"])) !== null;
  if (!isRepository) throw new AppError("notFound", `"${cwd}" is not a git repository`);
  const upstream = await git(cwd, ["rev-parse", "--abbrev-ref", `${branch}@{upstream}`]);
  for (const name of upstream === null ? [branch] : [upstream, branch]) {
    const base = await git(cwd, ["merge-base", "HEAD", name]);
    if (base !== null) return base;
  }
  throw new AppError("notFound", `there is no common commit with the branch '${branch}'`);
}

/** What git printed, or null where it failed. */
function git(cwd: string, args: readonly string[]): Promise<string | null> {
  return new Promise((resolve) => {
    execFile("git", args, { cwd, timeout: LIMIT_MS, encoding: "utf8" }, (error, stdout) => {
      resolve(error === null ? stdout.trim() : null);
    });
  });
}
