// Loads the configuration layers, lowest first: system, user, profile, project, session flags, legacy managed
// file.
import path from "node:path";
import { isSameList } from "../base/is-same-list.ts";
import { checkMountResponsive } from "../base/thread-pool.ts";
import type { StatOf } from "../base/tick-stats.ts";
import type { ConfigLayerSource } from "../protocol/generated/types.ts";
import type { FileCache, FileState } from "./file-cache.ts";
import { createLayer, type Layer, layerVersion, relativeTo } from "./layer.ts";
import { mergeTables } from "./merge-tables.ts";
import { loadProjectLayers, type ProjectLayerCache } from "./project-layers.ts";
import { openProjectTrust, type TrustLevel } from "./project-trust.ts";
import { buildSessionTable, type Override } from "./session-flags.ts";
import { type ConfigFault, locateKey, locateValue } from "./toml/config-fault.ts";
import { createTable, isTable, type TomlTable } from "./toml/toml-value.ts";

export interface LoaderSettings {
  /** Both are real paths. */
  readonly home: string;
  readonly userHome: string;
  readonly systemDir: string;
  readonly profile: string | undefined;
  /** Ignores the user's file and the profile's. */
  readonly ignoresUserFile: boolean;
  readonly overrides: readonly Override[];
  /** Unknown keys and wrong types make loading fail. */
  readonly strict: boolean;
  /** Whether a sandboxed command may have written the file. */
  readonly isWritten: (path: string) => boolean;
  readonly stat: StatOf;
}

export interface LoadRequest {
  /** Without it there are no project layers. */
  readonly cwd?: string | undefined;
  /** Overrides of a thread, above the flags of the command line. */
  readonly overrides?: readonly Override[];
}

export type LoadedLayers =
  | {
      readonly ok: true;
      readonly layers: readonly Layer[];
      readonly warnings: readonly string[];
      /** The user's trust level for the working directory or its repository. */
      readonly trustLevel?: TrustLevel | undefined;
      /** The user's trust level for the project root. */
      readonly rootTrustLevel?: TrustLevel | undefined;
      /** From the project root down to the working directory. */
      readonly projectFolders?: readonly string[];
    }
  | { readonly ok: false; readonly fault: ConfigFault };

export interface LayerLoader {
  /** The file that writes go to: the user's, or that of the chosen profile. */
  readonly userFile: string;
  load(request: LoadRequest): Promise<LoadedLayers>;
}

export function createLayerLoader(settings: LoaderSettings, files: FileCache): LayerLoader {
  const { home, userHome, systemDir, profile } = settings;
  const baseFile = path.join(home, "config.toml");
  const userFile = profile === undefined ? baseFile : path.join(home, `${profile}.config.toml`);
  const known = new WeakMap<FileState, Layer>();
  const projectCache: ProjectLayerCache = new WeakMap();
  const session = createSessionLayers(settings.overrides);
  const mergeLayers = createLayerMerge();

  async function fileLayer(file: string, source: ConfigLayerSource): Promise<Layer | ConfigFault> {
    const isIgnored = settings.ignoresUserFile && source.type === "user";
    const state: FileState = isIgnored ? { kind: "missing", path: file } : await files.read(file);
    if (state.kind === "fault") return state.fault;
    const cached = known.get(state);
    if (cached !== undefined) return cached;
    const where = state.kind === "table" ? { file: { path: file, text: state.text } } : {};
    const table = state.kind === "table" ? state.table : createTable();
    const layer = createLayer({
      source,
      table,
      resolvePath: relativeTo(path.dirname(file), userHome),
      ...where,
    });
    known.set(state, layer);
    return layer;
  }

  async function lowerLayers(): Promise<Layer[] | ConfigFault> {
    const system = path.join(systemDir, "config.toml");
    const wanted = [
      fileLayer(system, { type: "system", file: system }),
      fileLayer(baseFile, { type: "user", file: baseFile, profile: null }),
    ];
    if (profile !== undefined) wanted.push(fileLayer(userFile, { type: "user", file: userFile, profile }));
    const loaded = await Promise.all(wanted);
    return loaded.find(isFault) ?? (loaded as Layer[]);
  }

  async function managedLayers(): Promise<Layer[] | ConfigFault> {
    const file = path.join(systemDir, "managed_config.toml");
    if ((await files.read(file)).kind === "missing") return [];
    const layer = await fileLayer(file, { type: "legacyManagedConfigTomlFromFile", file });
    return isFault(layer) ? layer : [layer];
  }

  async function load({ cwd, overrides = [] }: LoadRequest): Promise<LoadedLayers> {
    const [lower, managed] = await Promise.all([lowerLayers(), managedLayers()]);
    if (!Array.isArray(lower)) return { ok: false, fault: lower };
    if (!Array.isArray(managed)) return { ok: false, fault: managed };
    const conflict = profileConflict(lower, profile, baseFile, userFile);
    if (conflict !== undefined) return { ok: false, fault: conflict };
    const flags = session(overrides, cwd ?? home, userHome);
    const project = await projectLayers(cwd, [...lower, ...flags, ...managed]);
    if (!project.ok) return project;
    const layers = [...lower, ...project.layers, ...flags, ...managed];
    const fault = settings.strict ? strictFault([...flags, ...lower, ...project.layers]) : undefined;
    return fault === undefined ? { ...project, layers } : { ok: false, fault: fault };
  }

  async function projectLayers(cwd: string | undefined, others: readonly Layer[]): Promise<LoadedLayers> {
    if (cwd === undefined) return { ok: true, layers: [], warnings: [] };
    const unresponsive = await checkMountResponsive(cwd);
    if (unresponsive !== null)
      return { ok: false, fault: { message: `${unresponsive}; choose another folder` } };
    const trust = openProjectTrust(cwd, mergeLayers(others), {
      userFile,
      isWritten: settings.isWritten,
      stat: settings.stat,
    });
    const loaded = await loadProjectLayers({
      home,
      userHome,
      files,
      trust,
      known: projectCache,
      stat: settings.stat,
    });
    if (!loaded.ok) return loaded;
    const { level: trustLevel, rootLevel: rootTrustLevel, folders: projectFolders } = trust;
    return { ...loaded, trustLevel, rootTrustLevel, projectFolders };
  }

  return { userFile, load };
}

