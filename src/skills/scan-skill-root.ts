/** Reads every skill below one root. */
import { realpath } from "node:fs/promises";
import type { Logger } from "../base/logger.ts";
import type { SkillScope } from "../protocol/generated/types.ts";
import { boundedMap } from "./bounded-map.ts";
import { createNamespaceLookup } from "./plugin-namespace.ts";
import type { Skill, SkillFault } from "./skill.ts";
import { walkSkillFolders } from "./walk-skill-folders.ts";

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
  if (walk.skills.length === 0) return { skills: [], faults: [] };
  // Reading YAML takes a large module, which a server without skills does without.
  const { qualify, readSkill } = await import("./read-skill.ts");
  const namespaceOf = createNamespaceLookup({ root: path, pluginFolders: walk.pluginFolders });
  const read = await boundedMap(walk.skills, CONCURRENT_READS, async (found) => {
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
