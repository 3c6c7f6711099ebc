// Searches the folders below a skill root, breadth first, for SKILL.md files. Depth, folders and entries have the
// limits of the peer, so that a whole disk as root has a bounded cost.

import { type Dirent, readdir } from "node:fs";
import { realpath, stat } from "node:fs/promises";
import { join } from "node:path";
import { promisify } from "node:util";
import { boundedMap } from "../base/bounded-map.ts";
import { MANIFEST_FOLDERS } from "./plugin-namespace.ts";

export const MAX_SCAN_DEPTH = 6;
export const MAX_SCAN_FOLDERS = 2000;
export const MAX_SCAN_ENTRIES = 20_000;
const CONCURRENT_READS = 16;
const readFolder = promisify(readdir);

export interface SkillWalkOptions {
  readonly followLinks: boolean;
  /** Called for every folder before it is read. */
  readonly onFolder: (folder: string) => void;
}

export interface WalkResult {
  readonly skills: readonly FoundSkill[];
  /** Folders that contain a plugin manifest. */
  readonly pluginFolders: ReadonlySet<string>;
  /** A limit was reached: there may be more. */
  readonly truncated: boolean;
}

export interface FoundSkill {
  /** The real path of the skill's folder. */
  readonly folder: string;
  /** Whether there may be an `agents/openai.yaml`. */
  readonly hasAgents: boolean;
}

interface WalkState {
  readonly options: SkillWalkOptions;
  readonly seen: Set<string>;
  readonly skills: FoundSkill[];
  readonly pluginFolders: Set<string>;
  entries: number;
  truncated: boolean;
}

/** `root` must be a real path. */
export async function walkSkillFolders(root: string, options: SkillWalkOptions): Promise<WalkResult> {
  const state: WalkState = {
    options,
    seen: new Set([root]),
    skills: [],
    pluginFolders: new Set(),
    entries: 0,
    truncated: false,
  };
  let level: readonly string[] = [root];
  for (let depth = 0; level.length > 0 && state.entries < MAX_SCAN_ENTRIES; depth++) {
    const listings = await boundedMap(level, CONCURRENT_READS, (folder) => listFolder(folder, options));
    const next: string[] = [];
    for (const [index, folder] of level.entries()) {
      const children = recordFolder(state, folder, listings[index] ?? []);
      if (depth < MAX_SCAN_DEPTH) next.push(...children.filter((child) => admit(state, child)));
    }
    level = next;
  }
  return state;
}

interface Entry {
  readonly name: string;
  readonly kind: "file" | "folder";
  /** The real path of a folder. */
  readonly path: string;
}

async function listFolder(folder: string, options: SkillWalkOptions): Promise<readonly Entry[]> {
  options.onFolder(folder);
  // An unreadable folder counts as empty.
  const found = await readFolder(folder, { withFileTypes: true }).catch((): Dirent[] => []);
  const first = found
    .toSorted((a, b) => (a.name < b.name ? -1 : Number(a.name > b.name)))
    .slice(0, MAX_SCAN_ENTRIES + 1);
  const entries = await Promise.all(first.map((entry) => toEntry(folder, entry, options.followLinks)));
  return entries.filter((entry) => entry !== null);
}

async function toEntry(folder: string, entry: Dirent, followLinks: boolean): Promise<Entry | null> {
  const { name } = entry;
  const path = join(folder, name);
  if (entry.isDirectory()) return { name, kind: "folder", path };
  if (entry.isFile()) return { name, kind: "file", path };
  if (!entry.isSymbolicLink() || !followLinks) return null;
  try {
    return (await stat(path)).isDirectory() ? { name, kind: "folder", path: await realpath(path) } : null;
  } catch {
    return null;
  }
}

/** Records the skills and manifests of a folder, and returns its visible subfolders. */
function recordFolder(state: WalkState, folder: string, listing: readonly Entry[]): string[] {
  const remaining = MAX_SCAN_ENTRIES - state.entries;
  const entries = listing.slice(0, remaining);
  if (entries.length < listing.length) state.truncated = true;
  state.entries += entries.length;
  const folders = entries.filter((entry) => entry.kind === "folder");
  if (entries.some(({ kind, name }) => kind === "file" && name === "SKILL.md")) {
    const hasAgents = state.truncated || folders.some(({ name }) => name.toLowerCase() === "agents");
    state.skills.push({ folder, hasAgents });
  }
  if (folders.some(({ name }) => MANIFEST_FOLDERS.includes(name))) state.pluginFolders.add(folder);
  return folders.filter(({ name }) => !name.startsWith(".")).map(({ path }) => path);
}

function admit(state: WalkState, folder: string): boolean {
  if (state.seen.has(folder)) return false;
  if (state.seen.size >= MAX_SCAN_FOLDERS) {
    state.truncated = true;
    return false;
  }
  state.seen.add(folder);
  return true;
}