function isFault(loaded: Layer | ConfigFault): loaded is ConfigFault {
  return !("source" in loaded);
}

/** Merges the tables of layers; the last merge is cached, because projects change and the layers below them rarely do. */
function createLayerMerge(): (layers: readonly Layer[]) => TomlTable {
  let last: { readonly layers: readonly Layer[]; readonly merged: TomlTable } | null = null;
  return (layers) => {
    if (last === null || !isSameList(last.layers, layers))
      last = { layers, merged: mergeTables(layers.map(({ table }) => table)) };
    return last.merged;
  };
}

type SessionLayers = (overrides: readonly Override[], folder: string, userHome: string) => readonly Layer[];

/** How many session layers are cached, one per working directory and overrides. */
const MAX_CACHED_SESSIONS = 64;

/**
 * Relative paths depend on the folder; equal overrides return the cached layer, so that it is validated once.
 */
function createSessionLayers(flags: readonly Override[]): SessionLayers {
  const known = new Map<string, readonly Layer[]>();
  return (overrides, folder, userHome) => {
    const all = [...flags, ...overrides];
    if (all.length === 0) return [];
    const table = buildSessionTable(all);
    const key = overrides.length === 0 ? folder : `${layerVersion(table)} ${folder}`;
    const layers = known.get(key) ?? [
      createLayer({ source: { type: "sessionFlags" }, table, resolvePath: relativeTo(folder, userHome) }),
    ];
    known.delete(key);
    known.set(key, layers);
    const [oldest] = known.keys();
    if (known.size > MAX_CACHED_SESSIONS && oldest !== undefined) known.delete(oldest);
    return layers;
  };
}

/** A profile must not be defined in two files. */
function profileConflict(
  layers: readonly Layer[],
  profile: string | undefined,
  baseFile: string,
  userFile: string,
): ConfigFault | undefined {
  if (profile === undefined) return undefined;
  const base = layers.find(({ source }) => source.type === "user")?.table ?? createTable();
  const tables = base["profiles"];
  if (base["profile"] !== profile && !(isTable(tables) && profile in tables)) return undefined;
  const message =
    `--profile \`${profile}\` cannot be used while ${baseFile} contains legacy \`profile = "${profile}"\` or ` +
    `\`[profiles.${profile}]\` config; move those settings into ${userFile} and remove the legacy profile ` +
    "selector/table. See https://developers.openai.com/codex/config-advanced#profiles for more information.";
  return { message };
}

function strictFault(layers: readonly Layer[]): ConfigFault | undefined {
  for (const layer of layers) {
    if (layer.disabledReason !== undefined) continue;
    if (layer.fault !== undefined) return locateFault(layer, layer.fault);
    const [keys] = layer.unknownKeys;
    if (keys === undefined) continue;
    const message = `unknown configuration field \`${keys.join(".")}\``;
    if (layer.file === undefined) return { message: `${message} in -c/--config override` };
    const location = locateKey(layer.file.path, layer.file.text, keys);
    return location === undefined ? { message } : { message, location };
  }
  return undefined;
}

export function locateFault(layer: Layer, fault: ConfigFault): ConfigFault {
  if (layer.file === undefined || fault.path === undefined) return fault;
  const location = locateValue(layer.file.path, layer.file.text, fault.path);
  return location === undefined ? fault : { ...fault, location };
}
