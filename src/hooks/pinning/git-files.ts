/**
 * What decides for git which programs it runs: settings of the repository that it finds, and hooks of its own where the
 * settings say that they lie among the files of the project. Both are read by nearly every call of it.
 */
import { lstatSync } from "node:fs";
import { dirname, isAbsolute, join, resolve } from "node:path";
import { readTextSync } from "../../base/read-regular-file.ts";
import { gitFolders } from "../../sandbox/bounds.ts";
import type { CommandPlace } from "./settle-variables.ts";

const MAX_SETTINGS_BYTES = 1 << 18;
const HOOKS_PATH = /^[^\S\n]*(?:\[core\][^\S\n]*)?hookspath[^\S\n]*=[^\S\n]*"?([^"\n;#]+)/gim;

const HOOKS = (
  "applypatch-msg pre-applypatch post-applypatch pre-commit pre-merge-commit prepare-commit-msg commit-msg post-commit " +
  "pre-rebase post-checkout post-merge pre-push pre-auto-gc post-rewrite reference-transaction post-index-change " +
  "sendemail-validate fsmonitor-watchman push-to-checkout"
).split(" ");

const GIT = /^(?:git(?:-.*)?|gh|glab|hub|jj|lazygit|tig)$/;

export function usesGit(program: string): boolean {
  return GIT.test(program);
}

/** Whether they are there or not: a repository that comes between the folder and its own would be taken instead. */
export function gitFiles(folder: string, { env }: Pick<CommandPlace, "env">): string[] {
  const files: string[] = [];
  for (let place = folder; ; place = dirname(place)) {
    const dotGit = join(place, ".git");
    files.push(dotGit);
    if (isThere(dotGit)) {
      const settings = settingsIn(dotGit);
      return [...files, ...settings, ...hooksOf(place, [...settings, ...settingsOfUser(env)], env)];
    }
    // A folder may be a repository itself, without files beside it.
    const head = join(place, "HEAD");
    files.push(head);
    if (isThere(head)) files.push(join(place, "config"));
    if (place === dirname(place)) return files;
  }
}

function settingsIn(dotGit: string): string[] {
  return [dotGit, ...gitFolders(dotGit)].flatMap((folder) => [
    join(folder, "config"),
    join(folder, "config.worktree"),
  ]);
}

function settingsOfUser(env: CommandPlace["env"]): string[] {
  const home = env["HOME"] ?? "";
  const config = env["XDG_CONFIG_HOME"] ?? join(home, ".config");
  return [join(home, ".gitconfig"), join(config, "git/config")].filter(isAbsolute);
}

function hooksOf(top: string, settings: readonly string[], env: CommandPlace["env"]): string[] {
  const texts = settings.map((file) => readTextSync(file, MAX_SETTINGS_BYTES) ?? "");
  const named = texts.flatMap((text) => [...text.matchAll(HOOKS_PATH)].map(([, path = ""]) => path.trim()));
  return [...new Set(named)].slice(-2).flatMap((path) => {
    const folder = resolve(top, path.replace(/^~(?=\/)/, env["HOME"] ?? "~"));
    // Programs that manage hooks keep what they call in the folder above their own.
    return HOOKS.flatMap((hook) => [join(folder, hook), join(dirname(folder), hook)]);
  });
}

/** Not for a name that the system refuses to look for. */
function isThere(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false;
  }
}
