/** Whether the arguments of git themselves name another repository, a program to run, or a file to write. */
import type { Span } from "../trust/span.ts";

/** Options before the subcommand that change nothing about what is run. */
const HARMLESS = new Set(
  "--no-pager -P --no-optional-locks --literal-pathspecs --glob-pathspecs --noglob-pathspecs --icase-pathspecs --no-replace-objects --no-lazy-fetch --version -v --help -h".split(
    " ",
  ),
);
/** Long options of subcommands with which they run what they are told, or write where they are told. */
const STEERING =
  "config config-env exec exec-path ext-diff extcmd git-dir gpg-sign open-files-in-pager output output-directory receive-pack recurse-submodules server-option template tool upload-pack work-tree".split(
    " ",
  );
/** Letters that mean the same, for the subcommands that have them. */
const STEERING_LETTERS: Readonly<Record<string, string>> = {
  archive: "o",
  clone: "cu",
  "format-patch": "o",
  grep: "O",
  rebase: "x",
};
/** Subcommands that exist to run or configure something. */
const STEERING_COMMANDS = new Set(
  "bisect config difftool filter-branch hook init instaweb maintenance mergetool p4 send-email submodule svn worktree".split(
    " ",
  ),
);

export function isSteeredByArguments({ words, from, to }: Span): boolean {
  let at = from + 1;
  while (at < to && words[at]?.startsWith("-") === true) {
    if (!HARMLESS.has(words[at] ?? "")) return true;
    at += 1;
  }
  const command = words[at] ?? "";
  if (STEERING_COMMANDS.has(command)) return true;
  const letters = Object.hasOwn(STEERING_LETTERS, command) ? (STEERING_LETTERS[command] ?? "") : "";
  for (at += 1; at < to; at += 1) {
    const word = words[at] ?? "";
    if (word === "--") return false;
    if (word.startsWith("--") ? isSteeringOption(word) : hasLetter(word, letters)) return true;
  }
  return false;
}

/** git understands as much of a name as tells it apart. */
function isSteeringOption(word: string): boolean {
  const name = word.slice(2).split("=", 1)[0] ?? "";
  return STEERING.some((option) => option.startsWith(name));
}

function hasLetter(word: string, letters: string): boolean {
  return word.startsWith("-") && letters.split("").some((letter) => word.includes(letter));
}
