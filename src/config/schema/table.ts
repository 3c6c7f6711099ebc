// Tables with known keys: optional keys, their defaults, and the handling of unknown keys.
import { createTable, isTable, sameValue, type TomlTable, type TomlValue } from "../toml/toml-value.ts";
import {
  type ConfigNode,
  type Field,
  fail,
  type Kind,
  type NodeTable,
  type Path,
  type SchemaReading,
  unknownVariant,
  wrongType,
} from "./kind.ts";

type Fields = Readonly<Record<string, Field<unknown>>>;

export type TableOf<F extends Fields> = {
  [K in keyof F]: F[K] extends Field<infer T> ? T : never;
};

interface FieldRules {
  readonly aliases?: readonly string[];
  readonly unlisted?: Field<unknown>["unlisted"];
}

/** Null when not set. */
export function optional<T>(kind: Kind<T>, doc: string, rules: FieldRules = {}): Field<T | null> {
  return { kind, doc, presence: "optional", fallback: null, unlisted: "never", aliases: [], ...rules };
}

/** Null when not set, and then omitted from `config/read`. */
export function whenSet<T>(kind: Kind<T>, doc: string, rules: FieldRules = {}): Field<T | null> {
  return optional(kind, doc, { unlisted: "unchanged", ...rules });
}

export function withDefault<T>(
  kind: Kind<T>,
  fallback: NoInfer<T> & ConfigNode,
  doc: string,
  rules: FieldRules = {},
): Field<T> {
  return { kind, doc, presence: "optional", fallback, unlisted: "never", aliases: [], ...rules };
}

/** A table that exists even when no file has it, with the defaults of its keys. */
export function filled<T>(kind: Kind<T>, doc: string, rules: FieldRules = {}): Field<T> {
  const reading: SchemaReading = {
    form: "values",
    resolvePath: () => undefined,
    faults: [],
    unknownKeys: [],
  };
  const fallback = kind.decode(createTable(), [], reading) ?? null;
  return { kind, doc, presence: "optional", fallback, unlisted: "never", aliases: [], ...rules };
}

export function required<T>(kind: Kind<T>, doc: string, rules: FieldRules = {}): Field<T> {
  return { kind, doc, presence: "required", fallback: null, unlisted: "never", aliases: [], ...rules };
}

interface TableRules {
  /**
   * Further keys are user-chosen names, each with a value of this kind. A fault inside one is reported as a
   * fault of the whole table, as the peer does.
   */
  readonly rest?: Kind<unknown>;
  /** Unknown keys are ignored silently, as in the peer. */
  readonly lenient?: boolean;
  /** A final check of the whole table; returns the text of a fault. */
  readonly check?: (table: TomlTable) => string | undefined;
}

/** `name` is the peer's name for the table in its faults. */
export function table<F extends Fields>(name: string, fields: F, rules: TableRules = {}): Kind<TableOf<F>> {
  return {
    label: "table",
    fields,
    ...(rules.rest === undefined ? {} : { entry: rules.rest, entryKey: "<name>" as const }),
    decode(value, path, reading) {
      if (!isTable(value)) return fail(reading, path, wrongType(value, `struct ${name}`));
      const given = decodeKeys({ fields, rules }, value, path, reading);
      if (given === undefined) return undefined;
      const missing = Object.entries(fields).find(([key, f]) => f.presence === "required" && !(key in given));
      if (missing !== undefined) return fail(reading, path, `missing field \`${missing[0]}\``);
      const violation = rules.check?.(value);
      if (violation !== undefined) return fail(reading, path, violation);
      return complete(fields, given, reading);
    },
  };
}

function lift(reading: SchemaReading, path: Path): undefined {
  const fault = reading.faults.pop();
  return fault === undefined ? undefined : fail(reading, path, fault.message);
}

interface TableShape {
  readonly fields: Fields;
  readonly rules: TableRules;
}

function decodeKeys(
  { fields, rules }: TableShape,
  value: TomlTable,
  path: Path,
  reading: SchemaReading,
): NodeTable | undefined {
  const given = Object.create(null) as NodeTable;
  for (const [spelling, item] of Object.entries(value)) {
    const at = [...path, spelling];
    const key = Object.hasOwn(fields, spelling) ? spelling : keyForAlias(fields, spelling);
    const field = Object.hasOwn(fields, key) ? fields[key] : undefined;
    const kind = field?.kind ?? rules.rest;
    if (kind === undefined) {
      if (rules.lenient !== true) reading.unknownKeys.push(at);
      continue;
    }
    const node = kind.decode(item, at, reading);
    if (node === undefined) return field === undefined ? lift(reading, path) : undefined;
    given[key] = node;
  }
  return given;
}

function keyForAlias(fields: Fields, spelling: string): string {
  return Object.keys(fields).find((key) => fields[key]?.aliases.includes(spelling)) ?? spelling;
}

/** Known keys first, in schema order, then the user-chosen names. */
function complete(fields: Fields, given: NodeTable, reading: SchemaReading): NodeTable {
  const result = Object.create(null) as NodeTable;
  for (const [key, field] of Object.entries(fields)) {
    const node = given[key] ?? field.fallback;
    if (reading.form === "wire" && isUnlisted(field, node)) continue;
    result[key] = node;
  }
  for (const [key, node] of Object.entries(given)) {
    if (!Object.hasOwn(fields, key)) result[key] = node;
  }
  return result;
}

function isUnlisted(field: Field<unknown>, node: ConfigNode): boolean {
  if (field.unlisted === "always") return true;
  // Null compares like any other value, although no file can contain it.
  return field.unlisted === "unchanged" && sameValue(node as TomlValue, field.fallback as TomlValue);
}

/** A tagged union of tables; the value of `tag` selects one. */
export function taggedBy(
  name: string,
  tag: string,
  cases: Readonly<Record<string, Kind<unknown>>>,
): Kind<{ [key: string]: unknown }> {
  return {
    label: `table with ${tag} = ${Object.keys(cases)
      .map((key) => `"${key}"`)
      .join(" | ")}`,
    decode(value, path, reading) {
      if (!isTable(value)) return fail(reading, path, wrongType(value, `internally tagged enum ${name}`));
      const selected = value[tag];
      if (selected === undefined) return fail(reading, path, `missing field \`${tag}\``);
      if (typeof selected !== "string") return fail(reading, path, wrongType(selected, "variant identifier"));
      const kind = Object.hasOwn(cases, selected) ? cases[selected] : undefined;
      if (kind === undefined) return fail(reading, path, unknownVariant(selected, Object.keys(cases)));
      const { [tag]: _, ...rest } = value;
      const node = kind.decode(rest, path, reading);
      return node === undefined ? undefined : { [tag]: selected, ...(node as NodeTable) };
    },
  };
}

/** Either a string, or a table with one key that names a variant: `"never"`, `{ granular = { ... } }`. */
export function variantOf<T>(
  words: Kind<T>,
  tables: Readonly<Record<string, Kind<unknown>>>,
): Kind<T | object> {
  return {
    label: [words.label, ...Object.keys(tables).map((key) => `{ ${key} = ... }`)].join(" | "),
    decode(value, path, reading) {
      if (!isTable(value)) return words.decode(value, path, reading);
      const [entry, ...others] = Object.entries(value) as [string, TomlValue][];
      const kind = entry === undefined ? undefined : tables[entry[0]];
      if (entry === undefined || others.length > 0 || kind === undefined) {
        return fail(reading, path, "invalid value: map, expected map with a single key");
      }
      const node = kind.decode(entry[1], [...path, entry[0]], reading);
      return node === undefined ? undefined : { [entry[0]]: node };
    },
  };
}
