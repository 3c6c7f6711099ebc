// One source of configuration: a file, the flags of the command line, the overrides of a thread.
import path from "node:path";
import { TomlDate } from "smol-toml";
import type { ConfigLayerMetadata, ConfigLayerSource } from "../protocol/generated/types.ts";
import { checkTable, configSchema } from "./schema/config-schema.ts";
import type { ConfigNode } from "./schema/kind.ts";
import type { ConfigFault } from "./toml/config-fault.ts";
import { floatText } from "./toml/render-toml.ts";
import { createTable, dateText, isTable, type TomlTable, type TomlValue } from "./toml/toml-value.ts";

export interface Layer {
  readonly source: ConfigLayerSource;
  /** With absolute paths and legacy values normalized. */
  readonly table: TomlTable;
  /** The same without secrets, for clients. */
  readonly shown: TomlTable;
  /** As written. */
  readonly written: TomlTable;
  readonly version: string;
  /** Why the layer is listed and not used. */
  readonly disabledReason?: string;
  /** The file and its text, for locating faults. */
  readonly file?: { readonly path: string; readonly text: string };
  readonly fault?: ConfigFault;
  readonly unknownKeys: readonly (readonly string[])[];
  /** The folder whose hook files belong to this layer. */
  readonly hooksFolder?: string;
}

export interface LayerInput {
  readonly source: ConfigLayerSource;
  readonly table: TomlTable;
  readonly resolvePath: PathResolver;
  readonly file?: { readonly path: string; readonly text: string };
  readonly disabledReason?: string | undefined;
  readonly hooksFolder?: string;
}

export function createLayer({ table, resolvePath, disabledReason, ...rest }: LayerInput): Layer {
  const checked = checkTable(configSchema, table, { form: "values", resolvePath });
  const normal = checked.ok ? (takeShape(table, checked.node) as TomlTable) : table;
  const reason = disabledReason === undefined ? {} : { disabledReason };
  const fault = checked.ok ? {} : { fault: checked.fault };
  const unknownKeys = checked.ok ? checked.unknownKeys.map((keys) => keys.map(String)) : [];
  let shown: TomlTable | undefined;
  let version: string | undefined;
  const layer: Layer = {
    ...rest,
    ...reason,
    ...fault,
    table: normal,
    written: table,
    unknownKeys,
    // Computed lazily: only clients need these two, and the first digest is slow.
    get shown() {
      shown ??= withoutSecrets(normal, resolvePath);
      return shown;
    },
    get version() {
      version ??= layerVersion(layer.shown);
      return version;
    },
  };
  return layer;
}

function withoutSecrets(table: TomlTable, resolvePath: PathResolver): TomlTable {
  const checked = checkTable(configSchema, table, { form: "wire", resolvePath });
  return checked.ok ? (takeShape(table, checked.node) as TomlTable) : table;
}

/** Undefined for a path that cannot be resolved. */
export type PathResolver = (to: string) => string | undefined;

/** Only absolute paths are valid without a file that they are relative to. */
export const absoluteOnly: PathResolver = (to) => (path.isAbsolute(to) ? path.resolve(to) : undefined);

export function relativeTo(folder: string, userHome: string): PathResolver {
  return (to) =>
    to === "~" || to.startsWith("~/") ? path.join(userHome, to.slice(1)) : path.resolve(folder, to);
}

/** The validated values in the shape of the original: no key is added or dropped. */
function takeShape(original: TomlValue, checked: ConfigNode | undefined): TomlValue {
  if (checked === undefined || checked === null) return original;
  if (Array.isArray(original) && Array.isArray(checked)) {
    return original.map((item, index) => takeShape(item, checked[index]));
  }
  if (isTable(original) && isTable(checked)) {
    const nodes = checked as { [key: string]: ConfigNode };
    return createTable(Object.entries(original).map(([key, item]) => [key, takeShape(item, nodes[key])]));
  }
  return checked as TomlValue;
}

export function layerMetadata({ source, version }: Layer): ConfigLayerMetadata {
  return { name: source, version };
}

const PRECEDENCE: Readonly<Record<ConfigLayerSource["type"], number>> = {
  packagedDefaults: -10,
  mdm: 0,
  system: 10,
  enterpriseManaged: 15,
  user: 20,
  project: 25,
  sessionFlags: 30,
  legacyManagedConfigTomlFromFile: 40,
  legacyManagedConfigTomlFromMdm: 50,
};

/** Whether `upper` takes precedence over `lower`; a profile is a user layer above the user's own file. */
export function outranks(upper: ConfigLayerSource, lower: ConfigLayerSource): boolean {
  return precedence(upper) > precedence(lower);
}

function precedence(source: ConfigLayerSource): number {
  return PRECEDENCE[source.type] + (source.type === "user" && source.profile !== null ? 1 : 0);
}

/** The name of a layer in warnings. */
export function describeSource(source: ConfigLayerSource): string {
  switch (source.type) {
    case "packagedDefaults":
      return `packaged defaults (${source.file})`;
    case "mdm":
      return `MDM (${source.domain}:${source.key})`;
    case "system":
      return `system (${source.file})`;
    case "enterpriseManaged":
      return `enterprise-managed (${source.name}, ${source.id})`;
    case "user":
      return `user (${source.file})`;
    case "project":
      return `project (${path.join(source.dotCodexFolder, "config.toml")})`;
    case "sessionFlags":
      return "session-flags";
    case "legacyManagedConfigTomlFromFile":
      return `legacy managed_config.toml (${source.file})`;
    case "legacyManagedConfigTomlFromMdm":
      return "legacy managed_config.toml (MDM)";
  }
}

/** The name of the overriding layer in the response to a write. */
export function describeOverride(source: ConfigLayerSource): string {
  switch (source.type) {
    case "packagedDefaults":
      return `Overridden by packaged defaults: ${source.file}`;
    case "mdm":
      return `Overridden by managed policy (MDM): ${source.domain}`;
    case "system":
      return `Overridden by managed config (system): ${source.file}`;
    case "enterpriseManaged":
      return `Overridden by enterprise-managed config: ${source.name}`;
    case "user":
      return `Overridden by user config: ${source.file}`;
    case "project":
      return `Overridden by project config: ${source.dotCodexFolder}/config.toml`;
    case "sessionFlags":
      return "Overridden by session flags";
    case "legacyManagedConfigTomlFromFile":
      return `Overridden by legacy managed_config.toml: ${source.file}`;
    case "legacyManagedConfigTomlFromMdm":
      return "Overridden by legacy managed configuration from MDM";
  }
}

/**
 * A digest of the layer's values that does not depend on layout or key order, and equals the peer's, so that
 * clients can use one server's version with the other.
 */
export function layerVersion(table: TomlTable): string {
  return `sha256:${process.getBuiltinModule("node:crypto").createHash("sha256").update(canonicalJson(table)).digest("hex")}`;
}

function canonicalJson(value: TomlValue): string {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number") return Number.isFinite(value) ? floatText(value) : "null";
  if (value instanceof TomlDate) return `{"$__toml_private_datetime":${JSON.stringify(dateText(value))}}`;
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (isTable(value)) {
    const keys = Object.keys(value).sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key] ?? "")}`).join(",")}}`;
  }
  return JSON.stringify(value);
}
