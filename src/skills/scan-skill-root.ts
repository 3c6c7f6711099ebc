// Reads every skill below one root.

import { realpath } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Logger } from "../base/logger.ts";
import type { SkillScope } from "../protocol/generated/types.ts";
import { boundedMap } from "./bounded-map.ts";
import { MAX_NAME_LENGTH, readFrontMatter } from "./front-matter.ts";
import { NO_OPENAI_YAML, type OpenaiYaml, readOpenaiYaml } from "./openai-yaml.ts";
import { createNamespaceLookup } from "./plugin-namespace.ts";
import { readText } from "./read-text.ts";
import type { Skill, SkillFault } from "./skill.ts";
import { oneLine, tooLong } from "./skill-text.ts";
import { type FoundSkill, walkSkillFolders } from "./walk-skill-folders.ts";

/** Only the head of a SKILL.md is needed; whatever lies beyond this much of it is not read. */
export const MAX_SKILL_BYTES = 256 * 1024;
const MAX_QUALIFIED_NAME_LENGTH = MAX_NAME_LENGTH * 2 + 1;
const CONCURRENT_READS = 16;

export interface SkillRoot {
  readonly path: string;
  readonly scope: SkillScope;
}

export interface SkillRootContents {
  readonly skills: readonly Skill[];
  readonly faults: readonly SkillFault[];
}

export interface ScanOptions {
  readonly log: Logger;
  /** Told of every folder before it is read. */
  readonly onFolder: (folder: string) => void;
  /** Told of a root that is not there, before it is looked for once more. */
  readonly onMissing: () => Promise<void>;
}

type ReadSkill =
  | { readonly ok: true; readonly skill: Skill; readonly forCodex: boolean }
  | { readonly ok: false; readonly fault: SkillFault };

export async function scanSkillRoot(root: SkillRoot, options: ScanOptions): Promise<SkillRootContents> {
  let path = await realpath(root.path).catch(() => null);
  if (path === null) {
    await options.onMissing();
    path = await realpath(root.path).catch(() => null);
  }
  if (path === null) return { skills: [], faults: [] };
  const { scope } = root;
  const walk = await walkSkillFolders(path, { followLinks: scope !== "system", onFolder: options.onFolder });
  if (walk.truncated) options.log.warn("there are too many files below a skill root", { root: path });
  const namespaceOf = createNamespaceLookup({ root: path, pluginFolders: walk.pluginFolders });
  const read = await boundedMap(walk.skills, CONCURRENT_READS, async (found): Promise<ReadSkill> => {
    const [result, namespace] = await Promise.all([
      readSkill(found, scope, options.log),
      namespaceOf(found.folder),
    ]);
    return result.ok ? qualify(result, namespace) : result;
  });
  return {
    skills: read.flatMap((result) => (result.ok && result.forCodex ? [result.skill] : [])),
    // What the server itself unpacked is not for users to mend.
    faults: scope === "system" ? [] : read.flatMap((result) => (result.ok ? [] : [result.fault])),
  };
}

async function readSkill(found: FoundSkill, scope: SkillScope, log: Logger): Promise<ReadSkill> {
  const path = join(found.folder, "SKILL.md");
  const [file, agents] = await Promise.all([
    readText(path, MAX_SKILL_BYTES),
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
  const file = await readText(path, MAX_SKILL_BYTES);
  const parsed = file.ok ? readOpenaiYaml(file.text, folder) : null;
  if (parsed?.ok === true) return parsed.value;
  if (parsed !== null) log.warn("ignoring an invalid openai.yaml", { path, reason: parsed.message });
  return NO_OPENAI_YAML;
}

function qualify(result: ReadSkill & { ok: true }, namespace: string | null): ReadSkill {
  if (namespace === null) return result;
  const name = `${namespace}:${result.skill.name}`;
  if (!tooLong(name, MAX_QUALIFIED_NAME_LENGTH)) return { ...result, skill: { ...result.skill, name } };
  const message = `invalid qualified name: exceeds maximum length of ${MAX_QUALIFIED_NAME_LENGTH} characters`;
  return { ok: false, fault: { path: result.skill.path, message } };
}
