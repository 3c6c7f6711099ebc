// Where skills may lie for a given folder.

import { stat } from "node:fs/promises";
import { dirname, join } from "node:path";
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
  for (const folder of await projectAncestry(cwd, settings.projectRootMarkers)) {
    roots.push(toRoot(join(folder, ".agents"), "repo"));
  }
  return roots.filter((root, index) => roots.findIndex(({ path }) => path === root.path) === index);
}

function toRoot(folder: string, scope: SkillRoot["scope"]): SkillRoot {
  return { path: join(folder, "skills"), scope };
}

/** The folders with `.agents/skills` from the root of the project down to `cwd`, or `cwd` outside of projects. */
async function projectAncestry(cwd: string, markers: readonly string[]): Promise<readonly string[]> {
  const ancestors = [cwd];
  for (let folder = cwd; folder !== dirname(folder); ) {
    folder = dirname(folder);
    ancestors.push(folder);
  }
  const marked = await Promise.all(ancestors.map((folder) => hasMarker(folder, markers)));
  const folders = ancestors.slice(0, Math.max(marked.indexOf(true), 0) + 1).toReversed();
  const found = await Promise.all(folders.map((folder) => isFolder(join(folder, ".agents", "skills"))));
  return folders.filter((_, index) => found[index]);
}

async function hasMarker(folder: string, markers: readonly string[]): Promise<boolean> {
  const found = await Promise.all(markers.map((marker) => exists(join(folder, marker))));
  return found.includes(true);
}

function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  );
}
