// The TOML values of this module: integers are bigints and floats are numbers, so that `1` and `1.0` differ
// and large integers are exact.
import { TomlDate } from "smol-toml";

export type TomlValue = string | bigint | number | boolean | TomlDate | TomlValue[] | TomlTable;

/** Tables have no prototype: every key of a file, including `__proto__`, is plain data. */
export interface TomlTable {
  [key: string]: TomlValue;
}

export type Json = null | boolean | number | string | Json[] | TomlJsonObject;

export interface TomlJsonObject {
  [key: string]: Json;
}

/** The key with which the peer writes a date in JSON; it is parsed back as a date. */
const DATE_KEY = "$__toml_private_datetime";

export function createTable(entries: Iterable<readonly [string, TomlValue]> = []): TomlTable {
  const table = Object.create(null) as TomlTable;
  for (const [key, value] of entries) table[key] = value;
  return table;
}

export function isTable(value: unknown): value is TomlTable {
  return typeof value === "object" && value !== null && !Array.isArray(value) && !(value instanceof TomlDate);
}

/** The value at `path`; array items are addressed by index. */
export function valueAt(root: TomlValue, path: readonly string[]): TomlValue | undefined {
  let current: TomlValue | undefined = root;
  for (const key of path) {
    if (isTable(current)) current = current[key];
    else if (Array.isArray(current)) current = /^\d+$/.test(key) ? current[Number(key)] : undefined;
    else return undefined;
  }
  return current;
}

export function sameValue(a: TomlValue | undefined, b: TomlValue | undefined): boolean {
  if (Array.isArray(a) && Array.isArray(b)) {
    return a.length === b.length && a.every((item, index) => sameValue(item, b[index]));
  }
  if (a instanceof TomlDate && b instanceof TomlDate) return a.toISOString() === b.toISOString();
  if (isTable(a) && isTable(b)) {
    const keys = Object.keys(a);
    return keys.length === Object.keys(b).length && keys.every((key) => sameValue(a[key], b[key]));
  }
  return Object.is(a, b);
}

/** A deep copy; dates are shared, because they are never modified. */
export function cloneValue<T extends TomlValue>(value: T): T {
  if (Array.isArray(value)) return value.map(cloneValue) as T;
  if (!isTable(value)) return value;
  return createTable(Object.entries(value).map(([key, item]) => [key, cloneValue(item)])) as T;
}

/** Integers beyond 2^53 lose precision and special floats become null, as in all JSON. */
export function toJson(value: TomlValue): Json {
  if (typeof value === "bigint") return Number(value);
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (value instanceof TomlDate) return { [DATE_KEY]: dateText(value) };
  if (Array.isArray(value)) return value.map(toJson);
  if (isTable(value)) return toJsonObject(value);
  return value;
}

export function toJsonObject(table: TomlTable): TomlJsonObject {
  return Object.fromEntries(Object.entries(table).map(([key, item]) => [key, toJson(item)]));
}

/** The text of a date without the zero padding of its milliseconds. */
export function dateText(date: TomlDate): string {
  return date
    .toISOString()
    .replace(/\.(\d*?)0+(?=Z|[+-]|$)/, (_, digits: string) => (digits === "" ? "" : `.${digits}`));
}

export type JsonToToml = { ok: true; value: TomlValue } | { ok: false; message: string };

/** JSON has one number type: an integral value becomes an integer if TOML can represent it. */
export function fromJson(value: Json): JsonToToml {
  if (value === null) return { ok: false, message: "invalid type: null, expected any valid TOML value" };
  if (typeof value === "number") return fromNumber(value);
  if (Array.isArray(value)) return collect(value.map(fromJson), (items) => items);
  if (typeof value === "string") return { ok: true, value: wellFormed(value) };
  if (typeof value === "boolean") return { ok: true, value };
  const date = value[DATE_KEY];
  if (typeof date === "string" && Object.keys(value).length === 1) {
    const parsed = new TomlDate(date);
    if (parsed.isValid()) return { ok: true, value: parsed };
  }
  const keys = Object.keys(value);
  const items = keys.map((key) => fromJson(value[key] ?? null));
  return collect(items, (values) =>
    createTable(keys.map((key, i) => [wellFormed(key), values[i] as TomlValue])),
  );
}

/** A lone surrogate has no UTF-8 form and could not be read back. */
function wellFormed(value: string): string {
  return Buffer.from(value).toString();
}

function fromNumber(value: number): JsonToToml {
  if (!Number.isInteger(value) || Math.abs(value) >= 2 ** 64) return { ok: true, value };
  const integer = BigInt(value);
  if (BigInt.asIntN(64, integer) !== integer) return { ok: false, message: "u64 value was too large" };
  return { ok: true, value: integer };
}

function collect(items: JsonToToml[], build: (values: TomlValue[]) => TomlValue): JsonToToml {
  const values: TomlValue[] = [];
  for (const item of items) {
    if (!item.ok) return item;
    values.push(item.value);
  }
  return { ok: true, value: build(values) };
}

export function isPrefix(prefix: readonly string[], path: readonly string[]): boolean {
  return prefix.length <= path.length && prefix.every((key, index) => key === path[index]);
}

export function samePath(a: readonly string[], b: readonly string[]): boolean {
  return a.length === b.length && isPrefix(a, b);
}
