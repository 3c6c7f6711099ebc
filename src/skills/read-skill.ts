/** Reads one skill: its SKILL.md, and the `agents/openai.yaml` beside it. */
import { basename, join } from "node:path";
import type { Logger } from "../base/logger.ts";
import type { SkillScope } from "../protocol/generated/types.ts";
import { MAX_NAME_LENGTH, oneLine, readFrontMatter, tooLong } from "./front-matter.ts";
import { NO_OPENAI_YAML, type OpenaiYaml, readOpenaiYaml } from "./openai-yaml.ts";
import { readTextFile } from "./read-text.ts";
import { MAX_SKILL_BYTES, type Skill, type SkillFault } from "./skill.ts";
import type { FoundSkill } from "./walk-skill-folders.ts";

const MAX_QUALIFIED_NAME_LENGTH = MAX_NAME_LENGTH * 2 + 1;

export type ReadSkill =
  | { readonly ok: true; readonly skill: Skill; readonly forCodex: boolean }
  | { readonly ok: false; readonly fault: SkillFault };

export async function readSkill(found: FoundSkill, scope: SkillScope, log: Logger): Promise<ReadSkill> {
  const path = join(found.folder, "SKILL.md");
  const [file, agents] = await Promise.all([
    readTextFile(path, MAX_SKILL_BYTES),
    found.hasAgents ? readAgentsFile(found.folder, log) : NO_OPENAI_YAML,
  ]);
  if (!file.ok) return { ok: false, fault: { path, message: `failed to read file: ${file.message}` } };
  const head = readFrontMatter(file.text, oneLine(basename(found.folder)) || "skill");
  if (!head.ok) return { ok: false, fault: { path, message: head.message } };
  const { forCodex, ...rest } = agents;
  return { ok: true, skill: { ...head.value, ...rest, path, scope }, forCodex };
}

async function readAgentsFile(folder: string, log: Logger): Promise<OpenaiYaml> {
  const path = join(folder, "agents", "openai.yaml");
  const file = await readTextFile(path, MAX_SKILL_BYTES);
  const parsed = file.ok ? readOpenaiYaml(file.text, folder) : null;
  if (parsed?.ok === true) return parsed.value;
  if (parsed !== null) log.warn("ignoring an invalid openai.yaml", { path, reason: parsed.message });
  return NO_OPENAI_YAML;
}

/** Prefixes the name of a skill with its plugin. */
export function qualify(result: ReadSkill & { ok: true }, namespace: string | null): ReadSkill {
  if (namespace === null) return result;
  const name = `${namespace}:${result.skill.name}`;
  if (!tooLong(name, MAX_QUALIFIED_NAME_LENGTH)) return { ...result, skill: { ...result.skill, name } };
  const message = `invalid qualified name: exceeds maximum length of ${MAX_QUALIFIED_NAME_LENGTH} characters`;
  return { ok: false, fault: { path: result.skill.path, message } };
}
