import { isJson, isPlainObject, ownMember } from "../text/json.ts";
import { isWellFormed } from "../text/text.ts";
import type { ParsedMessage } from "./wire-error.ts";

/**
 * The shape of a message as data. Reading copies the declared members and rejects unknown ones, so that a result has
 * exactly the members of its type.
 */
export type WireShape =
  | { readonly kind: "text" | "count" | "flag" | "json" | "json_map" }
  | { readonly kind: "one_of"; readonly names: readonly string[] }
  | { readonly kind: "list"; readonly of: WireShape }
  | { readonly kind: "map"; readonly keys: readonly string[]; readonly of: WireShape }
  | { readonly kind: "members"; readonly members: Readonly<Record<string, Member>> };

interface Member {
  readonly shape: WireShape;
  /**
   * `required`: must be there. `nullable`: must be there, may be null. `optional`: may be absent or null, which is the
   * same. `defaulted`: may be absent, which is empty, but not null.
   */
  readonly presence: "required" | "nullable" | "optional" | "defaulted";
}

/** The limit of entries in one list or map. */
export const MOST_ENTRIES = 100_000;

export const TEXT: WireShape = { kind: "text" };
export const COUNT: WireShape = { kind: "count" };
export const FLAG: WireShape = { kind: "flag" };
export const JSON_VALUE: WireShape = { kind: "json" };
export const JSON_MAP: WireShape = { kind: "json_map" };
export const oneOf = (names: readonly string[]): WireShape => ({ kind: "one_of", names });
export const listOf = (of: WireShape): WireShape => ({ kind: "list", of });
export const mapOf = (keys: readonly string[], of: WireShape): WireShape => ({ kind: "map", keys, of });
export const members = (declared: Readonly<Record<string, Member>>): WireShape => ({
  kind: "members",
  members: declared,
});
export const required = (shape: WireShape): Member => ({ shape, presence: "required" });
export const nullable = (shape: WireShape): Member => ({ shape, presence: "nullable" });
export const optional = (shape: WireShape): Member => ({ shape, presence: "optional" });
export const defaulted = (shape: WireShape): Member => ({ shape, presence: "defaulted" });

class Mismatch extends Error {}

/** Reads an untrusted value. `T` must match the shape, which the compiler cannot check. */
export function readShape<T>(shape: WireShape, value: unknown, name: string): ParsedMessage<T> {
  try {
    return { ok: true, value: read(shape, value, name) as T };
  } catch (error) {
    // An object of the same process may have getters that throw.
    const detail = error instanceof Mismatch ? error.message : `${name} cannot be read`;
    return { ok: false, error: { kind: "malformed", detail } };
  }
}

function read(shape: WireShape, value: unknown, name: string): unknown {
  switch (shape.kind) {
    case "list":
      return readList(shape.of, value, name);
    case "map":
      return readMap(shape, value, name);
    case "members":
      return readMembers(shape.members, value, name);
    case "one_of":
      if (typeof value === "string" && shape.names.includes(value)) return value;
      throw new Mismatch(`${name} is ${show(value)}, not one of ${shape.names.join(", ")}`);
    default:
      if (SCALARS[shape.kind](value)) return value;
      throw new Mismatch(`${name} is ${show(value)}, not ${EXPECTED[shape.kind]}`);
  }
}

const SCALARS: Readonly<Record<ScalarKind, (value: unknown) => boolean>> = {
  text: (value) => typeof value === "string" && isWellFormed(value),
  // Larger numbers may have lost digits when they were parsed.
  count: (value) => Number.isSafeInteger(value) && Number(value) >= 0,
  flag: (value) => typeof value === "boolean",
  json: (value) => isJson(value),
  json_map: (value) => isPlainObject(value) && isJson(value),
};

const EXPECTED: Readonly<Record<ScalarKind, string>> = {
  text: "a well-formed text",
  count: "a whole number from 0 to 2^53 - 1",
  flag: "true or false",
  json: "JSON that is neither deep nor large",
  json_map: "an object of JSON that is neither deep nor large",
};

type ScalarKind = "text" | "count" | "flag" | "json" | "json_map";

function readList(of: WireShape, value: unknown, name: string): unknown[] {
  if (!Array.isArray(value)) throw new Mismatch(`${name} is ${show(value)}, not a list`);
  if (value.length > MOST_ENTRIES)
    throw new Mismatch(`${name} has ${value.length} entries, more than ${MOST_ENTRIES}`);
  return value.map((entry, index) => read(of, entry, `${name}[${index}]`));
}

function readMap(shape: Extract<WireShape, { kind: "map" }>, value: unknown, name: string): object {
  if (!isPlainObject(value)) throw new Mismatch(`${name} is ${show(value)}, not an object`);
  const keys = Object.keys(value);
  const unknownKey = keys.find((key) => !shape.keys.includes(key));
  if (unknownKey !== undefined) throw new Mismatch(`${name} has the unknown key ${show(unknownKey)}`);
  return Object.fromEntries(
    keys.map((key) => [key, read(shape.of, ownMember(value, key), `${name}.${key}`)]),
  );
}

function readMembers(
  declared: Readonly<Record<string, Member>>,
  value: unknown,
  name: string,
): Record<string, unknown> {
  if (!isPlainObject(value)) throw new Mismatch(`${name} is ${show(value)}, not an object`);
  const unknownKey = Object.keys(value).find((key) => !Object.hasOwn(declared, key));
  if (unknownKey !== undefined) throw new Mismatch(`${name} has the unknown field ${show(unknownKey)}`);
  const missing = Object.entries(declared)
    .filter(([, { presence }]) => presence === "required" || presence === "nullable")
    .map(([key]) => key)
    .filter((key) => ownMember(value, key) === undefined);
  if (missing.length > 0) throw new Mismatch(`${name} lacks ${missing.join(", ")}`);
  const result: Record<string, unknown> = {};
  for (const [key, { shape, presence }] of Object.entries(declared)) {
    const member = ownMember(value, key);
    if (member === undefined || (member === null && presence === "optional")) continue;
    result[key] = member === null && presence === "nullable" ? null : read(shape, member, `${name}.${key}`);
  }
  return result;
}

function show(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(value.length > 40 ? `${value.slice(0, 40)}…` : value);
  if (Array.isArray(value)) return "a list";
  return value === null || typeof value !== "object" ? String(value) : "an object";
}
