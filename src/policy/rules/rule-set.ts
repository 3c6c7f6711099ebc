/** Rules about commands and hosts, and how they are matched against a command. */
import { basename, isAbsolute } from "node:path";

/** From the mildest to the strictest; of several rules that match, the strictest counts. */
export type RuleDecision = "allow" | "prompt" | "forbidden";

export interface PrefixRule {
  /** Each place of the command's beginning, with the words that fit there. */
  readonly pattern: readonly (readonly string[])[];
  readonly decision: RuleDecision;
  readonly justification: string | null;
  /** The file that it stands in, where it stands in one. */
  readonly file?: string;
}

export type NetworkProtocol = "http" | "https" | "socks5_tcp" | "socks5_udp";

export interface NetworkRule {
  readonly host: string;
  readonly protocol: NetworkProtocol;
  readonly decision: RuleDecision;
  readonly justification: string | null;
}

export interface RuleSet {
  readonly prefixRules: readonly PrefixRule[];
  readonly networkRules: readonly NetworkRule[];
  /** The paths at which a program of that name is the one that rules mean. */
  readonly hostExecutables: ReadonlyMap<string, readonly string[]>;
}

export interface RuleMatch {
  readonly rule: PrefixRule;
  /** The words that the rule matched. */
  readonly prefix: readonly string[];
}

export const NO_RULES: RuleSet = { prefixRules: [], networkRules: [], hostExecutables: new Map() };

const STRICTNESS: Readonly<Record<RuleDecision, number>> = { allow: 0, prompt: 1, forbidden: 2 };

export function strictest(decisions: readonly RuleDecision[]): RuleDecision | null {
  return decisions.reduce<RuleDecision | null>(
    (worst, each) => (worst === null || STRICTNESS[each] > STRICTNESS[worst] ? each : worst),
    null,
  );
}

/** Where only the administrator puts programs. */
const SYSTEM_PROGRAM = /^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$/;

export interface RuleMatcher {
  /** All rules that match a command with these first words. */
  match(argv: readonly string[]): RuleMatch[];
  /** The most words that any rule looks at. */
  readonly longest: number;
}

/**
 * Rules in the order in which they stand, found by the program. One that is given by its path is known by its name
 * where no rule names the path. Where nobody has said which paths are meant, a rule that allows means those of the
 * system: whoever may write a file could otherwise give it the name of a program that is allowed.
 */
export function createMatcher({ prefixRules, hostExecutables }: RuleSet): RuleMatcher {
  const byProgram = new Map<string, PrefixRule[]>();
  let longest = 1;
  for (const rule of prefixRules) {
    longest = Math.max(longest, rule.pattern.length);
    for (const program of new Set(rule.pattern[0])) {
      const rules = byProgram.get(program) ?? [];
      rules.push(rule);
      byProgram.set(program, rules);
    }
  }

  function matchWords(program: string, argv: readonly string[]): RuleMatch[] {
    const fitting = (byProgram.get(program) ?? []).filter(({ pattern }) =>
      pattern.every((words, place) => place === 0 || words.includes(argv[place] ?? "\0")),
    );
    return fitting.map((rule) => ({ rule, prefix: [program, ...argv.slice(1, rule.pattern.length)] }));
  }

  return {
    longest,
    match(argv) {
      const [program] = argv;
      if (program === undefined) return [];
      const exact = matchWords(program, argv);
      if (exact.length > 0 || !isAbsolute(program)) return exact;
      const name = basename(program);
      const named = matchWords(name, argv);
      const places = hostExecutables.get(name);
      if (places !== undefined) return places.includes(program) ? named : [];
      return SYSTEM_PROGRAM.test(program) ? named : named.filter(({ rule }) => rule.decision !== "allow");
    },
  };
}

/** All rules that match. */
export function matchRules(rules: RuleSet, argv: readonly string[]): RuleMatch[] {
  return createMatcher(rules).match(argv);
}

/** The second set's rules come after the first's; its program paths replace the first's. */
export function mergeRules(first: RuleSet, second: RuleSet): RuleSet {
  return {
    prefixRules: [...first.prefixRules, ...second.prefixRules],
    networkRules: [...first.networkRules, ...second.networkRules],
    hostExecutables: new Map([...first.hostExecutables, ...second.hostExecutables]),
  };
}

export function withAllowedPrefix(rules: RuleSet, prefix: readonly string[], file?: string): RuleSet {
  const rule: PrefixRule = {
    pattern: prefix.map((word) => [word]),
    decision: "allow",
    justification: null,
    ...(file === undefined ? {} : { file }),
  };
  return { ...rules, prefixRules: [...rules.prefixRules, rule] };
}
