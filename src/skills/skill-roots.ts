/** Finds the skill roots of a folder, and scans a root. */
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

export interface SkillFolders {
  /** The server's home. */
  readonly home: string;
  /** The user's home folder, if any. */
  readonly userHome: string | null;
  /** The administrator's configuration folder. */
  readonly systemFolder: string;
}

export interface RootsRequest extends SkillFolders {
  readonly cwd: string;
  readonly settings: SkillSettings;
  readonly extraRoots: readonly string[];
}

/** All roots for a folder, in order of precedence for duplicate skills. */
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

/** The project's folders that contain `.agents/skills`. */
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
  /** Called for every folder before it is read. */
  readonly onFolder: (folder: string) => void;
  /** Called for a missing root, before it is checked once more. */
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
  // Lazily imported, because YAML parsing needs a large module that a server without skills never loads.
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
    // Users cannot fix skills that the server itself has unpacked.
    faults: scope === "system" ? [] : read.flatMap((result) => (result.ok ? [] : [result.fault])),
  };
}
