/** The rule that is offered to the user with the question about a command. */
import type { CallEvaluation, CommandEvaluation } from "./evaluate-command.ts";
import { type RuleSet, withAllowedPrefix } from "./rules/rule-set.ts";

export interface Proposal {
  readonly rules: RuleSet;
  readonly evaluations: readonly CommandEvaluation[];
  /** The command prefix that the model requests to be allowed. */
  readonly requestedPrefix: readonly string[] | null;
  /** Evaluates the call with other rules. */
  readonly evaluate: (rules: RuleSet) => CallEvaluation;
}

/**
 * The command prefix that the user may allow permanently. There is none if a rule prompts, because an allow rule does not
 * override it.
 */
export function proposeAmendment(proposal: Proposal): string[] | null {
  return wantedPrefix(proposal) ?? firstUnruled(proposal.evaluations);
}

/** The model's prefix is used if it is specific, no rule matches, and it would allow the whole call. */
function wantedPrefix({ rules, evaluations, requestedPrefix, evaluate }: Proposal): string[] | null {
  if (requestedPrefix === null || requestedPrefix.length === 0 || isBannedPrefix(requestedPrefix))
    return null;
  if (evaluations.some(({ matches }) => matches.length > 0)) return null;
  const extended = withAllowedPrefix(rules, requestedPrefix);
  return evaluate(extended).evaluations.every(({ decision }) => decision === "allow")
    ? [...requestedPrefix]
    : null;
}

function firstUnruled(evaluations: readonly CommandEvaluation[]): string[] | null {
  const isRuled = ({ decision, matches }: CommandEvaluation) => decision === "prompt" && matches.length > 0;
  if (evaluations.some(isRuled)) return null;
  const first = evaluations.find(({ decision }) => decision === "prompt");
  return first === undefined ? null : [...first.argv];
}

/** Prefixes that are too general to be allowed permanently: programs that execute their arguments. */
const BANNED_PREFIXES: ReadonlySet<string> = new Set([
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
  return BANNED_PREFIXES.has(JSON.stringify(prefix));
}
