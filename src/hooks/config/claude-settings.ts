/** The settings of Claude Code that count in a place: the user's own, then those of a project that the user trusts. */
import path from "node:path";
import type { Effective } from "../../config/get-effective.ts";
import { valueAt } from "../../config/toml/toml-value.ts";
import type { HookSource } from "../../protocol/generated/types.ts";
import type { SettingsFile } from "./settings-file.ts";

export interface ClaudePlaces {
  readonly files: readonly SettingsPath[];
  /** What programs are told is the project. */
  readonly projectFolder: string;
}

interface SettingsPath {
  readonly path: string;
  readonly source: Extract<HookSource, "user" | "project">;
}

export interface ClaudeTables extends SettingsPath {
  readonly tables: unknown;
}

/** Null where the user has not asked for them; a project cannot ask in their place. */
export function claudePlaces(
  { layers, projectFolders, rootTrustLevel }: Pick<Effective, "layers" | "projectFolders" | "rootTrustLevel">,
  { cwd, userHome }: { readonly cwd: string; readonly userHome: string },
): ClaudePlaces | null {
  const said = layers.flatMap(({ source, table, disabledReason }) => {
    const value = valueAt(table, ["hooks", "claude"]);
    const counts = source.type !== "project" && disabledReason === undefined && typeof value === "boolean";
    return counts ? [value] : [];
  });
  if (said.at(-1) !== true) return null;
  const [projectFolder = cwd] = projectFolders;
  const files: SettingsPath[] = [{ path: settingsIn(userHome, "settings.json"), source: "user" }];
  if (rootTrustLevel === "trusted") {
    for (const name of ["settings.json", "settings.local.json"]) {
      const file = settingsIn(projectFolder, name);
      // Who works in their own home has one file for both.
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
  /** Whether a confined command could have written the file, as one of a thread that works further up. */
  readonly isSandboxWritable: (path: string) => boolean;
}

/** What is read of them, in their order. */
export async function readClaudeSettings(
  { files }: ClaudePlaces,
  { read, isSandboxWritable }: SettingsAccess,
): Promise<{ readonly found: readonly ClaudeTables[]; readonly warnings: readonly string[] }> {
  const states = await Promise.all(files.map(async (file) => ({ ...file, state: await read(file.path) })));
  const disabling = states.filter(({ state }) => state.kind === "read" && state.disablesAll);
  // Nobody who is watched switches off what watches them.
  const ignored = disabling.filter(({ path }) => isSandboxWritable(path));
  const disabled = new Set(disabling.filter((file) => !ignored.includes(file)).map(({ source }) => source));
  // What a repository switches off is its own: the user's guards are not for it to end.
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
