// Merges tables. The upper one wins key by key; lists and scalars replace.
import { cloneValue, createTable, isTable, type TomlTable, type TomlValue } from "./toml/toml-value.ts";

type Path = readonly string[];

export function mergeTables(tables: Iterable<TomlTable>): TomlTable {
  let merged = createTable();
  for (const table of tables) merged = mergeAt(merged, table, []) as TomlTable;
  return merged;
}

function mergeAt(base: TomlValue, overlay: TomlValue, path: Path): TomlValue {
  if (isPath(path, MULTI_AGENT)) {
    if (isTable(base) && typeof overlay === "boolean") return { ...base, enabled: overlay };
    if (typeof base === "boolean" && isTable(overlay))
      return mergeAt(createTable([["enabled", base]]), overlay, path);
  }
  if (!isTable(base) || !isTable(overlay)) return normalize(overlay, path);
  const merged = createTable(Object.entries(alignKeys(normalizeKeys(base, path), path)));
  const upper = alignKeys(normalizeKeys(overlay, path), path);
  for (const displaced of displacedFilters(upper, path)) delete merged[displaced];
  for (const [key, value] of Object.entries(upper)) {
    const at = [...path, key];
    const existing = merged[key];
    merged[key] = existing === undefined ? normalize(value, at) : mergeAt(existing, value, at);
  }
  return merged;
}

const MULTI_AGENT = ["features", "multi_agent_v2"];

function isPath(path: Path, expected: Path): boolean {
  return path.length === expected.length && path.every((key, index) => key === expected[index]);
}

/** The two forms of environment filters exclude each other: the upper layer's form wins. */
function displacedFilters(upper: TomlTable, path: Path): readonly string[] {
  if (!isPath(path, ["shell_environment_policy"])) return [];
  if ("filters" in upper) return ["exclude", "include_only"];
  return "exclude" in upper || "include_only" in upper ? ["filters"] : [];
}

const OLDER_NAMES: readonly { readonly table: Path; readonly older: string; readonly now: string }[] = [
  { table: ["memories"], older: "no_memories_if_mcp_or_web_search", now: "disable_on_external_context" },
  { table: ["agents"], older: "max_threads", now: "max_concurrent_threads_per_session" },
];

/** Without this, a legacy name below and the current one above would both survive the merge. */
export function normalize(value: TomlValue, path: Path): TomlValue {
  if (!isTable(value)) return cloneValue(value);
  const inner = Object.entries(value).map(([key, item]) => [key, normalize(item, [...path, key])] as const);
  return normalizeKeys(createTable(inner), path);
}

function normalizeKeys(table: TomlTable, path: Path): TomlTable {
  const renamed = OLDER_NAMES.filter(({ table: owner, older }) => isPath(path, owner) && older in table);
  if (renamed.length === 0) return table;
  const result = createTable(Object.entries(table));
  for (const { older, now } of renamed) {
    const value = result[older];
    delete result[older];
    if (value !== undefined && !(now in result)) result[now] = value;
  }
  return result;
}

/** Keys with several spellings must match when two tables are merged. */
function alignKeys(table: TomlTable, path: Path): TomlTable {
  if (isPath(path, ["shell_environment_policy", "filters"]))
    return mapKeys(table, (key) => key.toLowerCase());
  const [first, , third, fourth] = path;
  const isHosts = path.length === 4 && first === "permissions" && third === "network" && fourth === "domains";
  return isHosts ? mapKeys(table, (host) => host.trim().toLowerCase().replace(/\.$/, "")) : table;
}

function mapKeys(table: TomlTable, rename: (key: string) => string): TomlTable {
  return createTable(Object.entries(table).map(([key, value]) => [rename(key), value]));
}
