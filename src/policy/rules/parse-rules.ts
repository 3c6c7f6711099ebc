/** Parses a rules file: `prefix_rule(…)`, `network_rule(…)` and `host_executable(…)`. */
import { basename, isAbsolute } from "node:path";
import { joinWords, splitWords } from "../../base/shlex.ts";
import {
  bindArguments,
  isList,
  parseCalls,
  type RuleCall,
  type RuleValue,
  starlarkTypeOf,
} from "./parse-calls.ts";
import {
  matchRules,
  type NetworkProtocol,
  NO_RULES,
  type PrefixRule,
  type RuleDecision,
  type RuleSet,
} from "./rule-set.ts";
import { RulesError, type RulesRange, rangeOf, type SourceSpan } from "./rules-fault.ts";

/** Words in the patterns and examples of one file: names allow a short file to build any number. */
const MAX_WORDS = 262_144;

interface RulesDraft {
  words: number;
  /** The line of an offset; offsets only grow. */
  readonly lineOf: (offset: number) => number;
  readonly prefixRules: PrefixRule[];
  readonly networkRules: RuleSet["networkRules"][number][];
  readonly hostExecutables: Map<string, readonly string[]>;
  readonly examples: Examples[];
}

/** Example commands that a rule must or must not match; checked after the file is parsed. */
interface Examples {
  readonly rule: PrefixRule;
  readonly span: SourceSpan;
  readonly matching: readonly (readonly string[])[];
  readonly others: readonly (readonly string[])[];
}

export type ParsedRules =
  | { readonly ok: true; readonly rules: RuleSet }
  /** The rules before the error. */
  | { readonly ok: false; readonly rules: RuleSet; readonly range: RulesRange; readonly message: string };

/** Parses one file. Host executables of earlier files apply to its examples. */
export function parseRules(source: string, before: RuleSet = NO_RULES): ParsedRules {
  const draft: RulesDraft = {
    words: 0,
    lineOf: createLineCounter(source),
    prefixRules: [],
    networkRules: [],
    hostExecutables: new Map(),
    examples: [],
  };
  try {
    parseCalls(source, (call) => apply(call, draft));
    const programPaths = new Map([...before.hostExecutables, ...draft.hostExecutables]);
    for (const examples of draft.examples) tryExamples(examples, programPaths);
    return { ok: true, rules: draft };
  } catch (error) {
    if (!(error instanceof RulesError)) throw error;
    return { ok: false, rules: draft, range: rangeOf(source, error.span), message: error.message };
  }
}

function apply(call: RuleCall, draft: RulesDraft): void {
  if (call.name === "prefix_rule") addPrefixRule(call, draft);
  else if (call.name === "network_rule") addNetworkRule(call, draft);
  else if (call.name === "host_executable") addHostExecutable(call, draft);
  else throw new RulesError(`there is no rule called \`${call.name}\``, call.span);
}

function addPrefixRule(call: RuleCall, draft: RulesDraft): void {
  const given = bindArguments(call, ["pattern", "decision", "match", "not_match", "justification"]);
  const pattern = given
    .list("pattern")
    .map((each) => countWords(draft, readPatternElement(each, call.span), call.span));
  if (pattern.length === 0) throw invalid("pattern element", "pattern cannot be empty", call.span);
  const decision = readDecision(given.optionalText("decision") ?? "allow", call.span);
  const justification = readJustification(given, call.span);
  const rule = { pattern, decision, justification, line: draft.lineOf(call.span.from) };
  draft.examples.push({
    rule,
    span: call.span,
    matching: given
      .optionalList("match")
      .map((each) => countWords(draft, readExample(each, call.span), call.span)),
    others: given
      .optionalList("not_match")
      .map((each) => countWords(draft, readExample(each, call.span), call.span)),
  });
  draft.prefixRules.push(rule);
}

function createLineCounter(source: string): RulesDraft["lineOf"] {
  let line = 1;
  let next = source.indexOf("\n");
  return (offset) => {
    while (next !== -1 && next < offset) {
      line += 1;
      next = source.indexOf("\n", next + 1);
    }
    return line;
  };
}

function countWords(draft: RulesDraft, words: string[], span: SourceSpan): string[] {
  draft.words += words.length;
  if (draft.words > MAX_WORDS) throw new RulesError(`the rules have more than ${MAX_WORDS} words`, span);
  return words;
}

function addNetworkRule(call: RuleCall, draft: RulesDraft): void {
  const given = bindArguments(call, ["host", "protocol", "decision", "justification"]);
  const decision = given.text("decision");
  draft.networkRules.push({
    host: valueOf(readHost(given.text("host")), call.span),
    protocol: valueOf(readProtocol(given.text("protocol")), call.span),
    decision: decision === "deny" ? "forbidden" : readDecision(decision, call.span),
    justification: readJustification(given, call.span),
  });
}

function addHostExecutable(call: RuleCall, draft: RulesDraft): void {
  const given = bindArguments(call, ["name", "paths"]);
  const name = given.text("name");
  if (name === "") throw invalid("rule", "host_executable name cannot be empty", call.span);
  if (name.includes("/") || name === "." || name === "..")
    throw invalid("rule", `host_executable name must be a bare executable name (got ${name})`, call.span);
  const paths = given.list("paths").map((path) => readProgramPath(path, name, call.span));
  draft.hostExecutables.set(name, [...new Set(paths)]);
}

