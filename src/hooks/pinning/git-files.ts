/**
 * What decides for git which programs it runs: settings of the repository that it finds, and hooks of its own. Both
 * are read by nearly every call of it.
 */
import { lstatSync, readdirSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { readTextSync } from "../../base/read-regular-file.ts";
import { gitFolders } from "../../sandbox/bounds.ts";
import type { ExecEnv } from "./expand-variables.ts";
import type { GitUse } from "./git-command.ts";
import type { HasSubmodules } from "./git-index.ts";

export interface GitFiles {
  /** Whether they are there or not: a repository that comes between the folder and its own would be taken instead. */
  readonly files: readonly string[];
  /** Why it cannot be told what git runs; null where it can. */
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

/** Of a call of git in a folder. */
export function gitFiles(
  folder: string,
  use: Exclude<GitUse["kind"], "open">,
  { env }: Pick<ExecEnv, "env">,
  machine: GitMachine,
): GitFiles {
  const files: string[] = [];
  for (let place = folder; ; place = dirname(place)) {
    const dotGit = join(place, ".git");
    files.push(dotGit);
    if (isThere(dotGit)) {
      const repository = readRepository(place, env);
      return {
        files: [...files, ...repository.files],
        unpinnable: unpinnableBy(files, machine) ?? unpinnableIn(place, use, repository, machine),
      };
    }
    // A folder may be a repository itself, without files beside it.
    const head = join(place, "HEAD");
    files.push(head);
    if (isThere(head)) files.push(join(place, "config"));
    if (place === dirname(place)) return { files, unpinnable: unpinnableBy(files, machine) };
  }
}

/** Its content could be replaced between the look at it and the call. */
function unpinnableBy(files: readonly string[], { isSandboxWritable }: GitMachine): string | null {
  const open = files.find(isSandboxWritable);
  return open === undefined
    ? null
    : `sandboxed commands can make a repository of ${dirname(open)}, which git would use`;
}

interface Repository {
  readonly files: readonly string[];
  /** With its index, settings and hooks. */
  readonly folders: readonly string[];
  readonly hooksPaths: readonly string[];
  /** Settings that others include. */
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
  // Programs that manage hooks keep what they call in the folder above their own.
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
  if (isThere(join(top, ".gitmodules"))) return withSubmodules;
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

/** Not for a name that the system refuses to look for. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
