/**
 * Facts about programs by name. A program is known when it runs only what its arguments name: any unlisted
 * program may run files of its folder (plugins, recipes, tool versions).
 */

/** These run nothing, whatever their arguments. Programs that copy or link files are not among them. */
const HARMLESS = new Set(
  (
    ": [ [[ alias base64 basename bg break cat cksum clear cmp column comm continue cut date declare df diff dirname " +
    "dirs disown du echo egrep exit expand export expr factor false fg fgrep file fmt fold free getconf getopts grep " +
    "groups hash head hexdump hostname id jobs join jq kill killall let local logger logname look ls mapfile md5sum " +
    "mkdir mktemp nl nproc notify-send numfmt od paste pathchk pgrep pkill printenv printf ps pwd read readarray " +
    "readlink readonly realpath return rev rg rm rmdir seq set sha1sum sha224sum sha256sum sha384sum sha512sum shasum " +
    "shift shopt shred shuf sleep sort stat strings sum sync tac tail tee test times touch tput tr true tsort tty type " +
    "typeset ulimit umask unalias uname unexpand uniq unset uptime wait wc which who whoami xxd yes yq"
  ).split(" "),
);

/** These run nothing; the files that they copy, link, fetch or play are named by their arguments. */
const WITH_FILE_ARGUMENTS = new Set(
  (
    "afplay aplay bzip2 chgrp chmod chown cp curl espeak espeak-ng gofmt gunzip gzip heddle ln mv paplay pbcopy " +
    "pbpaste say shellcheck terminal-notifier truncate unxz unzip unzstd wall wl-copy wl-paste xclip xsel xz " +
    "zcat zip zstd"
  ).split(" "),
);

/** An argument may make these run a program; they search for nothing else. */
export const WITH_CODE_ARGUMENTS: ReadonlySet<string> = new Set(
  "awk gawk mawk nawk sed gsed rsync scp sftp ssh tar gtar trap".split(" "),
);

/** For these, the value of `-f` is a file with code. */
export const WITH_CODE_FILES: ReadonlySet<string> = new Set("awk gawk mawk nawk sed gsed".split(" "));

/** These run programs, or pass files to them, whose names they read as data. */
export const NAMES_FROM_DATA: ReadonlySet<string> = new Set(
  "xargs parallel find fd fdfind entr source-highlight".split(" "),
);

/**
 * Folders of version managers, whose programs let a file of the working folder choose the program that runs.
 */
const VERSION_MANAGER =
  /\/(?:shims|\.volta|volta|\.?mise|\.?asdf|\.proto|corepack)\/|\/(?:rustup|volta-shim|mise|asdf|proto|corepack)$/;
/** These choose only among installed versions. */
const CHOOSES_INSTALLED = /\/\.?(?:pyenv|rbenv|nodenv)\/shims\//;

export function isHarmless(name: string): boolean {
  return HARMLESS.has(name);
}

/** Whether it runs only what its arguments name. Interpreters and git have rules of their own. */
export function isKnown(name: string): boolean {
  return HARMLESS.has(name) || WITH_FILE_ARGUMENTS.has(name) || WITH_CODE_ARGUMENTS.has(name);
}

/** `paths` are the file of a program and its resolved symlinks. */
export function isVersionManager(paths: readonly string[]): boolean {
  return paths.some((path) => VERSION_MANAGER.test(path) && !CHOOSES_INSTALLED.test(path));
}
