// Where skills may lie for a given folder.

import { stat } from "node:fs/promises";
import { join } from "node:path";
import { findProjectFolders } from "../config/project-root.ts";
import type { SkillRoot } from "./scan-skill-root.ts";
import type { SkillSettings } from "./skill-settings.ts";

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
  const folders = await findProjectFolders(cwd, markers);
  const found = await Promise.all(folders.map((folder) => isFolder(join(folder, ".agents", "skills"))));
  return folders.filter((_, index) => found[index]);
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
