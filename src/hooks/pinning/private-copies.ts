/**
 * Copies of scripts that sandboxed commands can write, stored in the home, where they cannot. A hook runs the
 * copy of the pinned content: writes to the script between the check and the start of the hook, or to files
 * beside it that the interpreter would load, have no effect.
 */
import { createHash } from "node:crypto";
import { chmod, mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import { messageOf } from "../../base/errors.ts";
import { readRegularFile } from "../../base/read-regular-file.ts";
import { MAX_PINNED_BYTES } from "./file-digests.ts";
import { loadsModules } from "./interpreters.ts";
import type { Digest } from "./judge-content.ts";

export type PrivateCopy =
  | { readonly kind: "copied"; readonly path: string }
  /** The content no longer matches the digest. */
  | { readonly kind: "changed" }
  /** The script loads files from its own folder. */
  | { readonly kind: "loadsOthers" }
  | { readonly kind: "failed"; readonly message: string };

export type PrivateCopies = (path: string, digest: Digest) => Promise<PrivateCopy>;

const MAX_COPIES = 256;

/** Patterns of a script that loads files from its own folder. */
const LOADS_OTHERS = [
  /\bBASH_SOURCE\b|\$\{0[%#:]|(?:dirname|realpath|readlink)\b[^\n]*\$\{?0\b|\$\{?\(%\):-%[xN]/,
  /\b__(?:file|dirname|filename|FILE|DIR|dir)__?\b|\bimport\.meta\b|\bFindBin\b|\brequire_relative\b/,
  /\b(?:require|import|from|source|load|do|include(?:_once)?|require_once)\b[\s(]*["'`]\.{1,2}\//,
  /^\s*from\s+\.+\w*\s+import\b/m,
  // A shell script sourced from the hook's working folder, by a name that is neither a system path nor in the
  // user's home.
  /(?:^|[;&|(){}]|\b(?:then|do|else)\b)\s*(?:source|\.)\s+(?!["']?(?:\/|~\/|\$HOME\/|\$\{HOME\}\/))\S/m,
];

/** Node strips type imports. */
const TYPES = /\bimport\s+type\b[^;"'`]*["'`][^"'`]*["'`]/g;

export function openPrivateCopies(home: string, createId: () => string): PrivateCopies {
  const folder = join(home, "hook-copies");
  return async (path, digest) => {
    const copyFolder = join(folder, digest.slice("sha256:".length));
    const copy = join(copyFolder, basename(path));
    // The hook itself may have modified its copy.
    if ((await readIf(copy, digest)) !== null) return { kind: "copied", path: copy };
    const bytes = await readIf(path, digest);
    if (bytes === null) return { kind: "changed" };
    if (loadsOthers(path, bytes)) return { kind: "loadsOthers" };
    try {
      await mkdir(copyFolder, { recursive: true, mode: 0o700 });
      const draft = join(copyFolder, `.${createId()}`);
      await writeFile(draft, bytes, { mode: 0o600, flag: "wx" });
      await chmod(draft, 0o500);
      await rename(draft, copy);
      await removeOldest(folder);
      return { kind: "copied", path: copy };
    } catch (error) {
      return { kind: "failed", message: messageOf(error) };
    }
  };
}

/** The content of a file; null where it does not match the digest. */
async function readIf(path: string, digest: Digest): Promise<Buffer | null> {
  const read = await readRegularFile(path, { maxBytes: MAX_PINNED_BYTES });
  if (read.kind === "refused") return null;
  return `sha256:${createHash("sha256").update(read.bytes).digest("hex")}` === digest ? read.bytes : null;
}

function loadsOthers(path: string, bytes: Buffer): boolean {
  // A binary has no such source text.
  if (bytes.subarray(0, 8192).includes(0)) return false;
  const text = bytes.toString("utf8");
  if (LOADS_OTHERS.some((pattern) => pattern.test(text))) return true;
  return /\.[cm]?[jt]s$/.test(path) && loadsModules("node", text.replaceAll(TYPES, ""));
}

async function removeOldest(folder: string): Promise<void> {
  const names = await readdir(folder);
  if (names.length <= MAX_COPIES) return;
  const aged = await Promise.all(
    names.map(async (name) => ({ name, at: (await stat(join(folder, name))).mtimeMs })),
  );
  aged.sort((one, other) => one.at - other.at);
  for (const { name } of aged.slice(0, names.length - MAX_COPIES))
    await rm(join(folder, name), { recursive: true, force: true });
}
