/**
 * Decides whether a project's own configuration may be used, which requires the user's trust, and records
 * that trust in the user's file.
 */
import path from "node:path";
import { realPath } from "../base/file-system.ts";
import type { StatOf } from "../base/tick-stats.ts";
import { type ConfigResult, configFailure } from "./config-error.ts";
import type { FileCache } from "./file-cache.ts";
import { findGitRoots, findProjectFolders, type GitRoots, kindOf, rootMarkersOf } from "./project-root.ts";
import { saveEdits } from "./save-edits.ts";
import { describeFault } from "./toml/config-fault.ts";
import { withValue } from "./toml/edit-toml.ts";
import { createTable, isTable, type TomlTable, valueAt } from "./toml/toml-value.ts";

export type TrustLevel = "trusted" | "untrusted";

export interface ProjectTrust {
  /** From the project root down to the working directory. */
  readonly folders: readonly string[];
  readonly git: GitRoots | undefined;
  /** The user's trust level for the working directory or its repository. */
  readonly level: TrustLevel | undefined;
  /** The user's trust level for the project root. */
  readonly rootLevel: TrustLevel | undefined;
  /** Undefined when the folder is trusted; otherwise why its files are listed and not used. */
  disabledReason(folder: string): string | undefined;
}

const GATED = "project-local config, hooks, and exec policies";

export interface TrustOptions {
  /** Named in the advice. */
  readonly userFile: string;
  /** Whether a sandboxed command may have written the file; such a file is never trusted. */
  readonly isWritten: (path: string) => boolean;
  readonly stat: StatOf;
}

/** `config` is the merged configuration of the layers below the project. */
export function openProjectTrust(
  cwd: string,
  config: TomlTable,
  { userFile, isWritten, stat }: TrustOptions,
): ProjectTrust {
  const folders = findProjectFolders(cwd, rootMarkersOf(config), stat);
  const git = findGitRoots(cwd, stat);
  const [root = cwd] = folders;
  const cwdKeys = trustKeys(cwd);
  const rootKeys = root === cwd ? cwdKeys : trustKeys(root);
  const repositoryKeys = git?.repository === undefined ? [] : trustKeys(git.repository);
  const levels = trustLevels(config);
  const decision = (keys: readonly string[]) => keys.find((key) => levels.has(key));

  function disabledReason(folder: string): string | undefined {
    const decided = decision([...trustKeys(folder), ...rootKeys, ...repositoryKeys]);
    const advised = repositoryKeys[0] ?? rootKeys[0] ?? root;
    if (decided === undefined) return `To load ${GATED}, add ${advised} as a trusted project in ${userFile}.`;
    if (levels.get(decided) === "trusted") return writtenReason(folder, isWritten);
    return (
      `${decided} is marked as untrusted in the effective configuration. To load ${GATED}, update its trust ` +
      "setting. If that setting is managed by your organization, contact your administrator."
    );
  }

  const levelOf = (keys: readonly string[]) => levels.get(decision(keys) ?? "");
  return {
    folders,
    git,
    level: levelOf([...cwdKeys, ...repositoryKeys]),
    rootLevel: levelOf([...rootKeys, ...repositoryKeys]),
    disabledReason,
  };
}

/** A thread in a parent folder may write into this one. */
function writtenReason(folder: string, isWritten: TrustOptions["isWritten"]): string | undefined {
  const dotCodex = path.join(folder, ".codex");
  if (!isWritten(dotCodex)) return undefined;
  return (
    `${dotCodex} lies where sandboxed commands can write, so one of them may have written it. To load ${GATED}, look at it, ` +
    "and then remove sandbox/writable-places.jsonl from the home."
  );
}

/** Whether there is something to trust: a folder in a repository, or one with its own settings. */
export function isProject(cwd: string): boolean {
  return findGitRoots(cwd) !== undefined || kindOf(path.join(cwd, ".codex")) !== undefined;
}

/** The folder that trust is recorded for when a thread starts in `cwd`. */
export function trustTarget(cwd: string): string {
  return trustKeys(findGitRoots(cwd)?.repository ?? cwd)[0] ?? cwd;
}

function trustLevels(config: TomlTable): Map<string, TrustLevel> {
  const levels = new Map<string, TrustLevel>();
  const { projects } = config;
  if (!isTable(projects)) return levels;
  for (const [key, project] of Object.entries(projects)) {
    const level = isTable(project) ? project["trust_level"] : undefined;
    if (level === "trusted" || level === "untrusted") levels.set(key, level);
  }
  return levels;
}

/** A folder is looked up by its real path and by the requested path. */
function trustKeys(folder: string): string[] {
  const real = realPath(folder);
  return real === folder ? [folder] : [real, folder];
}

interface TrustInput {
  readonly folder: string;
  readonly file: string;
  readonly files: FileCache;
  readonly createId: () => string;
}

const MAX_ATTEMPTS = 50;

export async function trustProject({
  folder,
  file,
  files,
  createId,
}: TrustInput): Promise<ConfigResult<string>> {
  const target = trustTarget(folder);
  const path = ["projects", target, "trust_level"];
  for (let attempt = 0; attempt < MAX_ATTEMPTS; attempt += 1) {
    const state = await files.read(file);
    if (state.kind === "fault") return configFailure(describeFault(state.fault));
    const before = state.kind === "table" ? state.table : createTable();
    if (valueAt(before, path) === "trusted") return { ok: true, value: target };
    const after = withValue(before, path, "trusted");
    const text = state.kind === "table" ? state.text : undefined;
    const saved = await saveEdits({ file, text, before, after, paths: [path], createId });
    if (saved === "changed") continue;
    return saved.ok ? { ok: true, value: target } : configFailure(saved.message);
  }
  return configFailure(`${file} is being changed by another program`);
}
