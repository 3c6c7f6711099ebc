/**
 * Decides whether a hook still runs the content that was trusted. While no sandboxed command can have written
 * a file, the file is the user's own and is pinned as it is; from then on it must not change. A file that
 * could have been written and was never pinned counts as changed, except on the first check of a trusted
 * hook, which pins it.
 */
import type { FileDigests } from "./file-digests.ts";
import type { NamedFiles } from "./named-files.ts";

/** The digest of a file's content, or what is found in place of a regular file. */
export type Digest = `sha256:${string}` | "absent" | "folder" | "odd";

/** The stored pins of a hook. */
export interface PinRecord {
  /** Keyed by path. */
  readonly files: ReadonlyMap<string, Digest>;
  /** The user allows it to run although the files that it runs cannot be determined. */
  readonly isUnpinned: boolean;
  /** Its command text determined which files run on an earlier check. */
  readonly isPinnable: boolean;
}

export interface ContentChange {
  readonly path: string;
  readonly change: "changed" | "added" | "vanished" | "odd";
}

export type ContentVerdict =
  | {
      readonly kind: "same";
      /** New pins to store; empty where everything is already pinned. */
      readonly pins: ReadonlyMap<string, Digest>;
      /** The files that sandboxed commands can write. */
      readonly writable: ReadonlyMap<string, Digest>;
    }
  | { readonly kind: "changed"; readonly changes: readonly ContentChange[] }
  | { readonly kind: "unpinnable"; readonly reason: string };

export interface ContentCheck {
  readonly named: NamedFiles;
  readonly cwd: string;
  /** Null on the first check of a trusted hook. */
  readonly record: PinRecord | null;
  readonly isSandboxWritable: (path: string) => boolean;
  readonly digests: FileDigests;
}

export async function judgeContent(question: ContentCheck): Promise<ContentVerdict> {
  const { named, cwd, record, isSandboxWritable } = question;
  const pins = new Map<string, Digest>();
  const writable = new Map<string, Digest>();
  if (record?.isUnpinned === true) return { kind: "same", pins, writable };
  const candidates = await candidatesOf(question);
  const changes: ContentChange[] = [];
  let isReached = isSandboxWritable(cwd);
  for (const path of candidates) {
    const isWritable = isSandboxWritable(path);
    isReached ||= isWritable;
    const judged = await judgeFile(path, isWritable, question);
    if (judged.change !== null) changes.push({ path, change: judged.change });
    else if (judged.isNew) pins.set(path, judged.digest);
    if (isWritable && judged.change === null) writable.set(path, judged.digest);
  }
  // The command text may be undetermined only because a file was removed.
  if (changes.length > 0 && record !== null) return { kind: "changed", changes };
  if (named.unpinnable !== null && isReached) return { kind: "unpinnable", reason: named.unpinnable };
  return changes.length > 0 ? { kind: "changed", changes } : { kind: "same", pins, writable };
}

type JudgedFile =
  | { readonly change: ContentChange["change"] }
  | { readonly change: null; readonly digest: Digest; readonly isNew: boolean };

async function judgeFile(
  path: string,
  isWritable: boolean,
  { record, named, digests }: ContentCheck,
): Promise<JudgedFile> {
  const pinned = record?.files.get(path);
  if (!isWritable && (pinned !== undefined || named.programs.includes(path)))
    return { change: null, digest: pinned ?? "absent", isNew: false };
  const digest = await (isWritable ? digests.fresh(path) : digests.cached(path));
  if (isWritable && digest === "odd") return { change: "odd" };
  if (pinned === undefined && (record === null || !isWritable)) return { change: null, digest, isNew: true };
  const change = changeOf(pinned, digest);
  return change === null ? { change, digest, isNew: false } : { change };
}

/** A word that named no file when it was pinned is not a file name. */
async function candidatesOf(question: ContentCheck): Promise<string[]> {
  const { named, record, isSandboxWritable, digests } = question;
  const candidates = new Set([...named.files, ...named.programs]);
  for (const path of named.guesses) {
    if (record?.files.has(path) === true) candidates.add(path);
    else if (record === null || !isSandboxWritable(path)) {
      const digest = await (isSandboxWritable(path) ? digests.fresh(path) : digests.cached(path));
      if (digest.startsWith("sha256:")) candidates.add(path);
    }
  }
  return [...candidates];
}

/** Null without a change. */
function changeOf(was: Digest | undefined, digest: Digest): ContentChange["change"] | null {
  const pinned = was ?? "absent";
  if (pinned === digest) return null;
  if (digest === "absent") return "vanished";
  return pinned === "absent" ? "added" : "changed";
}
