// The `.codex` folders between the project root and the working directory, each a layer.
import path from "node:path";
import { realPath } from "../base/file-system.ts";
import type { StatOf } from "../base/tick-stats.ts";
import type { FileCache, FileState } from "./file-cache.ts";
import { createLayer, type Layer, relativeTo } from "./layer.ts";
import { kindOf } from "./project-root.ts";
import type { ProjectTrust } from "./project-trust.ts";
import type { ConfigFault } from "./toml/config-fault.ts";
import { createTable, isTable, type TomlTable, type TomlValue } from "./toml/toml-value.ts";

export interface ProjectInput {
  readonly home: string;
  readonly userHome: string;
  readonly files: FileCache;
  readonly trust: ProjectTrust;
  readonly known: ProjectLayerCache;
  readonly stat: StatOf;
}

/** A cache of the layers of unchanged files. */
export type ProjectLayerCache = WeakMap<
  FileState,
  { readonly circumstances: string; readonly loaded: LoadedFolder }
>;

interface LoadedFolder {
  readonly layer: Layer;
  readonly ignored: readonly string[];
}

export type ProjectLayers =
  | { ok: true; layers: Layer[]; warnings: string[] }
  | { ok: false; fault: ConfigFault };

/** From the root down: the folder closest to the working directory wins. */
export async function loadProjectLayers(input: ProjectInput): Promise<ProjectLayers> {
  const loaded = await Promise.all(input.trust.folders.map((folder) => loadIfThere(input, folder)));
  const layers: Layer[] = [];
  const warnings: string[] = [];
  for (const folder of loaded) {
    if (!folder.ok) return folder;
    layers.push(...folder.layers);
    warnings.push(...folder.warnings);
  }
  return { ok: true, layers, warnings };
}

async function loadIfThere(input: ProjectInput, folder: string): Promise<ProjectLayers> {
  const dotCodex = path.join(folder, ".codex");
  const isThere = kindOf(dotCodex, input.stat) === "folder";
  // The home folder is the user's own layer, also for a thread that runs next to it.
  if (!isThere || realPath(dotCodex) === input.home) return { ok: true, layers: [], warnings: [] };
  return loadFolder(input, folder, dotCodex);
}

async function loadFolder(input: ProjectInput, folder: string, dotCodex: string): Promise<ProjectLayers> {
  const { files, trust, known } = input;
  const file = path.join(dotCodex, "config.toml");
  const disabledReason = trust.disabledReason(folder);
  const state = await files.read(file);
  if (state.kind === "fault" && (disabledReason === undefined || state.text === undefined)) {
    return { ok: false, fault: { message: projectFault(file, state) } };
  }
  const hooksFolder = rootHooksFolder(trust, folder);
  const circumstances = JSON.stringify([disabledReason, dotCodex]);
  const before = hooksFolder === undefined ? known.get(state) : undefined;
  const loaded =
    before?.circumstances === circumstances
      ? before.loaded
      : await buildLayer(input, { dotCodex, state, disabledReason, hooksFolder });
  known.set(state, { circumstances, loaded });
  const warning =
    `Ignored unsupported project-local config keys in ${file}: ${loaded.ignored.join(", ")}. If you want these ` +
    "settings to apply, manually set them in your user-level config.toml.";
  const isWorthIt = disabledReason === undefined && loaded.ignored.length > 0;
  return { ok: true, layers: [loaded.layer], warnings: isWorthIt ? [warning] : [] };
}

interface FolderFacts {
  readonly dotCodex: string;
  readonly state: FileState;
  readonly disabledReason: string | undefined;
  readonly hooksFolder: string | undefined;
}

async function buildLayer({ files, userHome }: ProjectInput, facts: FolderFacts): Promise<LoadedFolder> {
  const { dotCodex, state, disabledReason, hooksFolder } = facts;
  const { table, ignored } = withoutPrivateKeys(state.kind === "table" ? state.table : createTable());
  const layer = createLayer({
    source: { type: "project", dotCodexFolder: dotCodex },
    table: hooksFolder === undefined ? table : withHooks(table, await hooksOf(files, hooksFolder)),
    resolvePath: relativeTo(dotCodex, userHome),
    ...(state.kind === "table" ? { file: { path: state.path, text: state.text } } : {}),
    disabledReason,
    hooksFolder: hooksFolder ?? dotCodex,
  });
  return { layer, ignored };
}

/** A linked worktree runs the hooks of the main checkout, which is the one that was trusted. */
function rootHooksFolder({ git }: ProjectTrust, folder: string): string | undefined {
  if (git?.repository === undefined || git.repository === git.checkout) return undefined;
  const relative = path.relative(git.checkout, folder);
  if (relative.startsWith("..")) return undefined;
  return path.join(git.repository, relative, ".codex");
}

function withHooks(table: TomlTable, hooks: TomlValue | undefined): TomlTable {
  const { hooks: _, ...others } = table;
  return createTable(Object.entries(hooks === undefined ? others : { ...others, hooks }));
}

async function hooksOf(files: FileCache, folder: string): Promise<TomlValue | undefined> {
  const state = await files.read(path.join(folder, "config.toml"));
  return state.kind === "table" ? state.table["hooks"] : undefined;
}

/**
 * Keys that a repository must not set for its user: where credentials are sent, which programs run unasked, which threads
 * are deleted, and who may see them.
 */
const PRIVATE_KEYS: readonly (readonly string[])[] = [
  ["openai_base_url"],
  ["chatgpt_base_url"],
  ["apps_mcp_product_sku"],
  ["responses_api_metadata"],
  ["model_provider"],
  ["model_providers"],
  ["notify"],
  ["workspace_programs"],
  ["retention"],
  ["profile"],
  ["profiles"],
  ["experimental_realtime_webrtc_call_base_url"],
  ["experimental_realtime_ws_base_url"],
  ["otel"],
  ["webhooks"],
  ["access"],
  ["store"],
  ["features", "respect_system_proxy"],
  ["tui", "keymap", "chat", "previous_permission_mode"],
  ["tui", "keymap", "chat", "next_permission_mode"],
];

function withoutPrivateKeys(written: TomlTable): { table: TomlTable; ignored: string[] } {
  let table = written;
  const ignored: string[] = [];
  for (const keys of PRIVATE_KEYS) {
    const reduced = withoutKey(table, keys);
    if (reduced === undefined) continue;
    table = reduced;
    ignored.push(keys.join("."));
  }
  return { table, ignored };
}

function withoutKey(table: TomlTable, [key, ...rest]: readonly string[]): TomlTable | undefined {
  if (key === undefined || !(key in table)) return undefined;
  const { [key]: value, ...others } = table;
  if (rest.length === 0) return createTable(Object.entries(others));
  const inner = isTable(value) ? withoutKey(value, rest) : undefined;
  return inner === undefined ? undefined : createTable(Object.entries({ ...table, [key]: inner }));
}

function projectFault(file: string, state: FileState & { kind: "fault" }): string {
  const { fault, text } = state;
  if (text === undefined || fault.location === undefined) {
    return fault.message.replace(/^Failed to read config file/, "Failed to read project config file");
  }
  const { line, column } = fault.location.start;
  const margin = " ".repeat(String(line).length);
  const source = text.split(/\r?\n/)[line - 1] ?? "";
  return [
    `Error parsing project config file ${file}: TOML parse error at line ${line}, column ${column}`,
    `${margin} |`,
    `${line} | ${source}`,
    `${margin} | ${" ".repeat(column - 1)}^`,
    `${fault.message}\n`,
  ].join("\n");
}
