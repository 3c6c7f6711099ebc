/** Which other programs a git command may run, judged by its arguments. */
import { isOpen } from "./command-text.ts";

export type GitUse =
  /** Runs no git hooks, except those triggered by index updates. */
  | { readonly kind: "reads" }
  /** Runs the repository's git hooks. */
  | { readonly kind: "runsHooks" }
  /** May run any program. */
  | { readonly kind: "open"; readonly reason: string };

const READING = new Set(
  (
    "blame branch cat-file check-attr check-ignore config count-objects describe diff diff-files diff-index diff-tree " +
    "for-each-ref grep hash-object help log ls-files ls-tree merge-base name-rev rev-list rev-parse remote shortlog " +
    "show show-ref status symbolic-ref var version whatchanged"
  ).split(" "),
);

const HOOKED = new Set(
  (
    "add am apply checkout cherry-pick clean commit fetch gc init merge mv notes prune pull push rebase reset restore " +
    "revert rm stash switch tag update-index update-ref write-tree"
  ).split(" "),
);

const PLAIN_OPTIONS = new Set([
  "--no-pager",
  "-P",
  "--no-optional-locks",
  "--no-replace-objects",
  "--literal-pathspecs",
  "--version",
  "--help",
]);

/** Options of these commands that name a program. */
const RUNS =
  /^(?:-x|-O.*|--(?:exec|open-files-in-pager|upload-pack|receive-pack|ext-diff|textconv|recurse-submodules)(?:=.*)?)$/;

export function readGitCommand(args: readonly string[]): GitUse {
  let at = 0;
  for (; at < args.length; at += 1) {
    const arg = args[at] ?? "";
    if (isOpen(arg) || (arg === "-C" && isOpen(args[at + 1] ?? "")))
      return { kind: "open", reason: "what git does is only known when it runs" };
    if (arg === "-C") at += 1;
    else if (arg.startsWith("-") && !PLAIN_OPTIONS.has(arg))
      return { kind: "open", reason: `git ${arg.replace(/=.*/s, "")} decides what git runs` };
    else if (!arg.startsWith("-")) break;
  }
  const command = args[at];
  if (command === undefined) return { kind: "reads" };
  const option = args.slice(at + 1).find((arg) => RUNS.test(arg));
  if (option !== undefined)
    return { kind: "open", reason: `git ${command} ${option} may run other programs` };
  if (READING.has(command)) return { kind: "reads" };
  if (HOOKED.has(command)) return { kind: "runsHooks" };
  return { kind: "open", reason: `git ${command} may run other programs` };
}
