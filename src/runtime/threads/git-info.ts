import { existsSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { statOf } from "../../base/file-system.ts";
import { readTextSync } from "../../base/read-regular-file.ts";
import type { StatOf } from "../../base/tick-stats.ts";
import type { GitInfo } from "../../protocol/generated/types.ts";

/** The limit of files of git that are read; `packed-refs` of large repositories have millions of bytes. */
const MAX_BYTES = 16 * 1024 * 1024;

/**
 * The commit, branch and repository of a folder; null outside of a repository. Read from git's own files,
 * because starting git would take longer than starting the thread.
 */
export function readGitInfo(cwd: string, stat: StatOf = statOf): GitInfo | null {
  const folder = findGitFolder(cwd, stat);
  if (folder === null) return null;
  const common = commonFolder(folder);
  // An empty or incomplete folder of that name is no repository.
  if (!existsSync(join(common, "objects"))) return null;
  const head = readLine(join(folder, "HEAD"));
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head ?? "")?.[1] ?? null;
  const sha = branch === null ? shaOf(head) : shaOfRef(common, `refs/heads/${branch}`);
  return { sha, branch, originUrl: originOf(common) };
}

function findGitFolder(cwd: string, stat: StatOf): string | null {
  for (let folder = resolve(cwd); ; folder = dirname(folder)) {
    const entry = join(folder, ".git");
    const found = stat(entry);
    if (found?.isDirectory() === true && read(join(entry, "HEAD")) !== null) return entry;
    // The `.git` file of a worktree or submodule points to its folder.
    const pointed = found === null ? null : /^gitdir: (.+)$/.exec(readLine(entry) ?? "")?.[1];
    if (pointed != null) return resolve(folder, pointed);
    if (folder === dirname(folder)) return null;
  }
}

/** Worktrees share refs and configuration with the repository they belong to. */
function commonFolder(folder: string): string {
  const common = readLine(join(folder, "commondir"));
  return common === null ? folder : resolve(folder, common);
}

function shaOfRef(common: string, ref: string): string | null {
  const loose = shaOf(readLine(join(common, ref)));
  if (loose !== null) return loose;
  const packed = read(join(common, "packed-refs"))
    ?.split("\n")
    .find((line) => line.endsWith(` ${ref}`));
  return shaOf(packed?.split(" ")[0] ?? null);
}

function shaOf(text: string | null): string | null {
  return text !== null && /^[0-9a-f]{40,64}$/.test(text) ? text : null;
}

function originOf(common: string): string | null {
  const sections = (read(join(common, "config")) ?? "").split(/^\s*\[/m);
  const origin = sections.find((section) => section.startsWith('remote "origin"]'));
  return /^\s*url\s*=\s*(.+?)\s*$/m.exec(origin ?? "")?.[1] ?? null;
}

function readLine(file: string): string | null {
  return read(file)?.trim() ?? null;
}

function read(file: string): string | null {
  return readTextSync(file, MAX_BYTES);
}
