/**
 * Whether what a hook runs is still what its trust was given to. While no confined command can have written a file, it
 * is its user's, and is pinned as it is; from then on it must stay so. A file that could have been written and was
 * never pinned is as good as changed, except at the first sight of a trust: that is when it is pinned.
 */
import type { NamedFiles } from "./named-files.ts";

/** The digest of a file's content, or what is there in place of a regular file. */
export type Digest = `sha256:${string}` | "absent" | "folder" | "odd";

/** What was pinned for a hook. */
export interface PinRecord {
  /** By path. */
  readonly files: ReadonlyMap<string, Digest>;
  /** Its user wants it to run although it cannot be told what it runs. */
  readonly isUnpinned: boolean;
}

export interface ContentChange {
  readonly path: string;
  readonly change: "changed" | "added" | "vanished" | "odd";
}

export type ContentVerdict =
  /** What is to be kept as well; empty where everything is known. */
  | { readonly kind: "same"; readonly pins: ReadonlyMap<string, Digest> }
  | { readonly kind: "changed"; readonly changes: readonly ContentChange[] }
  | { readonly kind: "unsettled"; readonly reason: string };

export interface ContentQuestion {
  readonly named: NamedFiles;
  readonly cwd: string;
  /** Null at the first sight of a trust. */
  readonly record: PinRecord | null;
  readonly isSandboxWritable: (path: string) => boolean;
  readonly digest: (path: string) => Promise<Digest>;
}

export async function judgeContent(question: ContentQuestion): Promise<ContentVerdict> {
  const { named, cwd, record, isSandboxWritable } = question;
  const pins = new Map<string, Digest>();
  if (record?.isUnpinned === true) return { kind: "same", pins };
  const candidates = await candidatesOf(question);
  const written = new Set(candidates.filter(isSandboxWritable));
  const isReached = written.size > 0 || isSandboxWritable(cwd);
  if (named.unsettled !== null && isReached) return { kind: "unsettled", reason: named.unsettled };
  const changes: ContentChange[] = [];
  for (const path of candidates) {
    const judged = await judgeFile(path, written.has(path), question);
    if (judged.change !== null) changes.push({ path, change: judged.change });
    else if (judged.pin !== null) pins.set(path, judged.pin);
  }
  return changes.length > 0 ? { kind: "changed", changes } : { kind: "same", pins };
}

interface JudgedFile {
  readonly change: ContentChange["change"] | null;
  /** What it is to be pinned to. */
  readonly pin: Digest | null;
}

async function judgeFile(
  path: string,
  isWritten: boolean,
  { record, named, digest: digestOf }: ContentQuestion,
): Promise<JudgedFile> {
  const pinned = record?.files.get(path);
  if (!isWritten && (pinned !== undefined || named.programs.includes(path)))
    return { change: null, pin: null };
  const digest = await digestOf(path);
  if (isWritten && digest === "odd") return { change: "odd", pin: null };
  const isFirst = pinned === undefined && (record === null || !isWritten);
  return isFirst ? { change: null, pin: digest } : { change: changeOf(pinned, digest), pin: null };
}

/** A word that named nothing when it was pinned is no name. */
async function candidatesOf({
  named,
  record,
  isSandboxWritable,
  digest,
}: ContentQuestion): Promise<string[]> {
  const candidates = new Set([...named.files, ...named.programs]);
  for (const path of named.guesses) {
    const isNew = record === null || !isSandboxWritable(path);
    if (record?.files.has(path) === true || (isNew && (await digest(path)).startsWith("sha256:")))
      candidates.add(path);
  }
  return [...candidates];
}

/** Null for none. */
function changeOf(was: Digest | undefined, digest: Digest): ContentChange["change"] | null {
  const pinned = was ?? "absent";
  if (pinned === digest) return null;
  if (digest === "absent") return "vanished";
  return pinned === "absent" ? "added" : "changed";
}
