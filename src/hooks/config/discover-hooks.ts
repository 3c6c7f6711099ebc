/**
 * Collects the hooks of all sources in order: requirements, then the configuration layers, lowest first, then
 * the settings of Claude Code.
 */
import path from "node:path";
import type { Layer } from "../../config/layer.ts";
import type { Requirements } from "../../config/requirements.ts";
import { isTable } from "../../config/toml/toml-value.ts";
import type { HookSource } from "../../protocol/generated/types.ts";
import type { ConfiguredHook, HookDialect, HookSet } from "../configured-hook.ts";
import { type ClaudeSettingsPaths, readClaudeSettings, type SettingsAccess } from "./claude-settings.ts";
import type { DisabledHooks } from "./disabled-hooks.ts";
import type { HooksFile } from "./hooks-file.ts";
import { parseHooks } from "./parse-hooks.ts";
import { findSkipReason } from "./skip-reason.ts";
import { vanishedHooksWarning } from "./skipped-hooks.ts";
import { hookHash, hookKey, readHookStates, trustOf } from "./trust.ts";

export interface DiscoveredHooks extends HookSet {
  /** Why hooks required by the administrator cannot run; a thread does not start without them. */
  readonly requiredFailures: readonly string[];
}

export interface DiscoveryInput {
  /** Lowest first. */
  readonly layers: readonly Layer[];
  readonly requirements: Requirements | null;
  readonly off: DisabledHooks;
  /** Untrusted hooks run as well. */
  readonly bypassesTrust: boolean;
  readonly readHooksFile: (path: string) => Promise<HooksFile>;
  readonly claude: ClaudeSettings | null;
  readonly platform: NodeJS.Platform;
}

/** Null where the user has not enabled Claude Code hooks. */
export interface ClaudeSettings extends SettingsAccess {
  readonly paths: ClaudeSettingsPaths;
}

export const NO_HOOKS: DiscoveredHooks = { hooks: [], warnings: [], errors: [], requiredFailures: [] };

/** Hook tables with their source. */
interface Origin {
  readonly path: string;
  readonly source: HookSource;
  readonly isManaged: boolean;
  readonly dialect: HookDialect;
  readonly env?: Readonly<Record<string, string>>;
  readonly tables: unknown;
}

export async function discoverHooks(input: DiscoveryInput): Promise<DiscoveredHooks> {
  const { layers, requirements, off, bypassesTrust, platform } = input;
  const states = readHookStates(layers);
  const hooks: UnorderedHook[] = [];
  const warnings: string[] = [];

  function add({ path, source, isManaged, dialect, env, tables }: Origin): readonly string[] {
    const knownKeys = dialect === "codex" ? SETTINGS : [];
    const parsed = parseHooks({ path, tables, knownKeys, dialect, platform });
    warnings.push(...parsed.warnings);
    for (const definition of parsed.definitions) {
      const { identity: _, group: _group, index: _index, ...rest } = definition;
      const key = hookKey(path, definition);
      const currentHash = hookHash(definition);
      hooks.push({
        ...rest,
        key,
        dialect,
        ...(env !== undefined && { env }),
        source,
        sourcePath: path,
        isManaged,
        currentHash,
        ...trustOf(isManaged, currentHash, states.get(key)),
        isTrustBypassed: bypassesTrust,
      });
    }
    return parsed.failures;
  }

  const required = requiredOrigin(requirements, platform);
  const requiredFailures = required === null ? [] : add(required);
  const managedOnly = off === "unmanaged" || requirements?.values.allow_managed_hooks_only === true;
  const isOff = (source: HookSource) => off === "project" && source === "project";
  const used = layers.filter(
    (layer) =>
      layer.disabledReason === undefined &&
      (!managedOnly || kindOf(layer).isManaged) &&
      !isOff(kindOf(layer).source),
  );
  const files = await readFiles(used, input.readHooksFile);
  for (const layer of used) {
    const found = originsOf(layer, files);
    warnings.push(...found.warnings);
    for (const origin of found.origins) add(origin);
  }
  if (input.claude !== null && !managedOnly) {
    const { paths, isSandboxWritable } = input.claude;
    const settings = await readClaudeSettings(paths, input.claude);
    warnings.push(...settings.warnings);
    const env = { CLAUDE_PROJECT_DIR: paths.projectFolder };
    for (const file of settings.found)
      if (!isOff(file.source)) add({ ...file, isManaged: false, dialect: "claude", env });
    for (const { path, source } of paths.files) {
      if (isOff(source)) continue;
      const gone = isSandboxWritable(path) ? vanishedHooksWarning(path, hooks, states) : null;
      if (gone !== null) warnings.push(gone);
    }
  }
  const ordered = withoutRepeated(hooks).map((hook, displayOrder) => ({ ...hook, displayOrder }));
  return { hooks: ordered, warnings, errors: [], requiredFailures };
}

