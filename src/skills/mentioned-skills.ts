/** Finds the skills that a user selects or mentions as `$name`, and builds their messages for the model. */
import { resolve } from "node:path";
import type { ResponseItem, UserInput } from "../protocol/generated/types.ts";

/** The required properties of a skill. */
export interface MentionableSkill {
  readonly name: string;
  /** The SKILL.md. */
  readonly path: string;
  readonly enabled: boolean;
}

/**
 * Selected skills come first, then those mentioned in the text. A path takes precedence over a name; a name that is
 * ambiguous, or that was selected with a path, is ignored.
 */
export function findMentionedSkills<S extends MentionableSkill>(
  input: readonly UserInput[],
  skills: readonly S[],
): readonly S[] {
  const enabled = skills.filter((skill) => skill.enabled);
  const found = new Set<S>();
  const chosenNames = new Set<string>();
  for (const part of input) {
    if (part.type !== "skill") continue;
    chosenNames.add(part.name);
    const skill = enabled.find(({ path }) => path === resolve(part.path));
    if (skill !== undefined) found.add(skill);
  }
  for (const part of input) {
    if (part.type !== "text") continue;
    const { names, paths } = mentionsIn(part.text);
    for (const skill of enabled) if (paths.has(skill.path)) found.add(skill);
    for (const skill of enabled) {
      const isUnique = enabled.filter(({ name }) => name === skill.name).length === 1;
      if (names.has(skill.name) && !chosenNames.has(skill.name) && isUnique) found.add(skill);
    }
  }
  return [...found];
}

/** The message with the skill's contents, which follows the user's message. */
export function toSkillMessage({ name, path }: MentionableSkill, contents: string): ResponseItem {
  const text = `<skill>\n<name>${name}</name>\n<path>${path}</path>\n${contents}\n</skill>`;
  return { type: "message", role: "user", content: [{ type: "input_text", text }] };
}

/** The length of links is limited, so that a text full of unclosed links is matched in linear time. */
const MENTION = /\[\$([\w:-]+)\]\s*\(([^)\n]{0,1024})\)|\$([\w:-]+)/g;
/** Names of common environment variables, which are not mentions. */
const VARIABLES = /^(?:PATH|HOME|USER|SHELL|PWD|TMPDIR|TEMP|TMP|LANG|TERM|XDG_CONFIG_HOME)$/i;
/** Links to other things than skills. */
const OTHER_LINK = /^(?:app|mcp|plugin):\/\//;

function mentionsIn(text: string): {
  readonly names: ReadonlySet<string>;
  readonly paths: ReadonlySet<string>;
} {
  const names = new Set<string>();
  const paths = new Set<string>();
  for (const [, linked, link, plain] of text.matchAll(MENTION)) {
    if (VARIABLES.test(linked ?? plain ?? "")) continue;
    if (plain !== undefined) names.add(plain);
    const path = link?.trim() ?? "";
    if (path !== "" && !OTHER_LINK.test(path)) paths.add(path.replace(/^skill:\/\//, ""));
  }
  return { names, paths };
}
