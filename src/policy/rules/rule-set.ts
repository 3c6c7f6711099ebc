/** Rules for commands and hosts, and their matching. */
import { basename, isAbsolute } from "node:path";

/** In increasing strictness; of several matching rules, the strictest applies. */
export type RuleDecision = "allow" | "prompt" | "forbidden";

export interface PrefixRule {
  /** The alternatives for each word of the command prefix. */
  readonly pattern: readonly (readonly string[])[];
  readonly decision: RuleDecision;
  readonly justification: string | null;
  /** The file that defines it, if any, and its line there, counted from one. */
  readonly file?: string;
  readonly line?: number;
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
  /** The paths at which a program matches rules for its name. */
  readonly hostExecutables: ReadonlyMap<string, readonly string[]>;
}

export interface RuleMatch {
  readonly rule: PrefixRule;
  /** The matched words. */
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

/** Programs in folders that only the administrator can write. */
const SYSTEM_PROGRAM = /^\/(?:usr\/(?:local\/)?)?s?bin\/[^/]+$/;

export interface RuleMatcher {
  /** All rules that match the first words of a command. */
  match(argv: readonly string[]): RuleMatch[];
  /** The length of the longest pattern. */
  readonly maxPatternLength: number;
}

/**
 * Rules indexed by program, in order. A program given by its path matches rules for its name if no rule names the path.
 * Without configured host executables, an allow rule applies only to system paths: otherwise any writable file could be
 * given the name of an allowed program.
 */
export function createMatcher({ prefixRules, hostExecutables }: RuleSet): RuleMatcher {
  const byProgram = new Map<string, PrefixRule[]>();
  let maxPatternLength = 1;
  for (const rule of prefixRules) {
    maxPatternLength = Math.max(maxPatternLength, rule.pattern.length);
    for (const program of new Set(rule.pattern[0])) {
      const rules = byProgram.get(program) ?? [];
      rules.push(rule);
      byProgram.set(program, rules);
    }
  }

  function matchWords(program: string, argv: readonly string[]): RuleMatch[] {
    const matching = (byProgram.get(program) ?? []).filter(({ pattern }) =>
      pattern.every((words, index) => index === 0 || words.includes(argv[index] ?? "\0")),
    );
    return matching.map((rule) => ({ rule, prefix: [program, ...argv.slice(1, rule.pattern.length)] }));
  }

  return {
    maxPatternLength,
    match(argv) {
      const [program] = argv;
      if (program === undefined) return [];
      const exact = matchWords(program, argv);
      if (exact.length > 0 || !isAbsolute(program)) return exact;
      const name = basename(program);
      const byName = matchWords(name, argv);
      const programPaths = hostExecutables.get(name);
      if (programPaths !== undefined) return programPaths.includes(program) ? byName : [];
      return SYSTEM_PROGRAM.test(program) ? byName : byName.filter(({ rule }) => rule.decision !== "allow");
    },
  };
}

/** All rules that match. */
export function matchRules(rules: RuleSet, argv: readonly string[]): RuleMatch[] {
  return createMatcher(rules).match(argv);
}

/** Appends the second set's rules; its host executables replace those of the first. */
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
