// The flags of the command line (`-c key=value`, `--enable`, `--disable`) and the `config` of a thread:
// together they form one layer.
import { parse } from "smol-toml";
import { isKnownFeature } from "./schema/features.ts";
import {
  createTable,
  fromJson,
  isTable,
  type Json,
  type TomlTable,
  type TomlValue,
} from "./toml/toml-value.ts";

export interface SessionFlags {
  /** `key=value` each; the key is a dotted path. */
  readonly config?: readonly string[];
  readonly enable?: readonly string[];
  readonly disable?: readonly string[];
}

export type Override = readonly [path: string, value: TomlValue];

export type ParsedFlags = { ok: true; overrides: Override[] } | { ok: false; message: string };

export function parseFlags({ config = [], enable = [], disable = [] }: SessionFlags): ParsedFlags {
  const overrides: Override[] = [];
  for (const flag of config) {
    const split = flag.indexOf("=");
    if (split === -1) return badOverride(`Invalid override (missing '='): ${flag}`);
    const key = flag.slice(0, split).trim();
    if (key === "") return badOverride(`Empty key in override: ${flag}`);
    overrides.push([
      key === "use_legacy_landlock" ? `features.${key}` : key,
      parseFlagValue(flag.slice(split + 1).trim()),
    ]);
  }
  for (const [names, enabled] of [[enable, true] as const, [disable, false] as const]) {
    for (const name of names) {
      if (!isKnownFeature(name)) return { ok: false, message: `Unknown feature flag: ${name}` };
      overrides.push([`features.${name}`, enabled]);
    }
  }
  return { ok: true, overrides };
}

function badOverride(reason: string): ParsedFlags {
  return { ok: false, message: `error parsing -c overrides: ${reason}` };
}

/** Parsed as TOML if valid; any other text is a plain string, so that shells need no second quotes. */
function parseFlagValue(text: string): TomlValue {
  try {
    const { _x_: value } = parse(`_x_ = ${text}`, { integersAsBigInt: true });
    if (value !== undefined) return value;
  } catch {
    // Not TOML: used literally below.
  }
  return text.replace(/^["']+|["']+$/g, "");
}

/** The `config` of a thread; null means an empty string, as in the peer. */
export function threadOverrides(config: Readonly<Record<string, unknown>>): Override[] {
  return Object.entries(config).map(([path, value]) => [path, looseToml(value as Json)]);
}

function looseToml(value: Json): TomlValue {
  if (value === null) return "";
  if (Array.isArray(value)) return value.map(looseToml);
  if (typeof value === "object") {
    return createTable(Object.entries(value).map(([key, item]) => [key, looseToml(item)]));
  }
  const converted = fromJson(value);
  return converted.ok ? converted.value : Number(value);
}

export function buildSessionTable(overrides: readonly Override[]): TomlTable {
  const root = createTable();
  for (const [path, value] of overrides) setDotted(root, path.split("."), value);
  return root;
}

function setDotted(root: TomlTable, path: readonly string[], value: TomlValue): void {
  let current = root;
  for (const key of path.slice(0, -1)) {
    const existing = current[key];
    const next = isTable(existing) ? existing : createTable();
    current[key] = next;
    current = next;
  }
  current[path.at(-1) ?? ""] = value;
}
