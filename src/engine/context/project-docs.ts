import { join } from "node:path";
import { StringDecoder } from "node:string_decoder";
import { readRegularFile } from "../../base/read-regular-file.ts";
import type { StatOf } from "../../base/tick-stats.ts";
import { findProjectFolders } from "../../config/project-root.ts";

export interface ProjectDocsRequest {
  readonly home: string;
  readonly cwd: string;
  /** Names that mark the root of a project, such as `.git`. */
  readonly rootMarkers: readonly string[];
  /** Looks for them. */
  readonly stat?: StatOf;
  /** File names that are tried where a folder has no AGENTS.md. */
  readonly fallbackNames: readonly string[];
  /** The limit of all files of the project together; the file of the home has its own. */
  readonly maxBytes: number;
}

/** The instruction files for agents that apply to a working folder. */
export interface ProjectDocs {
  /** The paths of the files, in the order of the text. */
  readonly sources: readonly string[];
  /** Null when there are no files. */
  readonly text: string | null;
}

const NAMES = ["AGENTS.override.md", "AGENTS.md"];
const SEPARATOR = "\n\n--- project-doc ---\n\n";
const MAX_GLOBAL_BYTES = 1024 * 1024;

/** Reads AGENTS.md of the home, and of every folder from the root of the project down to the working folder. */
export async function readProjectDocs(request: ProjectDocsRequest): Promise<ProjectDocs> {
  const { home, cwd, fallbackNames, maxBytes } = request;
  const global = await readFirst(home, NAMES, MAX_GLOBAL_BYTES);
  const sources = global === null ? [] : [global.path];
  const texts: string[] = [];
  let left = maxBytes;
  for (const folder of left > 0 ? findProjectFolders(cwd, request.rootMarkers, request.stat) : []) {
    const found = await readFirst(folder, [...NAMES, ...fallbackNames], left);
    if (found === null) continue;
    sources.push(found.path);
    texts.push(found.text);
    left -= found.bytes;
    if (left <= 0) break;
  }
  const project = texts.length === 0 ? null : texts.join("\n\n");
  const parts = [global?.text.trim() ?? null, project].filter((part) => part !== null && part !== "");
  return { sources, text: parts.length === 0 ? null : parts.join(SEPARATOR) };
}

/** Reads the first file that exists and is not blank. */
async function readFirst(folder: string, names: readonly string[], maxBytes: number) {
  for (const name of names) {
    const path = join(folder, name);
    const start = await readStart(path, maxBytes);
    if (start !== null && start.text.trim() !== "") return { path, ...start };
  }
  return null;
}

/** Reads the beginning of a file. Null also for an unreadable file, because the model cannot use the reason. */
async function readStart(path: string, maxBytes: number): Promise<{ text: string; bytes: number } | null> {
  const read = await readRegularFile(path, { maxBytes, larger: "cut", from: "own" });
  if (read.kind === "refused") return null;
  // The decoder drops an incomplete character at the cut.
  return { text: new StringDecoder("utf8").write(read.bytes), bytes: read.bytes.length };
}
