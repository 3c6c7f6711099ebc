import type { Logger } from "../../base/logger.ts";
import type { ResponseItem, UserInput } from "../../protocol/generated/types.ts";
import { readText } from "../../skills/read-text.ts";
import { MAX_SKILL_BYTES } from "../../skills/scan-skill-root.ts";
import { findMentionedSkills, toSkillMessage } from "../input/mentioned-skills.ts";
import type { TurnSetup } from "./turn-setup.ts";

/** The texts of the skills that the user has asked for. One that cannot be read is left out. */
export async function readMentionedSkills(
  input: readonly UserInput[],
  { listSkills }: TurnSetup,
  log: Logger,
): Promise<ResponseItem[]> {
  if (!input.some(mayMention)) return [];
  const messages: ResponseItem[] = [];
  for (const skill of findMentionedSkills(input, await listSkills())) {
    const read = await readText(skill.path, MAX_SKILL_BYTES);
    if (read.ok) messages.push(toSkillMessage(skill, read.text));
    else log.warn("a skill could not be read", { path: skill.path, reason: read.message });
  }
  return messages;
}

/** Most words name no skill, and then nothing has to be looked up. */
function mayMention(part: UserInput): boolean {
  return part.type === "skill" || (part.type === "text" && part.text.includes("$"));
}