function readProgramPath(path: RuleValue, name: string, span: SourceSpan): string {
  if (typeof path !== "string")
    throw invalid("rule", `host_executable paths must be strings (got ${starlarkTypeOf(path)})`, span);
  if (!isAbsolute(path)) throw invalid("rule", `host_executable paths must be absolute (got ${path})`, span);
  if (basename(path) !== name)
    throw invalid("rule", `host_executable path \`${path}\` must have basename \`${name}\``, span);
  return path;
}

/** The alternatives of one pattern element. */
function readPatternElement(value: RuleValue, span: SourceSpan): string[] {
  if (typeof value === "string") return [value];
  if (!isList(value)) {
    const message = `pattern element must be a string or list of strings (got ${starlarkTypeOf(value)})`;
    throw invalid("pattern element", message, span);
  }
  if (value.length === 0) throw invalid("pattern element", "pattern alternatives cannot be empty", span);
  return value.map((word) => {
    if (typeof word === "string") return word;
    throw invalid(
      "pattern element",
      `pattern alternative must be a string (got ${starlarkTypeOf(word)})`,
      span,
    );
  });
}

function readExample(value: RuleValue, span: SourceSpan): string[] {
  if (typeof value !== "string" && !isList(value))
    throw invalid(
      "example",
      `example must be a string or list of strings (got ${starlarkTypeOf(value)})`,
      span,
    );
  if (typeof value === "string") {
    const words = splitWords(value);
    if (words === null) throw invalid("example", "example string has invalid shell syntax", span);
    if (words.length === 0) throw invalid("example", "example cannot be an empty string", span);
    return words;
  }
  if (value.length === 0) throw invalid("example", "example cannot be an empty list", span);
  return value.map((word) => {
    if (typeof word === "string") return word;
    throw invalid("example", `example tokens must be strings (got ${starlarkTypeOf(word)})`, span);
  });
}

function readDecision(text: string, span: SourceSpan): RuleDecision {
  if (text === "allow" || text === "prompt" || text === "forbidden") return text;
  throw invalid("decision", text, span);
}

function readJustification(given: ReturnType<typeof bindArguments>, span: SourceSpan): string | null {
  const text = given.optionalText("justification");
  if (text?.trim() === "") throw invalid("rule", "justification cannot be empty", span);
  return text;
}

function tryExamples(
  { rule, span, matching, others }: Examples,
  programPaths: RuleSet["hostExecutables"],
): void {
  const alone: RuleSet = { ...NO_RULES, prefixRules: [rule], hostExecutables: programPaths };
  const unexpectedMatch = others.find((example) => matchRules(alone, example).length > 0);
  if (unexpectedMatch !== undefined)
    throw new RulesError(`expected example to not match rule: ${joinWords(unexpectedMatch)}`, span);
  const unmatched = matching.filter((example) => matchRules(alone, example).length === 0);
  if (unmatched.length === 0) return;
  const list = unmatched.map(joinWords).join("; ");
  throw new RulesError(
    `expected every example to match at least one rule. unmatched examples: ${list}`,
    span,
  );
}

function valueOf<T>(read: RuleResult<T>, span: SourceSpan): T {
  if (read.ok) return read.value;
  throw invalid("rule", read.message, span);
}

function invalid(what: string, message: string, span: SourceSpan): RulesError {
  return new RulesError(`invalid ${what}: ${message}`, span);
}

const PROTOCOLS: Readonly<Record<string, NetworkProtocol>> = {
  http: "http",
  https: "https",
  https_connect: "https",
  "http-connect": "https",
  socks5_tcp: "socks5_tcp",
  socks5_udp: "socks5_udp",
};

export type RuleResult<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly message: string };

function readProtocol(text: string): RuleResult<NetworkProtocol> {
  const value = Object.hasOwn(PROTOCOLS, text) ? PROTOCOLS[text] : undefined;
  if (value !== undefined) return { ok: true, value };
  return invalidRule(
    `network_rule protocol must be one of http, https, socks5_tcp, socks5_udp (got ${text})`,
  );
}

/** One host name or address, in lower case and without a port. */
function readHost(text: string): RuleResult<string> {
  const trimmed = text.trim();
  if (trimmed === "") return invalidRule("network_rule host cannot be empty");
  if (/[/?#]/.test(trimmed))
    return invalidRule("network_rule host must be a hostname or IP literal (without scheme or path)");
  const bare = withoutPort(trimmed, text);
  if (!bare.ok) return bare;
  const host = withoutEndDots(bare.value).trim().toLowerCase();
  if (host === "") return invalidRule("network_rule host cannot be empty");
  if (host.includes("*"))
    return invalidRule("network_rule host must be a specific host; wildcards are not allowed");
  if (/\s/.test(host)) return invalidRule("network_rule host cannot contain whitespace");
  return { ok: true, value: host };
}

function withoutEndDots(host: string): string {
  let end = host.length;
  while (host.charAt(end - 1) === ".") end -= 1;
  return host.slice(0, end);
}

function withoutPort(host: string, raw: string): RuleResult<string> {
  if (!host.startsWith("[")) return { ok: true, value: host.replace(/^([^:]+):\d+$/, "$1") };
  const [, inside, rest] = /^\[([^\]]*)\](.*)$/s.exec(host) ?? [];
  if (inside === undefined) return invalidRule("network_rule host has an invalid bracketed IPv6 literal");
  if (rest !== "" && !/^:\d+$/.test(rest ?? ""))
    return invalidRule(`network_rule host contains an unsupported suffix: ${raw}`);
  return { ok: true, value: inside };
}

export function invalidRule(message: string): { readonly ok: false; readonly message: string } {
  return { ok: false, message };
}
