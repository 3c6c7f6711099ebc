/**
 * Finds the Claude Code settings files of a working folder: the user's own, then those of a trusted project.
 */
import path from "node:path";
import type { Effective } from "../../config/get-effective.ts";
import { valueAt } from "../../config/toml/toml-value.ts";
import type { HookSource } from "../../protocol/generated/types.ts";
import type { SettingsFile } from "./settings-file.ts";

export interface ClaudeSettingsPaths {
  readonly files: readonly SettingsPath[];
  /** The project directory passed to hook processes. */
  readonly projectFolder: string;
}

interface SettingsPath {
  readonly path: string;
  readonly source: Extract<HookSource, "user" | "project">;
}

export interface ClaudeTables extends SettingsPath {
  readonly tables: unknown;
}

/** Null where the user has not enabled Claude Code hooks; project layers cannot enable them. */
export function findClaudeSettings(
  { layers, projectFolders, rootTrustLevel }: Pick<Effective, "layers" | "projectFolders" | "rootTrustLevel">,
  { cwd, userHome }: { readonly cwd: string; readonly userHome: string },
): ClaudeSettingsPaths | null {
  const values = layers.flatMap(({ source, table, disabledReason }) => {
    const value = valueAt(table, ["hooks", "claude"]);
    const counts = source.type !== "project" && disabledReason === undefined && typeof value === "boolean";
    return counts ? [value] : [];
  });
  if (values.at(-1) !== true) return null;
  const [projectFolder = cwd] = projectFolders;
  const files: SettingsPath[] = [{ path: settingsIn(userHome, "settings.json"), source: "user" }];
  if (rootTrustLevel === "trusted") {
    for (const name of ["settings.json", "settings.local.json"]) {
      const file = settingsIn(projectFolder, name);
      // In the user's own home both paths are the same file.
      if (file !== files[0]?.path) files.push({ path: file, source: "project" });
    }
  }
  return { files, projectFolder };
}

function settingsIn(folder: string, name: string): string {
  return path.join(folder, ".claude", name);
}

export interface SettingsAccess {
  readonly read: (path: string) => Promise<SettingsFile>;
  /**
   * Whether a sandboxed command could have written the file, for example one of a thread that works in a
   * parent folder.
   */
  readonly isSandboxWritable: (path: string) => boolean;
}

/** Reads the files in order. */
export async function readClaudeSettings(
  { files }: ClaudeSettingsPaths,
  { read, isSandboxWritable }: SettingsAccess,
): Promise<{ readonly found: readonly ClaudeTables[]; readonly warnings: readonly string[] }> {
  const states = await Promise.all(files.map(async (file) => ({ ...file, state: await read(file.path) })));
  const disabling = states.filter(({ state }) => state.kind === "read" && state.disablesAll);
  // A sandboxed command must not disable the hooks that guard it.
  const ignored = disabling.filter(({ path }) => isSandboxWritable(path));
  const disabled = new Set(disabling.filter((file) => !ignored.includes(file)).map(({ source }) => source));
  // A project can only disable its own hooks, not the user's guards.
  const isOff = (source: SettingsPath["source"]) => disabled.has("user") || disabled.has(source);
  return {
    found: states.flatMap(({ path, source, state }) =>
      state.kind === "read" && !isOff(source) ? [{ path, source, tables: state.tables }] : [],
    ),
    warnings: [
      ...states.flatMap(({ state }) => (state.kind === "fault" ? [state.warning] : [])),
      ...ignored.map(
        ({ path }) =>
          `disableAllHooks of ${path} does not count, because sandboxed commands can write the file; to switch its hooks off, disable them one by one with \`heddle hooks untrust --disable\``,
      ),
    ],
  };
}
