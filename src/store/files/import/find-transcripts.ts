/** Which transcripts there are under a folder, the oldest first. */
import { readdir, stat } from "node:fs/promises";
import { join } from "node:path";
import { osErrorText } from "../../../base/os-error.ts";

export interface FoundTranscript {
  readonly path: string;
  readonly size: number;
}

export interface FoundTranscripts {
  readonly files: readonly FoundTranscript[];
  /** Files that are no sessions of their own, and folders that cannot be read. */
  readonly leftOut: readonly { readonly path: string; readonly reason: string }[];
}

/** The given path may be a folder, with folders below it, or one file, whatever its name. */
export async function findTranscripts(roots: readonly string[]): Promise<FoundTranscripts> {
  const files: (FoundTranscript & { readonly changedMs: number })[] = [];
  const leftOut: { path: string; reason: string }[] = [];
  const seen = new Set<string>();

  async function look(path: string, isGiven: boolean): Promise<void> {
    if (seen.has(path)) return;
    seen.add(path);
    try {
      const status = await stat(path);
      if (status.isDirectory()) {
        for (const name of (await readdir(path)).sort()) await look(join(path, name), false);
        return;
      }
      if (!isGiven && !path.endsWith(".jsonl")) return;
      if (!isGiven && isSubAgent(path)) leftOut.push({ path, reason: "transcript of a sub-agent" });
      else files.push({ path, size: status.size, changedMs: status.mtimeMs });
    } catch (error) {
      leftOut.push({ path, reason: `cannot be read: ${osErrorText(error)}` });
    }
  }

  for (const root of roots) await look(root, true);
  files.sort((one, other) => one.changedMs - other.changedMs || (one.path < other.path ? -1 : 1));
  return { files: files.map(({ path, size }) => ({ path, size })), leftOut };
}

/** What a sub-agent did is told by the result of the call that started it. */
function isSubAgent(path: string): boolean {
  return /(?:^|\/)(?:agent-[^/]*\.jsonl$|subagents\/)/.test(path);
}
