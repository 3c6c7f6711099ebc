/**
 * The list of skills in the model's context. It may use a small share of the context window only: where it would exceed
 * that, descriptions are truncated to the same length, and where even the names do not fit, the last ones are dropped.
 */

export interface ListedSkill {
  readonly name: string;
  readonly description: string;
  /** The path of its SKILL.md. */
  readonly path: string;
}

export interface SkillsSection {
  /** Null where there are no skills. */
  readonly text: string | null;
  /** Warns the user that descriptions or skills were dropped. */
  readonly warning: string | null;
}

const CONTEXT_SHARE = 0.02;
const MAX_CONFIGURED_TOKENS = 10_000;
const BYTES_PER_TOKEN = 4;
/** The average number of characters cut from a description before the user is warned. */
const NOTICEABLE_CUT = 100;
const ADVICE =
  "Switch off skills that you do not need with [[skills.config]] in config.toml, or raise skills.max_context_tokens.";

/** The limit of the list, in tokens. */
export function skillsBudget(contextWindow: number, configured: number | null): number {
  if (configured !== null) return Math.min(configured, MAX_CONFIGURED_TOKENS);
  return Math.max(1, Math.floor(contextWindow * CONTEXT_SHARE));
}

export function describeSkills(skills: readonly ListedSkill[], maxTokens: number): SkillsSection {
  if (skills.length === 0) return { text: null, warning: null };
  const length = longestThatFits(skills, maxTokens);
  if (length === null) return describeSome(skills, maxTokens);
  const cut = skills.reduce((sum, { description }) => sum + Math.max(0, description.length - length), 0);
  const isNoticeable = cut / skills.length > NOTICEABLE_CUT;
  return {
    text: toText(skills.map((skill) => lineOf(skill, length))),
    warning: isNoticeable
      ? `The descriptions of your skills are shortened for the model, because their list may take ${maxTokens} tokens. ${ADVICE}`
      : null,
  };
}

/**
 * The greatest common description length with which the list fits; null where it does not fit even without
 * descriptions.
 */
function longestThatFits(skills: readonly ListedSkill[], maxTokens: number): number | null {
  const fits = (length: number) =>
    skills.reduce((sum, skill) => sum + tokensOf(lineOf(skill, length)), 0) <= maxTokens;
  let above = skills.reduce((longest, { description }) => Math.max(longest, description.length), 0);
  if (fits(above)) return above;
  if (!fits(0)) return null;
  let fitting = 0;
  while (above - fitting > 1) {
    const middle = Math.floor((fitting + above) / 2);
    if (fits(middle)) fitting = middle;
    else above = middle;
  }
  return fitting;
}

function describeSome(skills: readonly ListedSkill[], maxTokens: number): SkillsSection {
  const lines: string[] = [];
  let used = 0;
  for (const skill of skills) {
    const line = lineOf(skill, 0);
    used += tokensOf(line);
    if (used > maxTokens) break;
    lines.push(line);
  }
  const left = skills.length - lines.length;
  return {
    text: toText([...lines, `- and ${left} more, for which there is no room here`]),
    warning: `The model receives ${lines.length} of your ${skills.length} skills, without descriptions, because their list may take ${maxTokens} tokens. ${ADVICE}`,
  };
}

function toText(lines: readonly string[]): string {
  return [
    "<skills_instructions>",
    "These skills are written down on this machine. When the user names one, or the task is what its description says,",
    "read its file first and follow it.",
    ...lines,
    "</skills_instructions>",
  ].join("\n");
}

function lineOf({ name, description, path }: ListedSkill, length: number): string {
  // Half of a surrogate pair at the cut is dropped.
  const shown = description.slice(0, length).replace(/[\ud800-\udbff]$/, "");
  return `- ${name}:${shown === "" ? "" : ` ${shown}`} (file: ${path})`;
}

function tokensOf(line: string): number {
  return Math.ceil((Buffer.byteLength(line) + 1) / BYTES_PER_TOKEN);
}
