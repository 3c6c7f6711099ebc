/** The administrator's rules: `[rules]` of the requirements file, which may only restrict. */
import { invalidRule, type RuleResult } from "./parse-rules.ts";
import { NO_RULES, type PrefixRule, type RuleSet } from "./rule-set.ts";

export function toRequiredRules(value: unknown): RuleResult<RuleSet> {
  const list = fieldsOf(value)["prefix_rules"];
  if (!Array.isArray(list) || list.length === 0) return invalidRule("rules prefix_rules cannot be empty");
  const prefixRules: PrefixRule[] = [];
  for (const [index, each] of list.entries()) {
    const rule = readRule(fieldsOf(each));
    if (!rule.ok) return invalidRule(`rules prefix_rule at index ${index} ${rule.message}`);
    prefixRules.push(rule.value);
  }
  return { ok: true, value: { ...NO_RULES, prefixRules } };
}

function readRule(fields: Fields): RuleResult<PrefixRule> {
  const { pattern, decision, justification = null } = fields;
  if (justification !== null && (typeof justification !== "string" || justification.trim() === ""))
    return invalidRule("has an empty justification");
  if (!Array.isArray(pattern) || pattern.length === 0) return invalidRule("has an empty pattern");
  const elements: string[][] = [];
  for (const [index, each] of pattern.entries()) {
    const element = readPatternElement(fieldsOf(each));
    if (!element.ok) return invalidRule(`has an invalid pattern token at index ${index}: ${element.message}`);
    elements.push(element.value);
  }
  if (decision === undefined) return invalidRule("is missing a decision");
  if (decision === "prompt" || decision === "forbidden")
    return { ok: true, value: { pattern: elements, decision, justification } };
  if (decision !== "allow") return invalidRule(`has an invalid decision: ${JSON.stringify(decision)}`);
  return invalidRule(
    "has decision 'allow', which is not permitted in requirements.toml: these rules are merged with other config and the most restrictive result counts (use 'prompt' or 'forbidden')",
  );
}

function readPatternElement({ token, any_of: anyOf }: Fields): RuleResult<string[]> {
  if (token !== undefined && anyOf !== undefined) return invalidRule("set either token or any_of, not both");
  if (token === undefined && anyOf === undefined) return invalidRule("set either token or any_of");
  if (anyOf === undefined)
    return isWord(token) ? { ok: true, value: [token] } : invalidRule("token cannot be empty");
  if (!Array.isArray(anyOf) || anyOf.length === 0) return invalidRule("any_of cannot be empty");
  return anyOf.every(isWord) ? { ok: true, value: anyOf } : invalidRule("any_of cannot include empty tokens");
}

interface Fields {
  readonly [name: string]: unknown;
  readonly pattern?: unknown;
  readonly decision?: unknown;
  readonly justification?: unknown;
  readonly token?: unknown;
  readonly any_of?: unknown;
}

function fieldsOf(value: unknown): Fields {
  return typeof value === "object" && value !== null ? (value as Fields) : {};
}

function isWord(value: unknown): value is string {
  return typeof value === "string" && value.trim() !== "";
}
