// The kinds of values in config.toml. A kind validates a value, normalizes it, and has the names used in
// documentation and faults.
import type { TomlDate } from "smol-toml";
import type { ConfigFault } from "../toml/config-fault.ts";
import { floatText } from "../toml/render-toml.ts";
import { isTable, type TomlValue } from "../toml/toml-value.ts";

/** A validated value. Null represents a known key that is not set. */
export type ConfigNode = null | string | bigint | number | boolean | TomlDate | ConfigNode[] | NodeTable;

export interface NodeTable {
  [key: string]: ConfigNode;
}

/** The context and findings of one pass over a document. */
export interface SchemaReading {
  /** `wire` omits what `config/read` omits; `values` applies every default. */
  readonly form: "wire" | "values";
  /** Undefined for a relative path without a base. */
  readonly resolvePath: (path: string) => string | undefined;
  readonly faults: ConfigFault[];
  readonly unknownKeys: Path[];
}

/** Keys and list indexes; faults name only the keys. */
export type Path = readonly (string | number)[];

export interface Kind<T> {
  /** The kind's name in documentation. */
  readonly label: string;
  /** Undefined after a fault was recorded in `reading`. */
  readonly decode: (value: TomlValue, path: Path, reading: SchemaReading) => ConfigNode | undefined;
  /** For tables: the fields, for documentation. */
  readonly fields?: Readonly<Record<string, Field<unknown>>> | undefined;
  /** For lists and maps: the kind of an entry, and the placeholder of its key in documentation. */
  readonly entry?: Kind<unknown> | undefined;
  readonly entryKey?: "[]" | "<name>" | undefined;
  /** A phantom type: the JSON form of a value. */
  readonly type?: T;
}

/** One key of a table. */
export interface Field<T> {
  readonly kind: Kind<unknown>;
  readonly doc: string;
  readonly presence: "optional" | "required";
  /** The value when the key is not set. */
  readonly fallback: ConfigNode;
  /** When the key is omitted from `config/read`: never, when equal to the fallback, or always. */
  readonly unlisted: "never" | "unchanged" | "always";
  readonly aliases: readonly string[];
  readonly type?: T;
}

export type ValueOf<K> = K extends Kind<infer T> ? T : never;

export function fail(reading: SchemaReading, path: Path, message: string): undefined {
  reading.faults.push({ message, path: path.filter((key) => typeof key === "string") });
  return undefined;
}

export function wrongType(value: TomlValue, expected: string): string {
  return `invalid type: ${describe(value)}, expected ${expected}`;
}

function describe(value: TomlValue): string {
  if (typeof value === "string") return `string ${JSON.stringify(value)}`;
  if (typeof value === "bigint") return `integer \`${value}\``;
  if (typeof value === "number") return `floating point \`${floatText(value)}\``;
  if (typeof value === "boolean") return `boolean \`${value}\``;
  return Array.isArray(value) ? "sequence" : "map";
}

interface TextRules {
  /** The noun in the fault for an empty string. */
  readonly notEmpty?: string;
}

export function text({ notEmpty }: TextRules = {}): Kind<string> {
  return {
    label: "string",
    decode(value, path, reading) {
      if (typeof value !== "string") return fail(reading, path, wrongType(value, "a string"));
      if (notEmpty !== undefined && value === "") {
        return fail(reading, path, `${notEmpty} must not be empty`);
      }
      return value;
    },
  };
}

/** Never shown: neither in `config/read` nor in its layers. */
export function secret(): Kind<string> {
  const { decode } = text();
  return {
    label: "string",
    decode(value, path, reading) {
      const node = decode(value, path, reading);
      return node === undefined || reading.form === "values" ? node : "[redacted]";
    },
  };
}

/** A file or folder; relative paths are resolved against the folder of the file that names them. */
export function filePath(): Kind<string> {
  return {
    label: "path",
    decode(value, path, reading) {
      if (typeof value !== "string") return fail(reading, path, wrongType(value, "path string"));
      const resolved = reading.resolvePath(value);
      return resolved ?? fail(reading, path, "AbsolutePathBuf deserialized without a base path");
    },
  };
}

export function flag(): Kind<boolean> {
  return {
    label: "boolean",
    decode: (value, path, reading) =>
      typeof value === "boolean" ? value : fail(reading, path, wrongType(value, "a boolean")),
  };
}

const RANGES = {
  i32: [-(2n ** 31n), 2n ** 31n - 1n],
  i64: [-(2n ** 63n), 2n ** 63n - 1n],
  u8: [0n, 2n ** 8n - 1n],
  u16: [0n, 2n ** 16n - 1n],
  u32: [0n, 2n ** 32n - 1n],
  u64: [0n, 2n ** 64n - 1n],
  usize: [0n, 2n ** 64n - 1n],
  "a number of at most 1000": [0n, 1000n],
  "a nonzero u32": [1n, 2n ** 32n - 1n],
  "a nonzero u64": [1n, 2n ** 64n - 1n],
  "a nonzero usize": [1n, 2n ** 64n - 1n],
} as const;

