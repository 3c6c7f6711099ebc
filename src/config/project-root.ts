// Where a project begins: at the nearest folder above that has a marker, such as the `.git` of a repository.
import path from "node:path";
import { ancestorsOf, gitEntry, kindOf } from "./git-root.ts";

/** The names that mark the root of a project, as the layers below the project's own say. */
export function rootMarkersOf(config: Readonly<Record<string, unknown>>): readonly string[] {
  const markers = config["project_root_markers"];
  if (!Array.isArray(markers)) return [".git"];
  return markers.filter((marker) => typeof marker === "string");
}

/** From the root of the project down to the folder; the folder alone where no root is marked. */
export async function findProjectFolders(cwd: string, markers: readonly string[]): Promise<string[]> {
  const ancestors = ancestorsOf(cwd);
  const marked = await Promise.all(ancestors.map((folder) => hasMarker(folder, markers)));
  return ancestors.slice(0, Math.max(marked.indexOf(true), 0) + 1).toReversed();
}

async function hasMarker(folder: string, markers: readonly string[]): Promise<boolean> {
  const found = await Promise.all(
    markers.map((marker) => (marker === ".git" ? gitEntry(folder) : kindOf(path.join(folder, marker)))),
  );
  return found.some((kind) => kind !== undefined);
}
