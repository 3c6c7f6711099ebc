import { realpath, stat } from "node:fs/promises";
import { dirname, join } from "node:path";

/** The folder that the names in a turn's diff are relative to: that of the repository, else `cwd` itself. */
export async function findDiffRoot(cwd: string): Promise<string> {
  const start = await realpath(cwd).catch(() => cwd);
  for (let folder = start; ; folder = dirname(folder)) {
    const marker = await stat(join(folder, ".git")).catch(() => undefined);
    if (marker !== undefined) return folder;
    if (folder === dirname(folder)) return start;
  }
}