type UnorderedHook = Omit<ConfiguredHook, "displayOrder">;

/**
 * Claude Code settings may repeat a hook in several files: of equal hooks the first that runs is retained, or
 * the first of all where none runs.
 */
function withoutRepeated(hooks: readonly UnorderedHook[]): readonly UnorderedHook[] {
  const chosen = new Map<string, UnorderedHook>();
  for (const hook of hooks.filter(({ dialect }) => dialect === "claude")) {
    const known = chosen.get(hook.currentHash);
    if (known === undefined || (findSkipReason(known) !== null && findSkipReason(hook) === null)) {
      chosen.set(hook.currentHash, hook);
    }
  }
  return hooks.filter((hook) => hook.dialect === "codex" || chosen.get(hook.currentHash) === hook);
}

/** The layer's file first, then its table. Two layers may share a folder, so a file is read once. */
function originsOf(
  layer: Layer,
  files: Map<string, HooksFile>,
): { readonly origins: readonly Origin[]; readonly warnings: readonly string[] } {
  const kind = { ...kindOf(layer), dialect: "codex" as const };
  const origins: Origin[] = [];
  const warnings: string[] = [];
  const folder = hooksFolder(layer) ?? "";
  const file = files.get(folder);
  files.delete(folder);
  if (file?.kind === "fault") warnings.push(file.warning);
  if (file?.kind === "read") {
    warnings.push(...file.warnings);
    origins.push({ ...kind, path: path.join(folder, "hooks.json"), tables: file.tables });
  }
  const tables = Object.hasOwn(layer.written, "hooks") ? layer.written["hooks"] : undefined;
  if (tables !== undefined) origins.push({ ...kind, path: sourcePath(layer), tables });
  const [json, toml] = origins.filter(({ tables }) => hasEvents(tables));
  if (json !== undefined && toml !== undefined) {
    const both = `${json.path} and ${toml.path}`;
    warnings.push(`loading hooks from both ${both}; prefer a single representation for this layer`);
  }
  return { origins, warnings };
}

/** Keyed by folder. */
async function readFiles(
  layers: readonly Layer[],
  read: DiscoveryInput["readHooksFile"],
): Promise<Map<string, HooksFile>> {
  const folders = new Set(layers.map(hooksFolder).filter((folder) => folder !== null));
  return new Map(
    await Promise.all(
      [...folders].map(async (folder) => [folder, await read(path.join(folder, "hooks.json"))] as const),
    ),
  );
}

/** Keys of a hooks table that are not events. */
const SETTINGS = ["state", "max_continuations", "claude", "managed_dir", "windows_managed_dir"];

function hasEvents(tables: unknown): boolean {
  if (!isTable(tables)) return false;
  return Object.entries(tables).some(
    ([key, groups]) => !SETTINGS.includes(key) && (!Array.isArray(groups) || groups.length > 0),
  );
}

function requiredOrigin(requirements: Requirements | null, platform: NodeJS.Platform): Origin | null {
  const tables = requirements?.written["hooks"];
  if (requirements === null || !isTable(tables)) return null;
  const folder = tables[platform === "win32" ? "windows_managed_dir" : "managed_dir"];
  const isNamed = typeof folder === "string" && path.isAbsolute(folder);
  return {
    path: isNamed ? path.normalize(folder) : requirements.file,
    source: "system",
    isManaged: true,
    dialect: "codex",
    tables,
  };
}

function kindOf({ source }: Layer): Pick<Origin, "source" | "isManaged"> {
  switch (source.type) {
    case "system":
      return { source: "system", isManaged: true };
    case "mdm":
      return { source: "mdm", isManaged: true };
    case "enterpriseManaged":
      return { source: "cloudManagedConfig", isManaged: true };
    case "legacyManagedConfigTomlFromFile":
      return { source: "legacyManagedConfigFile", isManaged: true };
    case "legacyManagedConfigTomlFromMdm":
      return { source: "legacyManagedConfigMdm", isManaged: true };
    case "user":
    case "project":
    case "sessionFlags":
      return { source: source.type, isManaged: false };
    case "packagedDefaults":
      return { source: "unknown", isManaged: false };
  }
}

/** The folder whose `hooks.json` belongs to the layer. */
export function hooksFolder({ source, hooksFolder: folder }: Layer): string | null {
  if (folder !== undefined) return folder;
  return "file" in source ? path.dirname(source.file) : null;
}

/** The file that holds the layer's hooks table, or a synthetic path used in trust keys. */
function sourcePath(layer: Layer): string {
  const { source } = layer;
  if ("file" in source) return source.file;
  const folder = hooksFolder(layer);
  return folder === null
    ? `/<${SYNTHETIC[source.type] ?? source.type}>/config.toml`
    : path.join(folder, "config.toml");
}

const SYNTHETIC: Readonly<Record<string, string>> = { sessionFlags: "session-flags" };
