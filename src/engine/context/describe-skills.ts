/**
 * The list of skills that the model is told. It may take a small part of the model's context only: where it would take
 * more, descriptions are cut to the same length, and where even the names are too many, the last ones are left out.
 */

export interface ListedSkill {
  readonly name: string;
  readonly description: string;
  /** Of its SKILL.md. */
  readonly path: string;
}

export interface SkillsSection {
  /** Null where there is nothing to tell. */
  readonly text: string | null;
  /** What the user should know of what was left out. */
  readonly warning: string | null;
}

const CONTEXT_SHARE = 0.02;
const MAX_CONFIGURED_TOKENS = 10_000;
const BYTES_PER_TOKEN = 4;
/** By so many characters a description is shortened on the average before the user hears of it. */
const NOTICEABLE_CUT = 100;
const ADVICE =
  "Switch off skills that you do not need with [[skills.config]] in config.toml, or raise skills.max_context_tokens.";

/** How many tokens the list may take. */
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

/** The length that all descriptions are cut to, so that the list fits; null where it does not fit without any. */
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
    warning: `The model is told of ${lines.length} of your ${skills.length} skills, and without descriptions, because their list may take ${maxTokens} tokens. ${ADVICE}`,
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
  // A character that would be cut in two goes as a whole.
  const shown = description.slice(0, length).replace(/[\ud800-\udbff]$/, "");
  return `- ${name}:${shown === "" ? "" : ` ${shown}`} (file: ${path})`;
}

function tokensOf(line: string): number {
  return Math.ceil((Buffer.byteLength(line) + 1) / BYTES_PER_TOKEN);
}
