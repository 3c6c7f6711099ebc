/** Where skills may lie for a given folder, and what lies there. */
import { realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { boundedMap } from "../base/bounded-map.ts";
import type { Logger } from "../base/logger.ts";
import { findProjectFolders } from "../config/project-root.ts";
import type { SkillScope } from "../protocol/generated/types.ts";
import { createNamespaceLookup } from "./plugin-namespace.ts";
import type { Skill, SkillFault } from "./skill.ts";
import type { SkillSettings } from "./skill-settings.ts";
import { walkSkillFolders } from "./walk-skill-folders.ts";

const CONCURRENT_READS = 16;

export interface SkillRoot {
  readonly path: string;
  readonly scope: SkillScope;
}

export interface SkillPlaces {
  /** The server's home. */
  readonly home: string;
  /** The user's own home folder, if there is one. */
  readonly userHome: string | null;
  /** Where the machine's administrator keeps configuration. */
  readonly systemFolder: string;
}

export interface RootsRequest extends SkillPlaces {
  readonly cwd: string;
  readonly settings: SkillSettings;
  readonly extraRoots: readonly string[];
}

/** All roots for a folder. Of two ways to the same skill the one through the earlier root counts. */
export async function findSkillRoots(request: RootsRequest): Promise<readonly SkillRoot[]> {
  const { home, userHome, systemFolder, settings, extraRoots, cwd } = request;
  const roots: SkillRoot[] = settings.projectFolders.map((folder) => toRoot(folder, "repo"));
  roots.push(toRoot(home, "user"));
  if (userHome !== null) roots.push(toRoot(join(userHome, ".agents"), "user"));
  if (settings.bundled) roots.push({ path: join(home, "skills", ".system"), scope: "system" });
  roots.push(toRoot(systemFolder, "admin"));
  for (const path of extraRoots) roots.push({ path, scope: "user" });
  for (const folder of await foldersWithSkills(cwd, settings.projectRootMarkers)) {
    roots.push(toRoot(join(folder, ".agents"), "repo"));
  }
  return roots.filter((root, index) => roots.findIndex(({ path }) => path === root.path) === index);
}

function toRoot(folder: string, scope: SkillRoot["scope"]): SkillRoot {
  return { path: join(folder, "skills"), scope };
}

/** The folders of the project with `.agents/skills`. */
async function foldersWithSkills(cwd: string, markers: readonly string[]): Promise<readonly string[]> {
  const folders = findProjectFolders(cwd, markers);
  const found = await Promise.all(folders.map((folder) => isFolder(join(folder, ".agents", "skills"))));
  return folders.filter((_, index) => found[index]);
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
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

/** Reads every skill below a root. */
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