/** The range names are those of the peer's faults. */
export function integer(range: keyof typeof RANGES): Kind<number> {
  const [low, high] = RANGES[range];
  return {
    label: low < 0n ? "integer" : low === 0n ? "integer >= 0" : "integer >= 1",
    decode(value, path, reading) {
      if (typeof value !== "bigint") return fail(reading, path, wrongType(value, range));
      if (value >= low && value <= high) return value;
      return fail(reading, path, `invalid value: integer \`${value}\`, expected ${range}`);
    },
  };
}

export function decimal(): Kind<number> {
  return {
    label: "number",
    decode(value, path, reading) {
      if (typeof value === "bigint") return Number(value);
      return typeof value === "number" ? value : fail(reading, path, wrongType(value, "f64"));
    },
  };
}

interface ChoiceRules {
  /** Legacy values and their current equivalents. */
  readonly aliases?: Readonly<Record<string, string>>;
  /** The values listed in a fault, where they are not just the values followed by the aliases. */
  readonly listed?: readonly string[];
}

export function choice<const V extends string>(values: readonly V[], rules: ChoiceRules = {}): Kind<V> {
  const { aliases = {} } = rules;
  const listed = rules.listed ?? [...values, ...Object.keys(aliases)];
  return {
    label: values.map((value) => `"${value}"`).join(" | "),
    decode(value, path, reading) {
      if (typeof value !== "string") return fail(reading, path, wrongType(value, "string or map"));
      if (Object.hasOwn(aliases, value)) return aliases[value];
      return values.some((known) => known === value)
        ? value
        : fail(reading, path, unknownVariant(value, listed));
    },
  };
}

export function unknownVariant(value: string, known: readonly string[]): string {
  const quoted = known.map((item) => `\`${item}\``);
  const expected =
    quoted.length <= 2 ? `expected ${quoted.join(" or ")}` : `expected one of ${quoted.join(", ")}`;
  return `unknown variant \`${value}\`, ${expected}`;
}

export function listOf<T>(entry: Kind<T>): Kind<T[]> {
  return {
    get label() {
      return `list of ${entry.label}`;
    },
    entry,
    entryKey: "[]",
    decode(value, path, reading) {
      if (!Array.isArray(value)) return fail(reading, path, wrongType(value, "a sequence"));
      const items = value.map((item, index) => entry.decode(item, [...path, index], reading));
      return items.includes(undefined) ? undefined : (items as ConfigNode[]);
    },
  };
}

/** A table with user-chosen keys. `noun` is the peer's word for it. */
export function mapOf<T>(entry: Kind<T>, noun = "a map"): Kind<Record<string, T>> {
  return {
    get label() {
      return `table of ${entry.label}`;
    },
    entry,
    entryKey: "<name>",
    decode(value, path, reading) {
      if (!isTable(value)) return fail(reading, path, wrongType(value, noun));
      const result = Object.create(null) as NodeTable;
      for (const [key, item] of Object.entries(value)) {
        const node = entry.decode(item, [...path, key], reading);
        if (node === undefined) return undefined;
        result[key] = node;
      }
      return result;
    },
  };
}

/** A lazily built kind: it is created when a file first has such a value, because most files use few keys. */
export function later<T>(build: () => Kind<T>): Kind<T> {
  let built: Kind<T> | undefined;
  const kind = (): Kind<T> => {
    built ??= build();
    return built;
  };
  return {
    get label() {
      return kind().label;
    },
    decode: (value, path, reading) => kind().decode(value, path, reading),
    get fields() {
      return kind().fields;
    },
    get entry() {
      return kind().entry;
    },
    get entryKey() {
      return kind().entryKey;
    },
  };
}

/** Accepts an invalid value unchanged; its consumer reports the fault. */
export function tolerant<T>(kind: Kind<T>): Kind<T> {
  return {
    get label() {
      return kind.label;
    },
    decode(value, path, reading) {
      const attempt: SchemaReading = { ...reading, faults: [], unknownKeys: [] };
      const node = kind.decode(value, path, attempt);
      if (node !== undefined) reading.unknownKeys.push(...attempt.unknownKeys);
      return node ?? value;
    },
    get fields() {
      return kind.fields;
    },
    get entry() {
      return kind.entry;
    },
    get entryKey() {
      return kind.entryKey;
    },
  };
}

/** Accepts any value, because other programs own the contents. */
export function anything(): Kind<unknown> {
  return { label: "any value", decode: (value) => value };
}

/** The first matching kind wins; no match is one fault, named as the peer names the type. */
export function eitherOf<A, B>(name: string, first: Kind<A>, second: Kind<B>): Kind<A | B> {
  return {
    get label() {
      return `${first.label} | ${second.label}`;
    },
    decode(value, path, reading) {
      for (const kind of [first, second]) {
        const attempt: SchemaReading = { ...reading, faults: [], unknownKeys: [] };
        const node = kind.decode(value, path, attempt);
        if (node !== undefined) return node;
      }
      return fail(reading, path, `data did not match any variant of untagged enum ${name}`);
    },
  };
}
