/** The rule that a user is offered together with the question about a command. */
import type { CallEvaluation, CommandEvaluation } from "./evaluate-command.ts";
import { type RuleSet, withAllowedPrefix } from "./rules/rule-set.ts";

export interface Proposal {
  readonly rules: RuleSet;
  readonly evaluations: readonly CommandEvaluation[];
  /** The beginning that the model would like to have allowed. */
  readonly wanted: readonly string[] | null;
  /** Judges the call anew under other rules. */
  readonly evaluate: (rules: RuleSet) => CallEvaluation;
}

/**
 * The beginning of a command that the user may allow for good. Where a rule prompts there is none, because another
 * rule would not lift it.
 */
export function proposeAmendment(proposal: Proposal): string[] | null {
  return wantedPrefix(proposal) ?? firstUnruled(proposal.evaluations);
}

/** The model's wish counts when it is no empty phrase, meets no rule, and would settle the whole call. */
function wantedPrefix({ rules, evaluations, wanted, evaluate }: Proposal): string[] | null {
  if (wanted === null || wanted.length === 0 || isBannedPrefix(wanted)) return null;
  if (evaluations.some(({ matches }) => matches.length > 0)) return null;
  const extended = withAllowedPrefix(rules, wanted);
  return evaluate(extended).evaluations.every(({ decision }) => decision === "allow") ? [...wanted] : null;
}

function firstUnruled(evaluations: readonly CommandEvaluation[]): string[] | null {
  const isRuled = ({ decision, matches }: CommandEvaluation) => decision === "prompt" && matches.length > 0;
  if (evaluations.some(isRuled)) return null;
  const first = evaluations.find(({ decision }) => decision === "prompt");
  return first === undefined ? null : [...first.argv];
}

/** Beginnings that say too little to be allowed for good: programs that run whatever they are given. */
const BANNED: ReadonlySet<string> = new Set([
  ...combine(["/bin/bash", "/bin/sh", "/bin/zsh", "bash", "sh", "zsh"], ["", "-c", "-lc"]),
  ...combine(["dash", "fish", "ksh"], ["", "-c"]),
  ...combine(["cmd", "cmd.exe"], ["", "/c", "/k"]),
  ...combine(["powershell", "powershell.exe", "pwsh"], ["", "-Command", "-EncodedCommand", "-File", "-c"]),
  ...combine(["pwsh"], ["-e", "-ec", "-f"]),
  ...combine(["julia", "lua", "node", "nodejs", "perl", "ruby", "bun"], ["", "-e"]),
  ...combine(["python", "python3"], ["", "-", "-c"]),
  ...combine(["php"], ["", "-r"]),
  ...combine(["py"], ["", "-3"]),
  ...combine(["deno"], ["", "eval"]),
  ...combine(["bun", "npm", "pnpm", "yarn"], ["run"]),
  ...combine(["Rscript", "env", "git", "osascript", "pypy", "pypy3", "pythonw", "pyw", "rm", "sudo"], [""]),
]);

function combine(programs: readonly string[], options: readonly string[]): string[] {
  return programs.flatMap((program) =>
    options.map((option) => JSON.stringify(option === "" ? [program] : [program, option])),
  );
}

export function isBannedPrefix(prefix: readonly string[]): boolean {
  return BANNED.has(JSON.stringify(prefix));
}
