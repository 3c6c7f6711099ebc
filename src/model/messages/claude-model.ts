/** How a model of the Messages API is asked for thoughts, and how long its answer may be, by its name. */

export interface ClaudeModel {
  /** Tokens of one answer with its thoughts, which every request must name. */
  readonly maxTokens: number;
  /** `budget`: a number of tokens; `adaptive`: the model decides by an effort. */
  readonly thinking: "none" | "budget" | "adaptive";
}

/** What every model of the last generations takes; other makers that speak this wire do too. */
const USUAL: ClaudeModel = { maxTokens: 32_000, thinking: "budget" };

/** The first that fits decides; a name may have a house in front of it and a date behind. */
const KNOWN: readonly (readonly [name: RegExp, model: ClaudeModel])[] = [
  [/claude-(?:2|instant)/, { maxTokens: 4096, thinking: "none" }],
  [/claude-3[-.]5-/, { maxTokens: 8192, thinking: "none" }],
  [/claude-3-(?:opus|sonnet|haiku)/, { maxTokens: 4096, thinking: "none" }],
  [/claude-[a-z]+-(?:4[-.][6-9]|[5-9]|[1-9]\d)(?!\d)/, { maxTokens: 64_000, thinking: "adaptive" }],
];

const LONGEST_NAME = 200;

export function claudeModel(name: string): ClaudeModel {
  const text = name.slice(0, LONGEST_NAME);
  return KNOWN.find(([pattern]) => pattern.test(text))?.[1] ?? USUAL;
}

/** Shares of an answer that may be thoughts. An effort that is not here counts as `high`. */
const SHARES: ReadonlyMap<string, number> = new Map([
  ["minimal", 1 / 16],
  ["low", 1 / 8],
  ["medium", 1 / 4],
  ["high", 1 / 2],
  ["xhigh", 3 / 4],
  ["max", 7 / 8],
  ["ultra", 7 / 8],
]);

export function budgetFor(effort: string, { maxTokens }: ClaudeModel): number {
  return Math.max(1024, Math.floor(maxTokens * (SHARES.get(effort) ?? 1 / 2)));
}

/** The efforts that the API has words for. */
const EFFORTS: ReadonlyMap<string, string> = new Map([
  ["minimal", "low"],
  ["low", "low"],
  ["medium", "medium"],
  ["max", "max"],
  ["ultra", "max"],
]);

export function effortFor(effort: string): string {
  return EFFORTS.get(effort) ?? "high";
}
