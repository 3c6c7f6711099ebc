/**
 * The files that determine which programs git runs: the settings and the hooks of the repository that it
 * finds. Nearly every git command reads both.
 */
import { lstatSync, readdirSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { readTextSync } from "../../base/read-regular-file.ts";
import { gitFolders } from "../../sandbox/bounds.ts";
import type { ExecEnv } from "./expand-variables.ts";
import type { GitUse } from "./git-command.ts";
import type { HasSubmodules } from "./git-index.ts";

export interface GitFiles {
  /** Listed whether they exist or not: a repository created in between would take precedence. */
  readonly files: readonly string[];
  /** Why the programs that git runs cannot be determined; null where they can. */
  readonly unpinnable: string | null;
}

export interface GitMachine {
  readonly isSandboxWritable: (path: string) => boolean;
  readonly hasSubmodules: HasSubmodules;
}

const MAX_SETTINGS_BYTES = 1 << 18;
const HOOKS_PATH = /^[^\S\n]*(?:\[core\][^\S\n]*)?hookspath[^\S\n]*=[^\S\n]*"?([^"\n;#]+)/gim;

const INCLUDE = /^[^\S\n]*\[include/im;
const INCLUDED_PATH = /^[^\S\n]*(?:\[include[^\]\n]*\][^\S\n]*)?path[^\S\n]*=[^\S\n]*"?([^"\n;#]+)/gim;

const HOOKS = (
  "applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit " +
  "pre-rebase post-checkout post-merge pre-push pre-auto-gc post-rewrite reference-transaction post-index-change " +
  "sendemail-validate fsmonitor-watchman push-to-checkout"
).split(" ");

/** The files for a git command in a folder. */
export function gitFiles(
  folder: string,
  use: Exclude<GitUse["kind"], "open">,
  { env }: Pick<ExecEnv, "env">,
  machine: GitMachine,
): GitFiles {
  const files: string[] = [];
  for (let ancestor = folder; ; ancestor = dirname(ancestor)) {
    const dotGit = join(ancestor, ".git");
    files.push(dotGit);
    if (exists(dotGit)) {
      const repository = readRepository(ancestor, env);
      return {
        files: [...files, ...repository.files],
        unpinnable: unpinnableBy(files, machine) ?? unpinnableIn(ancestor, use, repository, machine),
      };
    }
    // A folder may be a bare repository, without a `.git` entry.
    const head = join(ancestor, "HEAD");
    files.push(head);
    if (exists(head)) files.push(join(ancestor, "config"));
    if (ancestor === dirname(ancestor)) return { files, unpinnable: unpinnableBy(files, machine) };
  }
}

/** The content could be replaced between the check and the call. */
function unpinnableBy(files: readonly string[], { isSandboxWritable }: GitMachine): string | null {
  const open = files.find(isSandboxWritable);
  return open === undefined
    ? null
    : `sandboxed commands can make a repository of ${dirname(open)}, which git would use`;
}

interface Repository {
  readonly files: readonly string[];
  /** The directories with its index, settings and hooks. */
  readonly folders: readonly string[];
  readonly hooksPaths: readonly string[];
  /** Settings files included by others. */
  readonly included: readonly string[];
}

function readRepository(top: string, env: ExecEnv["env"]): Repository {
  const dotGit = join(top, ".git");
  const folders = [dotGit, ...gitFolders(dotGit)];
  const settings = folders.flatMap((folder) => [join(folder, "config"), join(folder, "config.worktree")]);
  const texts = [...settings, ...settingsOfUser(env)].map((file) => ({
    file,
    text: readTextSync(file, MAX_SETTINGS_BYTES) ?? "",
  }));
  const fromHome = (path: string) => path.replace(/^~(?=\/)/, env["HOME"] ?? "~");
  const hooksPaths = valuesIn(texts, HOOKS_PATH).map(({ value }) => resolve(top, fromHome(value)));
  const included = valuesIn(
    texts.filter(({ text }) => INCLUDE.test(text)),
    INCLUDED_PATH,
  ).map(({ file, value }) => resolve(dirname(file), fromHome(value)));
  // Hook managers store the scripts that they call in the parent folder.
  const hooks = hooksPaths.flatMap((path) =>
    HOOKS.flatMap((hook) => [join(path, hook), join(dirname(path), hook)]),
  );
  return { files: [...settings, ...included, ...hooks], folders, hooksPaths, included };
}

function unpinnableIn(
  top: string,
  use: Exclude<GitUse["kind"], "open">,
  { folders, hooksPaths, included }: Repository,
  { hasSubmodules, isSandboxWritable }: GitMachine,
): string | null {
  const settings = included.find(isSandboxWritable);
  if (settings !== undefined) return `git includes ${settings}, which sandboxed commands can write`;
  const withSubmodules = `git runs itself in the submodules of ${top}, whose settings lie among the files`;
  if (exists(join(top, ".gitmodules"))) return withSubmodules;
  for (const folder of folders) {
    const found = hasSubmodules(join(folder, "index"));
    if (found === null) return `${join(folder, "index")} cannot be read, so that it may have submodules`;
    if (found) return withSubmodules;
  }
  if (use === "reads") return null;
  const hook = [...folders.map((folder) => join(folder, "hooks")), ...hooksPaths].flatMap(hooksIn)[0];
  return hook === undefined ? null : `git runs ${hook}, which may run files of the folder`;
}

function hooksIn(folder: string): string[] {
  try {
    return readdirSync(folder)
      .filter((name) => HOOKS.includes(name))
      .map((name) => join(folder, name));
  } catch {
    return [];
  }
}

function settingsOfUser(env: ExecEnv["env"]): string[] {
  const home = env["HOME"] ?? "";
  const config = env["XDG_CONFIG_HOME"] ?? join(home, ".config");
  return [join(home, ".gitconfig"), join(config, "git/config")].filter(isAbsolute);
}

interface SettingsText {
  readonly file: string;
  readonly text: string;
}

function valuesIn(
  texts: readonly SettingsText[],
  pattern: RegExp,
): { readonly file: string; readonly value: string }[] {
  return texts.flatMap(({ file, text }) =>
    [...text.matchAll(pattern)].map(([, value = ""]) => ({ file, value: value.trim() })),
  );
}

/** False for a name that the system rejects. */
function exists(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
