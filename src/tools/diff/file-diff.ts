/** The diff of one file in git's format, which `git apply` accepts. */
import { isUtf8 } from "node:buffer";
import { unifiedDiff } from "./unified-diff.ts";

/** A snapshot of a file, as far as a diff can show it. */
export interface FileSnapshot {
  /** The content, or the target of a symlink. */
  readonly bytes: Buffer;
  readonly kind: "file" | "link";
  readonly executable: boolean;
}

/** The change of one file. `path` is absolute and names the file itself, not a symlink to it. */
export interface FileEdit {
  readonly path: string;
  readonly before: FileSnapshot | undefined;
  readonly after: FileSnapshot | undefined;
  /**
   * The file whose content this derives from: itself for an update, another for a move, none for a new file.
   */
  readonly derivedFrom?: string;
}

export interface FileSide {
  /** The displayed path: relative to the root where possible, with slashes. */
  readonly path: string;
  readonly state: FileSnapshot | undefined;
}

const CONTEXT_LINES = 3;
const NO_BLOB = "0".repeat(40);

/** Empty if the two sides are equal. */
export function fileDiff(before: FileSide, after: FileSide): string {
  if (sameState(before.state, after.state)) return before.path === after.path ? "" : rename(before, after);
  const oldName = quote(`a/${before.path}`);
  const newName = quote(`b/${after.path}`);
  const left = before.state === undefined ? "/dev/null" : oldName;
  const right = after.state === undefined ? "/dev/null" : newName;
  const head = `diff --git ${oldName} ${newName}\n${modeLines(before.state, after.state)}`;
  const old = before.state?.bytes ?? Buffer.alloc(0);
  const young = after.state?.bytes ?? Buffer.alloc(0);
  if (before.state !== undefined && after.state !== undefined && old.equals(young)) return head;

  const index = `index ${blobId(before.state)}..${blobId(after.state)}\n`;
  if (!isUtf8(old) || !isUtf8(young)) return `${head}${index}Binary files ${left} and ${right} differ\n`;
  const hunks = unifiedDiff(old.toString(), young.toString(), CONTEXT_LINES);
  return head + index + (hunks === "" ? "" : `--- ${left}\n+++ ${right}\n${hunks}`);
}

function rename(before: FileSide, after: FileSide): string {
  const head = `diff --git ${quote(`a/${before.path}`)} ${quote(`b/${after.path}`)}\n`;
  return `${head}similarity index 100%\nrename from ${quote(before.path)}\nrename to ${quote(after.path)}\n`;
}

function modeLines(before: FileSnapshot | undefined, after: FileSnapshot | undefined): string {
  if (before === undefined) return after === undefined ? "" : `new file mode ${gitMode(after)}\n`;
  if (after === undefined) return `deleted file mode ${gitMode(before)}\n`;
  const old = gitMode(before);
  const young = gitMode(after);
  return old === young ? "" : `old mode ${old}\nnew mode ${young}\n`;
}

function blobId(state: FileSnapshot | undefined): string {
  return state === undefined ? NO_BLOB : gitBlobId(state.bytes);
}

/** A control character in a name would break its line; git writes such names as C strings. */
function quote(name: string): string {
  if (!hasControl(name)) return name;
  const escaped = Array.from(Buffer.from(name), (byte) => {
    if (byte === 0x22 || byte === 0x5c) return `\\${String.fromCharCode(byte)}`;
    if (byte < 0x20 || byte >= 0x7f) return `\\${byte.toString(8).padStart(3, "0")}`;
    return String.fromCharCode(byte);
  });
  return `"${escaped.join("")}"`;
}

function hasControl(name: string): boolean {
  return Array.from(name).some((character) => character < " " || character === "\x7f");
}

function sameState(a: FileSnapshot | undefined, b: FileSnapshot | undefined): boolean {
  if (a === undefined || b === undefined) return a === b;
  return a.kind === b.kind && a.executable === b.executable && a.bytes.equals(b.bytes);
}

/** The mode that git records. */
function gitMode(state: FileSnapshot): string {
  if (state.kind === "link") return "120000";
  return state.executable ? "100755" : "100644";
}

/** The git blob id of the content. */
function gitBlobId(bytes: Uint8Array): string {
  const { createHash } = process.getBuiltinModule("node:crypto");
  return createHash("sha1").update(`blob ${bytes.length}\0`).update(bytes).digest("hex");
}
